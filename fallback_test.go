package servery_test

import (
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"servery"
	"servery/internal/testkit"
)

// navigation is what a browser says when it goes to a page.
const navigation = "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

const pageOfApp = "<!doctype html><title>app</title>"

// appTree is an application of one page with what else can be asked for.
func appTree() map[string]string {
	return map[string]string{
		"app.html": pageOfApp, "about.html": "about", "empty/": "", "docs/index.html": "docs", ".secret": "secret", "isdir/x": "",
	}
}

func TestFallback(t *testing.T) {
	server, dir := serveTree(t, appTree(), &servery.FileServerOptions{Fallback: "app.html"})
	for name, target := range map[string]string{"away": "/etc/passwd", "dangling": "nowhere", "loop": "loop"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	const page, miss, plain = "page", "404 that varies", "404 that does not"
	for _, tt := range []struct{ target, accept, want, reason string }{
		{"/users/7", navigation, page, "a route of the application"},
		{"/users/7?tab=1", navigation, page, "a query changes nothing"},
		{"/users/7/", navigation, page, "nor does a slash"},
		{"/", navigation, page, "the root without an index"},
		{"/empty/", navigation, page, "a folder without an index is not found otherwise"},
		{"/about.html/x", navigation, page, "below a file there is nothing"},
		{"/away", navigation, page, "a link that leaves looks like nothing"},
		{"/dangling", navigation, page, "a link to nothing"},
		{"/loop", navigation, page, "links in a circle"},
		{"/" + strings.Repeat("n", 300), navigation, page, "a name that nothing can have"},
		{"/.well-known/x", navigation, page, "is not hidden"},
		{"/users/7", "Accept: text/html;q=0.1", page, "any weight will do"},
		{"/users/7", "Accept: */*", miss, "a script that fetches"},
		{"/users/7", "X: y", miss, "no Accept at all"},
		{"/users/7", "Accept: text/html;q=0, */*", miss, "who refuses pages"},
		{"/users/7", "Accept: application/json", miss, "who wants something else"},
		{"/gone.js", navigation, plain, "an extension is that of a file"},
		{"/.secret", navigation, plain, "hidden and there"},
		{"/.nothing/x", navigation, plain, "hidden and not there"},
		{"/a%2fb", navigation, plain, "an encoded separator"},
		{"/a%00b", navigation, plain, "a control byte"},
		{"/a%5cb", navigation, plain, "a backslash"},
	} {
		got := server.Get(tt.target, tt.accept)
		want := map[string]string{
			page: "200 Accept " + pageOfApp, miss: "404 Accept 404 Not Found\n", plain: "404  404 Not Found\n",
		}[tt.want]
		if s := fmt.Sprintf("%d %s %s", got.Status, got.Header.Get("Vary"), got.Body); s != want {
			t.Errorf("%s, %s, %s: got %q, want %q", tt.target, tt.accept, tt.reason, s, want)
		}
	}
	for _, tt := range []struct {
		method, target string
		status         int
		reason         string
	}{
		{"GET", "/about.html", 200, "what is there is served"},
		{"GET", "/docs", 301, "redirects stay"},
		{"GET", "/about.html/", 301, "the other way round, too"},
		{"POST", "/users/7", 405, "other methods do not navigate"},
		{"OPTIONS", "/users/7", 204, "nor does this one"},
	} {
		got := server.Do(tt.method, tt.target, navigation)
		if got.Status != tt.status || strings.Contains(string(got.Body), pageOfApp) || got.Header.Get("Vary") == "Accept" {
			t.Errorf("%s %s, %s: got\n%s%s\nwant %d", tt.method, tt.target, tt.reason, got.Head, got.Body, tt.status)
		}
	}
}

// The answer is that of the file itself, in everything but Vary.
func TestFallbackIsTheFile(t *testing.T) {
	text := pageOfApp + realText(t, 4096)
	server, _ := serveTree(t, map[string]string{"pages/app.html": text}, &servery.FileServerOptions{
		Fallback: "pages/app.html",
		CacheControl: func(name string) string {
			if name != "pages/app.html" {
				t.Errorf("CacheControl was asked about %q", name)
			}
			return "max-age=1"
		},
	})
	for _, fields := range [][]string{
		{}, {"Accept-Encoding: gzip"}, {"Accept-Encoding: zstd"}, {"Range: bytes=3-9"}, {"Range: bytes=0-1,5-6"}, {"Range: bytes=99999-"},
		{"If-None-Match: " + contentTag(text)}, {"If-Match: \"other\""}, {"If-Modified-Since: " + testkit.Past.Format(http.TimeFormat)},
		{"Accept-Encoding: identity;q=0"},
	} {
		for _, method := range []string{"GET", "HEAD"} {
			fields := append(fields, navigation)
			own := server.Do(method, "/pages/app.html", fields...)
			got := server.Do(method, "/some/route", fields...)
			head, ownHead := undated(got), undated(own)
			if strings.Contains(ownHead, "multipart") { // each with a boundary of its own
				head, ownHead = head[:20], ownHead[:20]
			} else {
				head = strings.Replace(head, "Vary: Accept-Encoding, Accept\r\n", "Vary: Accept-Encoding\r\n", 1)
			}
			if head != ownHead || len(got.Body) != len(own.Body) {
				t.Errorf("%s %q: got\n%swant, with Accept in Vary,\n%s", method, fields, got.Head, own.Head)
			}
			if got.Header.Get("Vary") != "Accept-Encoding, Accept" {
				t.Errorf("%s %q: Vary %q lacks Accept", method, fields, got.Header.Get("Vary"))
			}
		}
	}
}

func TestFallbackThatCannotBeServed(t *testing.T) {
	for _, tt := range []struct {
		fallback string
		status   int
		reason   string
	}{
		{"gone.html", 404, "it is missing itself"},
		{"isdir", 404, "it is a folder"},
		{"isdir/x/y", 404, "it is below a file"},
	} {
		server, _ := serveTree(t, appTree(), &servery.FileServerOptions{Fallback: tt.fallback})
		got := server.Get("/users/7", navigation)
		if got.Status != tt.status || got.Header.Get("Vary") != "Accept" || got.Header.Get("Location") != "" {
			t.Errorf("%s, %s: got\n%swant %d that varies", tt.fallback, tt.reason, got.Head, tt.status)
		}
	}
}

func TestFallbackExtensions(t *testing.T) {
	server, _ := serveTree(t, appTree(), &servery.FileServerOptions{Fallback: "app.html", FallbackExtensions: true})
	for _, tt := range []struct {
		accept string
		status int
	}{{navigation, 200}, {"Accept: */*", 404}} {
		got := server.Get("/docs/v1.2", tt.accept)
		if got.Status != tt.status || got.Header.Get("Vary") != "Accept" {
			t.Errorf("%s: got\n%swant %d that varies", tt.accept, got.Head, tt.status)
		}
	}
	if got := server.Get("/.secret", navigation); got.Status != 404 || got.Header.Get("Vary") != "" {
		t.Errorf("a hidden name: got\n%s", got.Head)
	}
}

// Only what is missing has a page in its place: no permission and no descriptors are
// what they are.
func TestFallbackOnlyForMissing(t *testing.T) {
	for _, tt := range []struct {
		err    error
		status int
	}{{os.ErrPermission, 403}, {os.ErrClosed, 503}, {os.ErrDeadlineExceeded, 500}, {os.ErrNotExist, 200}} {
		files := refusingFS{fstest.MapFS{"app.html": {Data: []byte(pageOfApp)}}, map[string]error{"route": tt.err}}
		server := testkit.Serve(t, servery.FileServer(files, &servery.FileServerOptions{Fallback: "app.html"}))
		if got := server.Get("/route", navigation); got.Status != tt.status {
			t.Errorf("%v: got\n%swant %d", tt.err, got.Head, tt.status)
		}
	}
	files := refusingFS{fstest.MapFS{}, map[string]error{"app.html": os.ErrPermission}}
	server := testkit.Serve(t, servery.FileServer(files, &servery.FileServerOptions{Fallback: "app.html"}))
	if got := server.Get("/route", navigation); got.Status != 403 {
		t.Errorf("a page without permission: got\n%swant 403", got.Head)
	}
}

// refusingFS fails to open the names that have an error.
type refusingFS struct {
	fs.FS
	errs map[string]error
}

func (f refusingFS) Open(name string) (fs.File, error) {
	if err := f.errs[name]; err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return f.FS.Open(name)
}
