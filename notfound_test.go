package servery_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"

	"servery"
	"servery/internal/testkit"
)

// errorPage is a page of one's own, which says what it was asked and with which fields set.
var errorPage = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	before := fmt.Sprint(w.Header())
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(http.StatusNotFound)
	fmt.Fprintf(w, "<p>%s %s, %s", r.Method, r.URL.Path, before)
})

func TestNotFound(t *testing.T) {
	files := refusingFS{fstest.MapFS{
		"app.html": {Data: []byte(pageOfApp)}, "file.txt": {Data: []byte("file")}, "empty/x/y": {Data: []byte("y")}, ".secret": {Data: []byte("s")},
	}, map[string]error{"locked": http.ErrNotSupported}}
	inner := servery.FileServer(files, &servery.FileServerOptions{Fallback: "app.html", NotFound: errorPage})
	server := testkit.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("outer") {
			w.Header()["Vary"] = []string{"Cookie"}
			w.Header().Set("ETag", `"outer"`)
		}
		inner.ServeHTTP(w, r)
	}))
	for _, tt := range []struct {
		method, target, accept string
		status                 int
		vary, body, reason     string
	}{
		{"GET", "/gone", "Accept: */*", 404, "Accept", "<p>GET /gone, map[Vary:[Accept]]", "the Fallback would have answered others"},
		{"GET", "/gone", navigation, 200, "Accept", pageOfApp, "the Fallback comes first"},
		{"GET", "/gone.js", navigation, 404, "", "<p>GET /gone.js, map[]", "no Fallback, nothing set"},
		{"HEAD", "/gone.js", navigation, 404, "", "", "HEAD has no body, whatever is written"},
		{"GET", "/empty/", "Accept: */*", 404, "Accept", "<p>GET /empty/, map[Vary:[Accept]]", "a folder without an index"},
		{"GET", "/.secret", "Accept: */*", 404, "", "<p>GET /.secret, map[]", "a hidden name"},
		{"GET", "/a%2fb", "Accept: */*", 404, "", "<p>GET /a/b, map[]", "a malformed path"},
		{"GET", "/locked", "Accept: */*", 500, "", "500 Internal Server Error\n", "another error is not its concern"},
		{"GET", "/file.txt", "Accept: */*", 200, "", "file", "what is there is served"},
		{"GET", "/empty", "Accept: */*", 301, "", "", "redirects stay"},
		{"GET", "/file.txt", "If-Match: \"x\"", 412, "", "412 Precondition Failed\n", "nor is a condition"},
		{"POST", "/gone", "Accept: */*", 405, "", "405 Method Not Allowed\n", "what is not read is not looked for"},
		{"OPTIONS", "/gone", "Accept: */*", 204, "", "", "OPTIONS asks for no file"},
	} {
		got := server.Do(tt.method, tt.target, tt.accept)
		if got.Status != tt.status || got.Header.Get("Vary") != tt.vary || string(got.Body) != tt.body {
			t.Errorf("%s %s %s, %s: got\n%s%s\nwant %d, Vary %q, %q",
				tt.method, tt.target, tt.accept, tt.reason, got.Head, got.Body, tt.status, tt.vary, tt.body)
		}
	}
	const set = `map[Etag:["outer"] Vary:[Cookie, Accept]]`
	response, err := http.Get("http://" + server.Addr + "/gone?outer") // an ETag on an error is the application's affair, and no rule of ours
	if err != nil {
		t.Fatal(err)
	}
	if body := readAll(t, response); body != "<p>GET /gone, "+set {
		t.Errorf("got %q, want the header as outer code left it, %s", body, set)
	}
}

// The handler sees the very request and the very writer, so that whatever it is made of works.
func TestNotFoundGetsTheRequestAsItIs(t *testing.T) {
	var seen *http.Request
	var writer http.ResponseWriter
	handler := servery.FileServer(fstest.MapFS{}, &servery.FileServerOptions{
		NotFound: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			seen, writer = r, w
			io.WriteString(w, "its own status")
		}),
	})
	r, w := httptest.NewRequest("GET", "/gone?x=1", nil), httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	if seen != r || writer != http.ResponseWriter(w) {
		t.Error("the handler got another request or writer")
	}
	if w.Code != 200 || w.Body.String() != "its own status" {
		t.Errorf("got %d %q, want what the handler wrote", w.Code, w.Body)
	}
}

// Compress around it compresses the page as that of any handler, and leaves the files and
// the other errors alone.
func TestNotFoundWithinCompress(t *testing.T) {
	page := realText(t, 4096)
	handler := servery.FileServer(fstest.MapFS{"file.txt": {Data: []byte(page)}}, &servery.FileServerOptions{
		Encoders: []servery.Encoder{servery.Gzip(1)}, Compressible: func(string) bool { return false },
		NotFound: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.WriteHeader(http.StatusNotFound)
			io.WriteString(w, page)
		}),
	})
	server := testkit.Serve(t, servery.Compress(nil)(handler))
	c := server.Dial()
	c.Send("GET", "/gone", "Accept-Encoding: gzip") // what Compress makes of an error is not among the rules for this library's own
	response := c.Read("GET")
	if response.Status != 404 || response.Header.Get("Content-Encoding") != "gzip" {
		t.Fatalf("got\n%swant a coded 404", response.Head)
	}
	plain, err := gzip.NewReader(bytes.NewReader(response.Body))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(plain); err != nil || string(text) != page {
		t.Errorf("the page comes out as %d bytes, %v", len(text), err)
	}
	if got := server.Get("/file.txt", "Accept-Encoding: gzip"); got.Header.Get("Content-Encoding") != "" || string(got.Body) != page {
		t.Errorf("a file that is not to be coded: got\n%s", got.Head)
	}
}
