package peers

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"servery/internal/bench/inputs"
)

// applicationSite has text of the given size in a folder for each way to write, and in
// one that is none.
func applicationSite(t *testing.T, size int) (Site, []byte) {
	t.Helper()
	s := Site{Dir: t.TempDir(), Level: inputs.DefaultLevel}
	text := bytes.Repeat([]byte("text of some length\n"), size/20+1)[:size]
	for _, folder := range []string{inputs.ByWrite, inputs.ByChunks, inputs.ByCopy, "other"} {
		if err := os.Mkdir(filepath.Join(s.Dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(s.Dir, folder, "a.txt"), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return s, text
}

// A tally notes the size of each write, negative for what came through ReadFrom.
type tally struct {
	httptest.ResponseRecorder
	writes []int
}

func (w *tally) Write(p []byte) (int, error) {
	w.writes = append(w.writes, len(p))
	return len(p), nil
}

func (w *tally) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(io.Discard, r)
	w.writes = append(w.writes, -int(n))
	return n, err
}

func TestApplication(t *testing.T) {
	const size = 2*chunk + 5
	s, _ := applicationSite(t, size)
	app, err := newApplication(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		path   string
		want   []int
		reason string
	}{
		{"/write/a.txt", []int{size}, "one Write"},
		{"/other/a.txt", []int{size}, "a folder without a meaning"},
		{"/chunks/a.txt", []int{chunk, chunk, 5}, "many Writes"},
		{"/copy/a.txt", []int{-size}, "the writer reads by itself"},
	} {
		var w tally
		app.ServeHTTP(&w, httptest.NewRequest(http.MethodGet, test.path, nil))
		if !slices.Equal(w.writes, test.want) || w.Header().Get("Content-Type") != "text/plain; charset=utf-8" || len(w.Header()) != 1 {
			t.Errorf("%s: writes of %v with %v, want %v: %s", test.path, w.writes, w.Header(), test.want, test.reason)
		}
	}
}

// TestMiddlewareSendsTheSame is what makes times comparable: all encode the same bytes
// to the same bytes, however they get them.
func TestMiddlewareSendsTheSame(t *testing.T) {
	for _, size := range []int{inputs.LeastCoded, 40 << 10, 1 << 20} {
		s, text := applicationSite(t, size)
		for _, path := range []string{"/write/a.txt", "/chunks/a.txt", "/copy/a.txt"} {
			want := coded(t, "ceiling-compress", s, path)
			if plain, err := gunzip(want); err != nil || !bytes.Equal(plain, text) {
				t.Fatalf("the ceiling sends %d bytes, %v, for %d of text", len(plain), err, size)
			}
			for _, name := range []string{"servery-compress", "gzhttp-compress", "httpcompression", "chi"} {
				if got := coded(t, name, s, path); !bytes.Equal(got, want) {
					t.Errorf("%s of %d bytes: %s sends %d bytes, the ceiling %d, or others", path, size, name, len(got), len(want))
				}
			}
		}
	}
}

// coded returns the body that the peer sends, but for its time.
func coded(t *testing.T, name string, s Site, path string) []byte {
	t.Helper()
	p, err := ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	handler, err := p.Handler(s)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Header.Set("Accept-Encoding", "gzip")
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	body := w.Body.Bytes()
	if len(body) > 8 {
		// The time of the header (RFC 1952, section 2.3.1): servery leaves it out, and
		// klauspost's gzip has a nonsensical one.
		clear(body[4:8])
	}
	return body
}
