package servery_test

import (
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	"servery/internal/testkit"
)

// http.ServeContent does validators and ranges by itself, and knows nothing of the
// coded form.
func TestCompressServeContent(t *testing.T) {
	text := realText(t, 100_000)
	server := serveInside(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Etag", `"v1"`)
		http.ServeContent(w, r, "app.js", testkit.Past, strings.NewReader(text))
	}))
	whole := seen{200, "gzip", true, `"v1-gz6.1"`, text}
	plain := seen{200, "", true, `"v1"`, text}
	for _, tt := range []struct {
		method string
		fields []string
		want   seen
		reason string
	}{
		{"GET", []string{acceptGzip}, whole, "coded, with a tag of its own"},
		{"GET", []string{"Accept-Encoding: gzip, zstd"}, seen{200, "zstd", true, `"v1-zst3.1"`, text}, "the server's first choice"},
		{"GET", nil, plain, "not wanted"},
		{"HEAD", []string{acceptGzip}, seen{200, "gzip", true, `"v1-gz6.1"`, ""}, "as the GET would be"},
		{"HEAD", nil, seen{200, "", true, `"v1"`, ""}, "as the GET would be"},
		{"GET", []string{acceptGzip, "Range: bytes=10-19"}, seen{206, "", true, `"v1"`, text[10:20]}, "parts are plain"},
		{"GET", []string{acceptGzip, "Range: bytes=10-19", `If-Range: "v1"`}, seen{206, "", true, `"v1"`, text[10:20]}, "of what the client has"},
		{"GET", []string{acceptGzip, "Range: bytes=10-19", `If-Range: "v1-gz6.1"`}, whole, "there are no parts of the coded form"},
		{"GET", []string{"Range: bytes=10-19", `If-Range: "v1-gz6.1"`}, plain, "nor for who does not want it any more"},
		{"GET", []string{acceptGzip, "Range: bytes=10-19", `If-Range: "v0"`}, plain, "a request for a part, if in vain"},
		{"GET", []string{acceptGzip, `If-None-Match: "v1-gz6.1"`}, seen{304, "", true, `"v1-gz6.1"`, ""}, "the tag that the client holds"},
		{"GET", []string{acceptGzip, `If-None-Match: W/"v1-gz6.1"`}, seen{304, "", true, `"v1-gz6.1"`, ""}, "weakened on its way"},
		{"GET", []string{acceptGzip, `If-None-Match: "a"`, `If-None-Match: "b", "v1-gz6.1"`}, seen{304, "", true, `"v1-gz6.1"`, ""}, "one of a list"},
		{"HEAD", []string{acceptGzip, `If-None-Match: "v1-gz6.1"`}, seen{304, "", true, `"v1-gz6.1"`, ""}, "as the GET would be"},
		{"GET", []string{`If-None-Match: "v1-gz6.1"`}, plain, "a form that is not wanted any more"},
		{"GET", []string{"Accept-Encoding: zstd", `If-None-Match: "v1-gz6.1"`}, seen{200, "zstd", true, `"v1-zst3.1"`, text}, "another form is wanted now"},
		{"GET", []string{acceptGzip, `If-None-Match: "v2-gz6.1"`}, whole, "an older version"},
		{"GET", []string{acceptGzip, `If-Match: "v1-gz6.1"`}, whole, "unchanged"},
	} {
		got := server.Do(tt.method, "/", tt.fields...)
		wantSeen(t, got, tt.want, fmt.Sprintf("%s %q, %s", tt.method, tt.fields, tt.reason))
		length := got.Header.Get("Content-Length")
		if tt.want.coding == "" && tt.want.status == 200 && (length != strconv.Itoa(len(text)) || got.Header.Get("Accept-Ranges") != "bytes") {
			t.Errorf("%s %q: %s: got\n%s, want length and Accept-Ranges of the handler", tt.method, tt.fields, tt.reason, got.Head)
		}
		if tt.method == "HEAD" && tt.want.coding != "" && length != "" {
			t.Errorf("%s %q: Content-Length %s, want none of what was not coded", tt.method, tt.fields, length)
		}
	}
}

