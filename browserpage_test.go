//go:build unix

package servery_test

import (
	"net/http"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servery"
	"servery/internal/testkit"
)

// traffic is what a handler was asked and how it answered, in order.
type traffic struct {
	inner http.Handler

	mu        sync.Mutex // guards exchanges
	exchanges []exchange
}

type exchange struct {
	path        string
	status      int
	conditional bool // with If-None-Match
}

func (t *traffic) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	t.inner.ServeHTTP(&notedWriter{w, r, t}, r)
}

// take returns the exchanges since it was called last.
func (t *traffic) take() []exchange {
	t.mu.Lock()
	defer t.mu.Unlock()
	taken := t.exchanges
	t.exchanges = nil
	return taken
}

// notedWriter notes an answer with its status, since a browser that has enough of
// a body does not let it come to its end.
type notedWriter struct {
	http.ResponseWriter
	request *http.Request
	traffic *traffic
}

func (w *notedWriter) WriteHeader(status int) {
	noted := exchange{
		path: w.request.URL.Path, status: status,
		conditional: w.request.Header.Get("If-None-Match") != "",
	}
	w.traffic.mu.Lock()
	w.traffic.exchanges = append(w.traffic.exchanges, noted)
	w.traffic.mu.Unlock()
	w.ResponseWriter.WriteHeader(status)
}

// What published packages were built to, at work in a browser: style sheets with
// the fonts that they name, scripts, modules, WebAssembly.
func TestBrowserPackages(t *testing.T) {
	leaveToPlain(t)
	dir := npmTree(t)
	files := &traffic{inner: testkit.LintServed(t, servery.FileServer(openDir(t, dir), nil), testkit.Lint)}
	next := browse(t, "npm.html", map[string]http.Handler{"/npm/": http.StripPrefix("/npm", files)})
	type page struct {
		Error, Bootstrap, Hidden, Parser string

		Katex   int
		Fonts   bool
		Formats []string
	}
	var got page
	next(&got)
	want := page{
		Bootstrap: "function", Hidden: "none", Parser: "function",
		Katex: 1, Fonts: true, Formats: []string{"loaded", "loaded", "loaded"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, e := range files.take() {
		if e.status != http.StatusOK && !(e.conditional && e.status == http.StatusNotModified) {
			t.Errorf("%+v, want 200, or 304 for what the page has had before", e)
		}
	}
}
