package servery_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"servery"
	"servery/internal/testkit"
)

// boundary is what differs from one answer in parts to the next.
var boundary = regexp.MustCompile("[A-Z2-7]{26}")

// said is all of an answer but what differs from one to the next.
func said(got testkit.Response) string {
	text := undated(got) + string(got.Body)
	if got.Status == http.StatusPartialContent {
		text = boundary.ReplaceAllString(text, "boundary")
	}
	return text
}

// whims is outer code that sets fields of some answers, as the request asks.
func whims(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, values := range r.URL.Query() {
			w.Header()[name] = values
		}
		next.ServeHTTP(w, r)
		for name, values := range w.Header() { // it may do with them what it likes
			for i := range values {
				values[i] = "spoiled"
			}
			w.Header()[name] = append(values, "spoiled")
		}
	})
}

// hotTree has a file of every kind that is treated in its own way.
func hotTree(t *testing.T) map[string]string {
	t.Helper()
	text := realText(t, 50_000)
	return map[string]string{
		"small.txt": text[:1500], "empty.txt": "", "unnamed": "<!DOCTYPE html><title>sniffed</title>", "noise": incompressible(2000),
		"medium.txt": text[:50_000], "own.type": text[:3000],
		"index.html": "<p>root", "docs/index.html": text[:2000], "docs/page.html": text[:20_000], "docs/deep/.index": text[:1200],
		"empty/": "", "folder/index.html/": "", "folder/default.html": "<p>the second name",
		"small.txt.gz": packed(t, "gzip", text[:1500]), "medium.txt.gz": packed(t, "gzip", text[:50_000]),
		"docs/page.html.gz": "not what it says",
	}
}

// hotRequests are all requests for the tree that may meet what is remembered of it.
func hotRequests() (requests [][]string) {
	targets := []string{"/", "/folder", "/folder/", "/docs", "/docs/", "/docs/index.html", "/docs/deep/", "/docs/deep/.index",
		"/empty/", "/small.txt/", "/missing.txt", "/small.txt?Content-Type=text/x-own", "/unnamed?Content-Type=",
		"/unnamed?Content-Type=image/png", "/small.txt?Cache-Control=private", "/small.txt?Vary=Cookie&Etag=%22own%22"}
	for name := range strings.SplitSeq("small.txt empty.txt unnamed noise medium.txt own.type docs/page.html small.txt.gz medium.txt.gz", " ") {
		targets = append(targets, "/"+name)
	}
	for _, target := range targets {
		for _, fields := range []string{
			"", acceptGzip, "Accept-Encoding: zstd, gzip;q=0.5", "Accept-Encoding: identity;q=0", "If-None-Match: *", `If-None-Match: "another"`,
			`If-Match: "another"`, "If-Modified-Since: Fri, 01 Mar 2024 12:00:00 GMT", "If-Unmodified-Since: Fri, 01 Mar 2024 11:00:00 GMT",
			"Range: bytes=0-9", "Range: bytes=5-9,20-29", "Range: bytes=-1", "Range: bytes=99999999-",
			"Range: bytes=3-7\r\nIf-Range: Fri, 01 Mar 2024 12:00:00 GMT", "Range: bytes=3-7\r\n" + acceptGzip,
		} {
			requests = append(requests, []string{"GET", target, fields}, []string{"HEAD", target, fields})
		}
	}
	return requests
}

// Whatever was asked before, and in whatever order, what is remembered changes no answer.
func TestRememberedFilesChangeNoAnswer(t *testing.T) {
	path := testkit.Tree(t, hotTree(t))
	perName := func(name string) string { return "max-age=" + fmt.Sprint(len(name)) }
	types := map[string]string{".type": "text/x-own; charset=utf-8"}
	for _, tt := range []struct {
		options servery.FileServerOptions
		reason  string
	}{
		{servery.FileServerOptions{}, "the defaults"},
		{servery.FileServerOptions{CacheControl: perName, MediaTypes: types, Sidecars: []string{"gzip"}, Index: []string{"index.html", "default.html"}},
			"policies by name, own types, sidecars that are files, too"},
		{servery.FileServerOptions{NoRedirect: true, Index: []string{".index", "index.html"}, Encoders: []servery.Encoder{}}, "a hidden index, nothing coded"},
		{servery.FileServerOptions{SmallFileBuffer: -1, ContentETagMax: -1, Sidecars: []string{"gzip"}}, "nothing in memory, no tags of content"},
		{servery.FileServerOptions{SmallFileBuffer: 1 << 20, ContentETagMax: 1000, Ranges: -1}, "much in memory, few tags of content"},
		{servery.FileServerOptions{HotBytes: 1}, "room for nothing"},
		{servery.FileServerOptions{HotBytes: 5000, SmallFileBuffer: 1500, ShowHidden: true}, "room for few"},
	} {
		without := tt.options
		without.HotBytes = -1
		hot := testkit.Serve(t, whims(servery.FileServer(openDir(t, path), &tt.options))).Dial()
		cold := testkit.Serve(t, whims(servery.FileServer(openDir(t, path), &without))).Dial()
		requests, order := hotRequests(), rand.New(rand.NewPCG(1, 2))
		for range 2 {
			order.Shuffle(len(requests), func(i, j int) { requests[i], requests[j] = requests[j], requests[i] })
			for _, request := range requests[:scaled(len(requests))] {
				got := said(hot.Do(request[0], request[1], fieldsIn(request[2])...))
				if want := said(cold.Do(request[0], request[1], fieldsIn(request[2])...)); got != want {
					t.Fatalf("%s: %q: got\n%.2000s\nwant what is said where nothing is remembered:\n%.2000s", tt.reason, request, got, want)
				}
			}
		}
	}
}

func fieldsIn(lines string) []string {
	if lines == "" {
		return nil
	}
	return strings.Split(lines, "\r\n")
}