// Failures keep their status and say nothing about codings.
func TestCompressServeContentRefuses(t *testing.T) {
	text := realText(t, 100_000)
	server := serveInside(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Etag", `"v1"`)
		http.ServeContent(w, r, "app.js", testkit.Past, strings.NewReader(text))
	}))
	for _, tt := range []struct {
		field  string
		status int
		reason string
	}{
		{`If-Match: "v2"`, 412, "another version"},
		{`If-Match: "v2-gz6.1"`, 412, "another version's coded form"},
		{"If-Unmodified-Since: Mon, 01 Jan 2001 00:00:00 GMT", 412, "changed since"},
		{"Range: bytes=100000-", 416, "beyond the end"},
	} {
		got := asIs(server, "GET", "/", acceptGzip, tt.field)
		if got.Status != tt.status || got.Err != nil || got.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s, %s: got\n%s, want %d without a coding", tt.field, tt.reason, got.Head, tt.status)
		}
	}
}

// http.FileServer knows no tags, only dates, and has listings and errors of its own.
func TestCompressFileServer(t *testing.T) {
	text := realText(t, 100_000)
	files := map[string]string{
		"app.js": text, "small.txt": text[:500], "image.png": text, "site/index.html": "<!doctype html>" + text, "empty.txt": "",
	}
	for i := range 50 {
		files[fmt.Sprintf("many/file-%02d-with-a-longer-name.txt", i)] = ""
	}
	path := testkit.Tree(t, files)
	for name, handler := range map[string]http.Handler{
		"Dir": http.FileServer(http.Dir(path)),
		"FS":  http.FileServerFS(os.DirFS(path)),
	} {
		t.Run(name, func(t *testing.T) {
			server := serveInside(t, handler)
			date := "If-Modified-Since: " + testkit.Past.Format(http.TimeFormat)
			for _, tt := range []struct {
				target, field string
				want          seen
				reason        string
			}{
				{"/app.js", acceptGzip, seen{200, "gzip", true, "", text}, "without a tag, as the handler left it"},
				{"/site/", acceptGzip, seen{200, "gzip", true, "", "<!doctype html>" + text}, "an index"},
				{"/app.js", "Range: bytes=-10", seen{206, "", true, "", text[len(text)-10:]}, "parts are plain"},
				{"/app.js", "Accept: */*", seen{200, "", true, "", text}, "not wanted"},
				{"/small.txt", acceptGzip, seen{200, "", false, "", text[:500]}, "too small to be coded for anybody"},
				{"/empty.txt", acceptGzip, seen{200, "", false, "", ""}, "empty bodies stay empty"},
				{"/image.png", acceptGzip, seen{200, "", false, "", text}, "coded already"},
			} {
				wantSeen(t, server.Get(tt.target, tt.field), tt.want, tt.target+", "+tt.reason)
			}
			if got := server.Get("/app.js", acceptGzip, date); got.Status != 304 || got.Header.Get("Last-Modified") == "" {
				t.Errorf("%s: got\n%s, want 304 with the date", date, got.Head)
			}
			list := server.Get("/many/", acceptGzip)
			if body := decoded(t, list.Header.Get("Content-Encoding"), list.Body); list.Header.Get("Content-Encoding") != "gzip" || strings.Count(body, "<a href=") != 50 {
				t.Errorf("listing: %q with the head\n%s, want 50 links in gzip", body, list.Head)
			}
			if got := asIs(server, "GET", "/missing", acceptGzip); got.Status != 404 || string(got.Body) != "404 page not found\n" {
				t.Errorf("missing: %q with the head\n%s, want net/http's 404", got.Body, got.Head)
			}
			if got := server.Get("/many", acceptGzip); got.Status != 301 || got.Header.Get("Location") != "many/" || got.Header.Get("Vary") != "" {
				t.Errorf("without its slash: got\n%s, want the redirect untouched", got.Head)
			}
		})
	}
}
