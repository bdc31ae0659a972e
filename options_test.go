package servery_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"servery"
	"servery/internal/testkit"
)

func TestValidate(t *testing.T) {
	for _, tt := range []struct {
		options *servery.FileServerOptions
		names   string // what the error says, "" for none
	}{
		{nil, ""},
		{&servery.FileServerOptions{}, ""},
		{&servery.FileServerOptions{Index: []string{"a.html", ".b"}, SmallFileBuffer: -1, ContentETagMax: -1, Ranges: -1}, ""},
		{&servery.FileServerOptions{SmallFileBuffer: 1 << 20}, ""},
		{&servery.FileServerOptions{SmallFileBuffer: 1<<20 + 1}, "SmallFileBuffer: 1048577"},
		{&servery.FileServerOptions{Index: []string{""}}, `Index: ""`},
		{&servery.FileServerOptions{Index: []string{"a/b"}}, `Index: "a/b"`},
		{&servery.FileServerOptions{Index: []string{".."}}, `Index: ".."`},
		{&servery.FileServerOptions{Index: []string{"."}}, `Index: "."`},
		{&servery.FileServerOptions{Fallback: "app/index.html", FallbackExtensions: true}, ""},
		{&servery.FileServerOptions{Fallback: "."}, `Fallback: "."`},
		{&servery.FileServerOptions{Fallback: "/index.html"}, `Fallback: "/index.html"`},
		{&servery.FileServerOptions{Fallback: "app/"}, `Fallback: "app/"`},
		{&servery.FileServerOptions{Fallback: "../x"}, `Fallback: "../x"`},
		{&servery.FileServerOptions{MediaTypes: map[string]string{"md": "text/plain"}}, `MediaTypes: "md"`},
		{&servery.FileServerOptions{MediaTypes: map[string]string{".md": "plain"}}, `MediaTypes: "plain"`},
	} {
		err := tt.options.Validate()
		if tt.names == "" && err != nil || tt.names != "" && (err == nil || !strings.HasPrefix(err.Error(), "servery: "+tt.names)) {
			t.Errorf("Validate(%+v): %v, want one that names %q", tt.options, err, tt.names)
		}
		panicked := panicOf(func() { servery.FileServer(fstest.MapFS{}, tt.options) })
		if err != nil && panicked != err.Error() || err == nil && panicked != nil {
			t.Errorf("FileServer(%+v) panics with %v, want %v", tt.options, panicked, err)
		}
	}
	if got := panicOf(func() { servery.FileServer(nil, nil) }); got != "servery: FileServer: root is nil" {
		t.Errorf("FileServer(nil) panics with %v", got)
	}
	if got := panicOf(func() { servery.FileServer((*servery.Dir)(nil), nil) }); got != "servery: FileServer: root is nil" {
		t.Errorf("FileServer of a nil *Dir panics with %v", got)
	}
}

func TestImmutableRefuses(t *testing.T) {
	for _, prefixes := range [][]string{{""}, {"/assets/"}, {"assets/", ""}} {
		if got := panicOf(func() { servery.Immutable(prefixes...) }); got == nil {
			t.Errorf("Immutable(%q) goes unnoticed", prefixes)
		}
	}
}

func panicOf(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

func TestOptionsAreCopied(t *testing.T) {
	options := &servery.FileServerOptions{
		Index:      []string{"one.html"},
		MediaTypes: map[string]string{".own": "text/one"},
	}
	handler := servery.FileServer(fstest.MapFS{
		"one.html": {Data: []byte("one")}, "two.html": {Data: []byte("two")}, "x.own": {Data: []byte("x")},
	}, options)
	options.Index[0] = "two.html"
	options.MediaTypes[".own"] = "text/two"
	options.Ranges = -1
	get := func(target string) *httptest.ResponseRecorder {
		recorder := httptest.NewRecorder()
		request := httptest.NewRequest("GET", target, nil)
		handler.ServeHTTP(recorder, request)
		testkit.LintRecorded(t, request, recorder, testkit.Lint)
		return recorder
	}
	if got := get("/").Body.String(); got != "one" {
		t.Errorf("index %q, want that of the options when the handler was made", got)
	}
	if got := get("/x.own").Header(); got.Get("Content-Type") != "text/one; charset=utf-8" || got.Get("Accept-Ranges") == "" {
		t.Errorf("fields %v, want those of the options when the handler was made", got)
	}
}

// More ranges than are allowed get the whole file (RFC 9110, section 17.15).
func TestRangesOption(t *testing.T) {
	text := realText(t, 1000)
	for _, tt := range []struct {
		option int
		field  string
		status int
	}{
		{0, "bytes=0-1", 206},
		{0, "bytes=" + strings.Repeat("0-1,", 15) + "0-1", 206},
		{0, "bytes=" + strings.Repeat("0-1,", 16) + "0-1", 200},
		{1, "bytes=0-1", 206},
		{1, "bytes=0-1,2-3", 200},
		{20, "bytes=" + strings.Repeat("0-1,", 19) + "0-1", 206},
		{-1, "bytes=0-1", 200},
	} {
		server, _ := serveTree(t, map[string]string{"file.txt": text}, &servery.FileServerOptions{Ranges: tt.option})
		got := server.Get("/file.txt", "Range: "+tt.field)
		if got.Status != tt.status || (got.Header.Get("Accept-Ranges") == "bytes") != (tt.option >= 0) {
			t.Errorf("Ranges %d, %s: got\n%s, want %d", tt.option, tt.field, got.Head, tt.status)
		}
	}
}
