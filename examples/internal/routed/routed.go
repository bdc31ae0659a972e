// Package routed tests the examples that put servery into somebody else's router: files
// below /files/ and an API below /api/ have to answer as they would in a mux.
package routed

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"strings"
	"testing"

	"servery/internal/testkit"
)

// Check runs a program whose -dir is served below /files/, and whose /api/items/7 is JSON
// that is worth a coding and begins with {"id":"7".
func Check(t *testing.T, run func(context.Context, []string, io.Writer) error) {
	text := strings.Repeat("It was the best of times.\n", 1000)
	dir := testkit.Tree(t, map[string]string{"text.txt": text, "docs/index.html": "<p>docs", "index.html": "<p>root"})
	p := testkit.Start(t, 1, run, "-dir", dir, "-addr", "127.0.0.1:0")
	conn := testkit.Connect(t, strings.TrimPrefix(p.URLs[0], "http://")).Dial()
	const accept = "Accept-Encoding: gzip"
	tag := conn.Do("GET", "/files/text.txt", accept).Header.Get("Etag")
	for _, tt := range []struct {
		method, target string
		fields         []string
		status         int
		name, value    string // of a field
		body           string // decoded, or its beginning
		reason         string
	}{
		{"GET", "/files/text.txt", []string{accept}, 200, "Content-Encoding", "gzip", text, "a file is compressed"},
		{"GET", "/files/text.txt", nil, 200, "Content-Encoding", "", text, "not for who does not accept it"},
		{"GET", "/files/text.txt", []string{accept, "If-None-Match: " + tag}, 304, "Etag", tag, "", "its tag is its own"},
		{"GET", "/files/text.txt", []string{accept, "Range: bytes=7-9"}, 206, "Content-Encoding", "", text[7:10], "parts are plain"},
		{"HEAD", "/files/text.txt", []string{accept}, 200, "Etag", tag, "", "the router lets HEAD through"},
		{"POST", "/files/text.txt", nil, 405, "Allow", "GET, HEAD, OPTIONS", "", "the FileServer, or its router, answers other methods"},
		{"GET", "/files/docs", nil, 301, "Location", "./docs/", "", "a redirect is right behind a prefix"},
		{"GET", "/files/docs/", nil, 200, "Content-Encoding", "", "<p>docs", "an index"},
		{"GET", "/files/", nil, 200, "Content-Encoding", "", "<p>root", "that of the root"},
		{"GET", "/files/missing", nil, 404, "Etag", "", "", "not found"},
		{"GET", "/api/items/7", []string{accept}, 200, "Content-Encoding", "gzip", `{"id":"7"`, "JSON is compressed"},
		{"GET", "/api/items/7", nil, 200, "Content-Encoding", "", `{"id":"7"`, "not for who does not accept it"},
	} {
		conn.Send(tt.method, tt.target, tt.fields...)
		got := conn.Read(tt.method) // not by the rules of a FileServer: routers answer in their own way
		plain, err := decoded(got)
		if err != nil || got.Status != tt.status || !strings.HasPrefix(plain, tt.body) {
			t.Errorf("%s %s %q: status %d, %d bytes %.40q, error %v, want %d, %.40q: %s",
				tt.method, tt.target, tt.fields, got.Status, len(plain), plain, err, tt.status, tt.body, tt.reason)
		}
		if value := got.Header.Get(tt.name); value != tt.value {
			t.Errorf("%s %s %q: %s is %q, want %q: %s", tt.method, tt.target, tt.fields, tt.name, value, tt.value, tt.reason)
		}
	}
}

// decoded is the body without gzip, if it has that.
func decoded(r testkit.Response) (string, error) {
	if r.Err != nil || len(r.Body) == 0 || r.Header.Get("Content-Encoding") != "gzip" {
		return string(r.Body), r.Err
	}
	unzip, err := gzip.NewReader(bytes.NewReader(r.Body))
	if err != nil {
		return "", err
	}
	plain, err := io.ReadAll(unzip)
	return string(plain), err
}
