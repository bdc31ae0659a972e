package servery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"time"

	"servery/internal/coded"
	"servery/internal/flight"
	"servery/internal/identity"
	"servery/internal/offload"
	"servery/internal/plan"
	"servery/internal/urlpath"
)

// WarmStats counts what [Warm] did.
type WarmStats struct {
	Files    int   // that are of a size and, by their names, of a type to be coded; the smallest that there could be room for
	Made     int   // bodies that were made
	Bytes    int64 // of those, without overhead
	Held     int   // bodies that were held already
	Unworthy int   // codings that save too little, which is held as well
	Failed   int   // directories that could not be read, files that could not be read or changed just now, encoders that failed
	Full     bool  // whether it ended for want of room
}

// Warm fills the [CompressionCache] of a handler, so that the first clients after a start
// need not wait for what is compressed on request. It makes what they would be sent:
// of each file that is worth a coding, in the most preferred of the handler's
// Encoders, where there is no sidecar in that; then, as long as there is room, in the
// next one. Small files come first, and by name among those of one size: so the most
// files have room. A link to a file counts like the file, as in a ConfigMap of
// Kubernetes; what has several names is held once where the system tells that it is one
// file. Links to directories are not followed.
//
// It stops before anything would be evicted, with room for the next file left as if
// that did not shrink. It compresses one file at a time, takes its turn behind
// requests, and waits while the handler's Limiter has no room; run it in a goroutine
// beside the server. What single files are the matter with is counted and does not
// end it.
//
// The handler must be one that [FileServer] returned: if it is wrapped, by
// [net/http.StripPrefix] for instance, pass what is inside. Anything else is an error.
// So is a root that cannot be read, or a cache that was shut down; if ctx ends first,
// Warm returns the cause. The stats tell what was done until then.
func Warm(ctx context.Context, handler http.Handler) (WarmStats, error) {
	s, ok := handler.(*fileServer)
	if !ok {
		return WarmStats{}, fmt.Errorf("servery: Warm: handler is a %T and was not made by FileServer", handler)
	}
	w := &warming{fileServer: s, most: s.options.Cache.store.MostEntries()}
	if len(s.options.Encoders) == 0 {
		return w.stats, nil
	}
	if err := w.find(ctx); err != nil {
		return w.stats, fmt.Errorf("servery: Warm: %w", err)
	}
	for _, coding := range s.encoders.Codings() {
		for _, name := range w.files {
			if err := w.file(ctx, name.name, coding); err != nil {
				return w.stats, fmt.Errorf("servery: Warm: %w", err)
			}
			if w.stats.Full {
				return w.stats, nil
			}
		}
	}
	w.stats.Full = w.left
	return w.stats, nil
}

// warming is one call of Warm. It belongs to its goroutine.
type warming struct {
	*fileServer
	most  int // of the files, which are more than there can be room for
	files []sizedName
	left  bool // whether there were more
	stats WarmStats
}

type sizedName struct {
	name string
	size int64
}

// find collects the files that may be coded. However large the tree is, it holds no
// more of them than twice as many as the cache has room for.
func (w *warming) find(ctx context.Context) error {
	err := fs.WalkDir(w.root, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && name == ".":
			return err
		case err != nil:
			w.stats.Failed++
			return nil // WalkDir passes over a directory that cannot be read
		case !w.serves(name) && entry.IsDir():
			return fs.SkipDir
		case !w.serves(name) || !isFileOrLink(entry.Type()) || !w.mayBeCoded(name):
			return nil
		}
		info, err := w.look(name, entry)
		switch {
		case err != nil && !identity.IsMissing(err): // what is gone by now is no failure
			w.stats.Failed++
			return nil
		case err != nil || !info.Mode().IsRegular() || !w.encodes(info.Size()):
			return nil
		}
		if w.files = append(w.files, sizedName{name, info.Size()}); len(w.files) >= 2*w.most+64 {
			w.keepSmallest()
		}
		return nil
	})
	w.keepSmallest()
	w.stats.Files = len(w.files)
	return err
}

func isFileOrLink(mode fs.FileMode) bool { return mode.IsRegular() || mode&fs.ModeSymlink != 0 }

// look tells what an entry is. A link is followed as a request for it follows it, which
// never leads out of a Dir.
func (w *warming) look(name string, entry fs.DirEntry) (fs.FileInfo, error) {
	if entry.Type()&fs.ModeSymlink != 0 {
		return fs.Stat(w.root, name)
	}
	return entry.Info()
}

func (w *warming) keepSmallest() {
	slices.SortFunc(w.files, func(a, b sizedName) int {
		return cmp.Or(cmp.Compare(a.size, b.size), strings.Compare(a.name, b.name))
	})
	if len(w.files) > w.most {
		w.files, w.left = w.files[:w.most], true
	}
}

// serves reports whether a request may ask for the name.
func (w *warming) serves(name string) bool {
	return urlpath.Serves(name, w.options.ShowHidden)
}

// file makes one body. Its error ends all.
func (w *warming) file(ctx context.Context, name, coding string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	err := w.body(ctx, name, coding)
	switch {
	case err == nil || identity.IsMissing(err): // what is gone by now is no failure
		return nil
	case ctx.Err() != nil || errors.Is(err, flight.ErrShutdown) || errors.Is(err, fs.ErrClosed):
		return err
	}
	w.stats.Failed++
	return nil
}

// body makes a body as a request that accepts this coding alone would. What a Loader
// remembers is not warmed: it holds for a second.
func (w *warming) body(ctx context.Context, name, coding string) error {
	view, err := w.tree.View()
	if err != nil {
		return err
	}
	defer view.Release()
	file, err := w.loader.Open(view, name, identity.Facts)
	if err != nil {
		return err
	}
	request := plan.Request{AcceptEncoding: []string{coding}}
	x := &exchange{fileServer: w.fileServer, ctx: ctx, request: request, outer: make(http.Header), view: view, file: file}
	defer x.close()
	facts, err := x.facts()
	if err != nil || !facts.Negotiable || file.IsDir() || !w.encodes(facts.Size) {
		return err
	}
	if x.openSidecar(); x.sidecar != nil {
		return nil
	}
	job := x.job(coding)
	switch {
	case !file.Settled:
		return identity.ErrChanged // nothing would be held
	case w.options.Cache.store.Holds(job):
		w.stats.Held++
		return nil
	case !w.options.Cache.store.Fits(job):
		w.stats.Full = true
		return nil
	}
	body, err := w.make(ctx, job)
	switch {
	case err != nil:
		return err
	case body.Worth:
		w.stats.Made++
		w.stats.Bytes += int64(len(body.Bytes))
	default:
		w.stats.Unworthy++
	}
	return nil
}

// busyPause is how long to wait for those whom requests wait for.
const busyPause = 20 * time.Millisecond

// make does the job when nobody waits for a slot that it would need.
func (w *warming) make(ctx context.Context, job coded.Job) (*coded.Body, error) {
	for {
		if !job.Slots.Contended() {
			body, _, err := w.options.Cache.store.Make(ctx, job)
			if !errors.Is(err, offload.ErrSaturated) {
				return body, err
			}
		}
		select {
		case <-time.After(busyPause):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
