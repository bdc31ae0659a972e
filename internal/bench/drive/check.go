package drive

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"

	"servery/internal/bench/inputs"
)

// findings are what the check of a server found out for the load on it.
type findings struct {
	field     string // of the requests
	condition string // the same, if it makes them conditional
	size      int    // of the smallest body that is right
}

// check compares all that the server will be asked for with the files, but for the
// large files of a load beside: they differ in nothing but their text, and to have
// each encoded once would take a minute. Of them it looks at the first.
func (r *run) check(ctx context.Context, base string, s inputs.Scenario, p peer) (findings, error) {
	transport := r.shown.newTransport(s.Protocol)
	defer transport.CloseIdleConnections()
	found, like := findings{}, expectation{head: p.head}
	if s.Coding != "" {
		found.field, like = "Accept-Encoding: "+s.Coding, p.answer(s.Coding, s.Size)
	}
	like.major, like.closes = major(s.Protocol), s.Churn
	if s.NotModified {
		want, err := like.of(r.file(s.Path))
		if err != nil {
			return findings{}, err
		}
		condition, err := verifyConditional(ctx, transport, base+s.Path, want)
		return findings{field: condition, condition: condition}, err
	}
	var err error
	if found.size, err = r.smallest(ctx, transport, base, s.Paths(), like); err == nil && s.Behind > 0 {
		large := p.answer(s.Coding, s.LargeSize)
		large.major = like.major
		_, err = r.smallest(ctx, transport, base, s.LargePaths()[:1], large)
	}
	return found, err
}

func major(protocol inputs.Protocol) int {
	if protocol == inputs.HTTP2 {
		return 2
	}
	return 1
}

// smallest verifies files of which all is expected alike but for their content. It
// returns the size of the smallest body.
func (r *run) smallest(ctx context.Context, transport *http.Transport, base string, paths []string, like expectation) (int, error) {
	var least int64
	for i, path := range paths {
		want, err := like.of(r.file(path))
		if err != nil {
			return 0, err
		}
		_, size, err := verifyFull(ctx, transport, base+path, want)
		if err != nil {
			return 0, fmt.Errorf("/%s: %w", path, err)
		}
		if i == 0 || size < least {
			least = size
		}
	}
	return int(least), nil
}

func (r *run) file(path string) string { return filepath.Join(r.dir, filepath.FromSlash(path)) }
