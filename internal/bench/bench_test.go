package bench

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"servery/internal/bench/inputs"
	"servery/internal/bench/peers"
)

// A discard is the least that a handler can write to. It has ReadFrom as
// net/http's own writer does, since a handler that copies a file through io.Copy
// would otherwise be charged for a buffer that no server makes.
type discard struct {
	header http.Header
	status int
	bytes  int64
	buffer []byte
}

func newDiscard() *discard {
	return &discard{header: make(http.Header), buffer: make([]byte, 32<<10)}
}

// reset leaves the map's memory in place, so that none of it is counted.
func (d *discard) reset() {
	clear(d.header)
	d.status, d.bytes = 0, 0
}

func (d *discard) Header() http.Header { return d.header }

func (d *discard) WriteHeader(status int) { d.status = status }

func (d *discard) Write(p []byte) (int, error) {
	if d.status == 0 {
		d.status = http.StatusOK
	}
	d.bytes += int64(len(p))
	return len(p), nil
}

func (d *discard) ReadFrom(r io.Reader) (n int64, err error) {
	if d.status == 0 {
		d.status = http.StatusOK
	}
	for err == nil {
		var m int
		m, err = r.Read(d.buffer)
		n += int64(m)
	}
	d.bytes += n
	if err == io.EOF {
		err = nil
	}
	return n, err
}

// scenarios are those for which one request says all: there is nothing beside it, no
// other file after it, no difference in the connection, and nothing that is to be made
// anew by those that would have kept it.
func scenarios() []inputs.Scenario {
	return slices.DeleteFunc(inputs.Scenarios(), func(s inputs.Scenario) bool {
		return s.Behind > 0 || s.Files > 0 || s.Churn || s.Protocol != inputs.HTTP1 || slices.Contains(s.Peers, "servery-0")
	})
}

// handlersOf lists the peers that take part and are handlers.
func handlersOf(s inputs.Scenario) []string {
	return slices.DeleteFunc(slices.Clone(s.Peers), func(name string) bool {
		peer, err := peers.ByName(name)
		return err != nil || !peer.IsHandler()
	})
}

// write makes the files of all scenarios that handlers are asked for.
func write(tb testing.TB) (dir string) {
	tb.Helper()
	dir = tb.TempDir()
	if err := inputs.Write(dir, scenarios()...); err != nil {
		tb.Fatal(err)
	}
	return dir
}

// BenchmarkHandler has names for benchstat: -col /peer sets the peers side by
// side.
func BenchmarkHandler(b *testing.B) {
	dir := write(b)
	for _, s := range scenarios() {
		for _, name := range handlersOf(s) {
			b.Run(fmt.Sprintf("scenario=%s/peer=%s", s.Name, name), func(b *testing.B) {
				handler, request, size := prepare(b, name, dir, s)
				measure(b, handler, request, s, size)
			})
		}
	}
}

// prepare returns a handler that has been seen to answer the request rightly, and
// the size of the answer's body.
func prepare(tb testing.TB, name, dir string, s inputs.Scenario) (http.Handler, *http.Request, int64) {
	tb.Helper()
	peer, err := peers.ByName(name)
	if err != nil {
		tb.Fatal(err)
	}
	handler, err := peer.Handler(peers.Site{Dir: dir, Scratch: tb.TempDir(), Level: s.Level})
	if err != nil {
		tb.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(s.Path)))
	if err != nil {
		tb.Fatal(err)
	}
	request := httptest.NewRequest(http.MethodGet, "/"+s.Path, nil)
	if s.Coding != "" {
		request.Header.Set("Accept-Encoding", s.Coding)
	}
	full := httptest.NewRecorder()
	handler.ServeHTTP(full, request)
	plain, err := decode(full)
	coding := full.Header().Get("Content-Encoding")
	asIs := coding == "" && s.Size < inputs.LeastCoded
	if err != nil || full.Code != http.StatusOK || !asIs && coding != s.Coding || !bytes.Equal(plain, content) {
		tb.Fatalf("%s: status %d, Content-Encoding %q, %v, or the body is not the file",
			name, full.Code, coding, err)
	}
	if s.NotModified {
		makeConditional(request, full.Header())
		return handler, request, 0
	}
	return handler, request, int64(full.Body.Len())
}

func decode(w *httptest.ResponseRecorder) ([]byte, error) {
	if w.Header().Get("Content-Encoding") == "" {
		return w.Body.Bytes(), nil
	}
	r, err := gzip.NewReader(bytes.NewReader(w.Body.Bytes()))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// makeConditional falls back to the date as http.FileServer has no tag of its own.
func makeConditional(r *http.Request, full http.Header) {
	if tag := full.Get("Etag"); tag != "" {
		r.Header.Set("If-None-Match", tag)
		return
	}
	r.Header.Set("If-Modified-Since", full.Get("Last-Modified"))
}

func measure(b *testing.B, handler http.Handler, request *http.Request, s inputs.Scenario, size int64) {
	status := http.StatusOK
	if s.NotModified {
		status = http.StatusNotModified
	}
	b.ReportAllocs()
	b.SetBytes(size)
	w := newDiscard()
	for b.Loop() {
		w.reset()
		handler.ServeHTTP(w, request)
		if w.status != status || w.bytes != size {
			b.Fatalf("status %d and %d bytes, want %d and %d", w.status, w.bytes, status, size)
		}
	}
}

// TestPrepare lets plain tests notice what would make the benchmarks fail.
func TestPrepare(t *testing.T) {
	dir := write(t)
	for _, s := range scenarios() {
		for _, name := range handlersOf(s) {
			handler, request, size := prepare(t, name, dir, s)
			w := newDiscard()
			handler.ServeHTTP(w, request)
			if want := map[bool]int{false: 200, true: 304}[s.NotModified]; w.status != want || w.bytes != size {
				t.Errorf("%s of %s: status %d and %d bytes, want %d and %d", s.Name, name, w.status, w.bytes, want, size)
			}
		}
	}
}
