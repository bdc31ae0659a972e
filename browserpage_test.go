//go:build unix

package servery_test

import (
	"bytes"
	"encoding/binary"
	"net/http"
	"os"
	"path/filepath"
	"slices"
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
	ranged      bool // with Range
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
		conditional: w.request.Header.Get("If-None-Match") != "", ranged: w.request.Header.Get("Range") != "",
	}
	w.traffic.mu.Lock()
	w.traffic.exchanges = append(w.traffic.exchanges, noted)
	w.traffic.mu.Unlock()
	w.ResponseWriter.WriteHeader(status)
}

// tinyModule is a WebAssembly module that exports add, for two numbers of 32 bits.
const tinyModule = "\x00asm\x01\x00\x00\x00" + "\x01\x07\x01\x60\x02\x7f\x7f\x01\x7f" + "\x03\x02\x01\x00" +
	"\x07\x07\x01\x03add\x00\x00" + "\x0a\x09\x01\x07\x00\x20\x00\x20\x01\x6a\x0b"

// silence is a WAV file of so many seconds, 8,000 samples of one byte each.
func silence(seconds int) string {
	const rate = 8000
	var b bytes.Buffer
	b.WriteString("RIFF")
	binary.Write(&b, binary.LittleEndian, uint32(36+seconds*rate))
	b.WriteString("WAVEfmt ")
	binary.Write(&b, binary.LittleEndian, []uint16{16, 0, 1, 1, rate, 0, rate, 0, 1, 8})
	b.WriteString("data")
	binary.Write(&b, binary.LittleEndian, uint32(seconds*rate))
	b.Write(bytes.Repeat([]byte{0x80}, seconds*rate))
	return b.String()
}

// appPage is what the page of testdata/browser/app reports.
type appPage struct {
	Error, Lib, Hashed, Classic, Color string

	Image, Sum int
	Sound      [2]float64 // duration, and where it was sought to
}

// A page gets its style sheet, scripts, modules, picture, WebAssembly and sound,
// each of which the browser takes with the right type only. When it is loaded
// again everything is asked for with its tag and answered with 304, but for what
// is immutable, and the page is the same.
func TestBrowserReload(t *testing.T) {
	const hour = 3600 // seconds: more than a browser loads in advance
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/browser/app")); err != nil {
		t.Fatal(err)
	}
	testkit.Write(t, filepath.Join(dir, "add.wasm"), tinyModule)
	testkit.Write(t, filepath.Join(dir, "sound.wav"), silence(hour))
	testkit.Settle()
	inner := servery.FileServer(openDir(t, dir), &servery.FileServerOptions{CacheControl: servery.Immutable("assets/")})
	files := &traffic{inner: testkit.LintServed(t, inner, testkit.Lint)}
	next := browse(t, "app.html", map[string]http.Handler{"/app/": http.StripPrefix("/app", files)})

	want := appPage{
		Lib: "lib", Hashed: "hashed", Classic: "é, which needs the charset",
		Color: "rgb(1, 2, 3)", Image: 123, Sum: 42, Sound: [2]float64{hour, 3000},
	}
	assets := []string{"/", "/add.wasm", "/classic.js", "/image.svg", "/lib.js", "/main.mjs", "/style.css"}
	for load, status := range []int{http.StatusOK, http.StatusNotModified} {
		var got appPage
		next(&got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("load %d (-want +got):\n%s", load, diff)
		}
		expected := slices.Clone(assets)
		if load == 0 {
			expected = append(expected, "/assets/hashed-0badcafe.js")
		}
		checkTraffic(t, files.take(), expected, status)
	}
}

// checkTraffic checks that each of the assets was answered once with status, and
// the sound in ranges.
func checkTraffic(t *testing.T, exchanges []exchange, assets []string, status int) {
	t.Helper()
	var got []string
	partial := 0
	for _, e := range exchanges {
		switch {
		case e.path == "/sound.wav":
			if e.ranged && e.status == http.StatusPartialContent {
				partial++
			}
		case e.status != status || e.conditional != (status == http.StatusNotModified):
			t.Errorf("got %+v, want status %d", e, status)
		default:
			got = append(got, e.path)
		}
	}
	slices.Sort(got)
	slices.Sort(assets)
	if diff := cmp.Diff(assets, got); diff != "" {
		t.Errorf("answered with %d (-want +got):\n%s", status, diff)
	}
	if partial < 2 {
		t.Errorf("the sound came in %d ranges, want one from its beginning and one from where it was sought to", partial)
	}
}

// What published packages were built to, at work in a browser: style sheets with
// the fonts that they name, scripts, modules, WebAssembly.
func TestBrowserPackages(t *testing.T) {
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
