package bench

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
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

// BenchmarkHandler has names for benchstat: -col /peer sets the peers side by
// side.
func BenchmarkHandler(b *testing.B) {
	dir := b.TempDir()
	if err := inputs.Write(dir, inputs.Scenarios()); err != nil {
		b.Fatal(err)
	}
	for _, s := range inputs.Scenarios() {
		for _, name := range []string{"ceiling", "servery", "nethttp"} {
			b.Run(fmt.Sprintf("scenario=%s/peer=%s", s.Name, name), func(b *testing.B) {
				handler, request := prepare(b, name, dir, s)
				measure(b, handler, request, s)
			})
		}
	}
}

// prepare returns a handler that has been seen to answer the request rightly.
func prepare(tb testing.TB, name, dir string, s inputs.Scenario) (http.Handler, *http.Request) {
	tb.Helper()
	peer, err := peers.ByName(name)
	if err != nil {
		tb.Fatal(err)
	}
	handler, err := peer.Handler(dir)
	if err != nil {
		tb.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(s.Path)))
	if err != nil {
		tb.Fatal(err)
	}
	request := httptest.NewRequest(http.MethodGet, "/"+s.Path, nil)
	full := httptest.NewRecorder()
	handler.ServeHTTP(full, request)
	if full.Code != http.StatusOK || !bytes.Equal(full.Body.Bytes(), content) {
		tb.Fatalf("%s: status %d, or the body is not the file", name, full.Code)
	}
	if s.NotModified {
		makeConditional(request, full.Header())
	}
	return handler, request
}

// makeConditional falls back to the date as http.FileServer has no tag of its own.
func makeConditional(r *http.Request, full http.Header) {
	if tag := full.Get("Etag"); tag != "" {
		r.Header.Set("If-None-Match", tag)
		return
	}
	r.Header.Set("If-Modified-Since", full.Get("Last-Modified"))
}

func measure(b *testing.B, handler http.Handler, request *http.Request, s inputs.Scenario) {
	status, size := http.StatusOK, int64(s.Size)
	if s.NotModified {
		status, size = http.StatusNotModified, 0
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
	dir := t.TempDir()
	if err := inputs.Write(dir, inputs.Scenarios()); err != nil {
		t.Fatal(err)
	}
	for _, s := range inputs.Scenarios() {
		for _, name := range []string{"ceiling", "servery", "nethttp"} {
			handler, request := prepare(t, name, dir, s)
			w := newDiscard()
			handler.ServeHTTP(w, request)
			if s.NotModified && (w.status != http.StatusNotModified || w.bytes != 0) {
				t.Errorf("%s of %s: status %d and %d bytes, want 304 and none", s.Name, name, w.status, w.bytes)
			}
			if !s.NotModified && (w.status != http.StatusOK || w.bytes != int64(s.Size)) {
				t.Errorf("%s of %s: status %d and %d bytes, want 200 and %d", s.Name, name, w.status, w.bytes, s.Size)
			}
		}
	}
}
