//go:build unix

package servery_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servery"
	"servery/internal/testkit"
)

// --compressed asks for every coding that curl knows and undoes what it gets, and
// keeps the tag for the next time.
func TestCompressCurl(t *testing.T) {
	text := realText(t, 100_000)
	server := serveInside(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Etag", `"v1"`)
		http.ServeContent(w, r, "app.js", testkit.Past, strings.NewReader(text))
	}))
	url, dir := "http://"+server.Addr+"/", t.TempDir()
	tag, body := filepath.Join(dir, "tag"), filepath.Join(dir, "body")
	got := curlOK(t, "--compressed", "--fail", "--dump-header", "-", "--etag-save", tag, "--output", body, url)
	if plain := readFile(t, body); plain != text {
		t.Errorf("%d bytes that are not the handler's %d", len(plain), len(text))
	}
	if !strings.Contains(got, "\r\nContent-Encoding: ") || !strings.Contains(got, "\r\nVary: Accept-Encoding") {
		t.Errorf("got the head\n%s\nwant a coding and Vary", got)
	}
	again := curlOK(t, "--compressed", "--etag-compare", tag, "--output", body, "--write-out", "%{http_code}", url)
	if again != "304" || readFile(t, body) != text {
		t.Errorf("with %q: got %s, want 304 and the file as it was", readFile(t, tag), again)
	}
	posted := curlOK(t, "--compressed", "--fail", "--form", "file=@"+body, "--form", "name=value", "--output", body, url)
	if plain := readFile(t, body); posted != "" || plain != text {
		t.Errorf("after a form %d bytes that are not the handler's %d", len(plain), len(text))
	}
	code := curlOK(t, "--compressed", "--http1.0", "--fail", "--output", body, "--write-out", "%{http_code}", url)
	if plain := readFile(t, body); code != "200" || plain != text {
		t.Errorf("by HTTP/1.0: %s, %d bytes that are not the handler's %d", code, len(plain), len(text))
	}
}

// steps is a stream each line of which the client asks for.
type steps struct {
	contentType string
	goOn        <-chan struct{}
}

func (s steps) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", s.contentType)
	for i := range 5 {
		fmt.Fprintf(w, "data: line %d\n\n", i)
		http.NewResponseController(w).Flush()
		select {
		case <-s.goOn:
		case <-r.Context().Done():
			return
		}
	}
}

type compressList struct {
	Coding, Tag string
	Items       int
}

// compressPage is what the page of testdata/browser/compress.html reports.
type compressPage struct {
	Error         string
	First, Second compressList
	Stream        struct{ Coding, Text string }
	Events        []string
}

// A browser asks for the codings that it knows, revalidates what it has, and gets
// each line of a stream when it is flushed.
func TestCompressBrowser(t *testing.T) {
	const items = 1000
	list, err := json.Marshal(slices.Repeat([]string{"item"}, items))
	if err != nil {
		t.Fatal(err)
	}
	goOn := make(chan struct{})
	inside := servery.Compress(nil)
	answers := &traffic{inner: inside(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Etag", `"v1"`)
		http.ServeContent(w, r, "", testkit.Past, strings.NewReader(string(list)))
	}))}
	next := browse(t, "compress.html", map[string]http.Handler{
		"/list":   answers,
		"/lines":  inside(steps{"application/x-ndjson", goOn}),
		"/events": inside(steps{"text/event-stream", goOn}),
		"/go-on": inside(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			select {
			case goOn <- struct{}{}:
			case <-r.Context().Done():
			}
		})),
	})
	var got compressPage
	next(&got)
	coding := got.First.Coding
	if suffix := map[string]string{"gzip": "-gz6.1", "zstd": "-zst3.1"}[coding]; suffix == "" || got.First.Tag != `"v1`+suffix+`"` {
		t.Errorf("got first %+v, want a coding and its tag", got.First)
	}
	var want compressPage
	want.First = compressList{coding, got.First.Tag, items}
	want.Second = want.First // the browser's own copy
	want.Stream.Coding = coding
	for i := range 5 {
		want.Stream.Text += fmt.Sprintf("data: line %d\n\n", i)
		want.Events = append(want.Events, fmt.Sprintf("line %d", i))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	exchanges := answers.take()
	if len(exchanges) != 2 || exchanges[0].status != http.StatusOK || exchanges[1].status != http.StatusNotModified || !exchanges[1].conditional {
		t.Errorf("answered %+v, want 200 and then 304", exchanges)
	}
}
