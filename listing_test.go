package servery_test

import (
	"bytes"
	"encoding/json"
	"html"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"servery"
	"servery/internal/testkit"
)

var listingOn = &servery.FileServerOptions{Listing: true}

// listedPage is the JSON form of a listing.
type listedPage struct {
	Path    string
	Entries []struct {
		Name, Type string
		Size       *int64
		Modified   *string
	}
	Page, Pages, Total int
	Truncated          bool
}

func (p listedPage) names() string {
	var names []string
	for _, e := range p.Entries {
		name := e.Name
		if e.Type == "directory" {
			name += "/"
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

// list asks for the JSON form.
func list(tb testing.TB, server *testkit.Server, target string) (page listedPage) {
	tb.Helper()
	got := server.Get(target, "Accept: application/json")
	if got.Status != 200 || got.Header.Get("Content-Type") != "application/json" {
		tb.Fatalf("%s: got\n%s%s", target, got.Head, got.Body)
	}
	if err := json.Unmarshal(got.Body, &page); err != nil {
		tb.Fatalf("%s: %v", target, err)
	}
	return page
}

// hrefs are the links of the rows of a listing.
func hrefs(body []byte) (links []string) {
	for _, m := range regexp.MustCompile(`<tr><td><a href="([^"]*)">`).FindAllSubmatch(body, -1) {
		links = append(links, html.UnescapeString(string(m[1])))
	}
	return links
}

func TestListingIsOffAndIndexComesFirst(t *testing.T) {
	files := map[string]string{"d/x": "", "i/index.html": "index"}
	off, _ := serveTree(t, files, nil)
	on, _ := serveTree(t, files, listingOn)
	noIndex, _ := serveTree(t, files, &servery.FileServerOptions{Listing: true, Index: []string{}, NoRedirect: true})
	for _, tt := range []struct {
		server *testkit.Server
		target string
		status int
		html   bool
		reason string
	}{
		{off, "/d/", 404, false, "it is off"},
		{off, "/", 404, false, "for the root, too"},
		{on, "/d/", 200, true, "no index"},
		{on, "/", 200, true, "the root"},
		{on, "/d", 301, false, "the redirect comes first"},
		{on, "/i/", 200, false, "there is an index"},
		{on, "/gone/", 404, false, "there is no such directory"},
		{on, "/.hidden/", 404, false, "nor one to be seen"},
		{noIndex, "/i/", 200, true, "the index is a file like others"},
		{noIndex, "/d", 200, true, "without the slash"},
	} {
		got := tt.server.Get(tt.target)
		if got.Status != tt.status || bytes.Contains(got.Body, []byte("<title>Index of")) != tt.html {
			t.Errorf("%s, %s: got\n%s%s", tt.target, tt.reason, got.Head, got.Body)
		}
	}
}

// The head of each form, whole; the same without a body; and 304 for who has it.
func TestListingAnswers(t *testing.T) {
	server, _ := serveTree(t, map[string]string{"d/a": "x"}, listingOn)
	for _, tt := range []struct{ accept, mediaType, reason string }{
		{"X: y", "text/html; charset=utf-8", "who says nothing gets a page"},
		{"Accept: */*", "text/html; charset=utf-8", "who takes all, too"},
		{navigation, "text/html; charset=utf-8", "a browser"},
		{"Accept: application/json", "application/json", "a program"},
		{"Accept: application/json, text/html;q=0.9", "application/json", "who prefers it"},
		{"Accept: application/json;q=0.5, text/html", "text/html; charset=utf-8", "who does not"},
		{"Accept: image/png", "text/html; charset=utf-8", "who gets neither"},
	} {
		got := server.Get("/d/", tt.accept)
		h := got.Header
		csp := h.Get("Content-Security-Policy")
		if got.Status != 200 || h.Get("Content-Type") != tt.mediaType || h.Get("Vary") != "Accept" || h.Get("Cache-Control") != "no-cache" ||
			h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Accept-Ranges")+h.Get("Last-Modified") != "" ||
			h.Get("Etag") != contentTag(string(got.Body)) || strings.HasPrefix(csp, "default-src 'none'; style-src 'sha256-") != (tt.mediaType[0] == 't') {
			t.Errorf("%s, %s: got\n%s", tt.accept, tt.reason, got.Head)
		}
		if head := server.Do("HEAD", "/d/", tt.accept); undated(head) != undated(got) {
			t.Errorf("%s: HEAD is\n%swant\n%s", tt.accept, head.Head, got.Head)
		}
		again := server.Get("/d/", tt.accept, "If-None-Match: "+h.Get("Etag"))
		if again.Status != 304 || again.Header.Get("Etag") != h.Get("Etag") || again.Header.Get("Vary") != "Accept" {
			t.Errorf("%s: who has it gets\n%s", tt.accept, again.Head)
		}
		if part := server.Get("/d/", tt.accept, "Range: bytes=0-1"); part.Status != 200 || !bytes.Equal(part.Body, got.Body) {
			t.Errorf("%s: a range is answered with\n%s", tt.accept, part.Head)
		}
	}
	if got := server.Get("/d/", "If-Match: \"x\""); got.Status != 412 || got.Header.Get("Content-Security-Policy") != "" {
		t.Errorf("a condition that fails: got\n%s", got.Head)
	}
	if got := server.Do("POST", "/d/"); got.Status != 405 {
		t.Errorf("POST: got\n%s", got.Head)
	}
}

func TestListingOrder(t *testing.T) {
	files := map[string]string{"b/x": "", "a/x": ""}
	for i, name := range []string{"one", "two", "three"} {
		files[name] = strings.Repeat("x", (i*2+1)%5)
	}
	server, dir := serveTree(t, files, listingOn)
	for i, name := range []string{"three", "one", "two"} {
		setDate(t, filepath.Join(dir, name), testkit.Past.Add(time.Duration(i)*time.Hour))
	}
	for _, tt := range []struct{ query, want string }{
		{"", "a/ b/ one three two"},
		{"?order=desc", "b/ a/ two three one"},
		{"?sort=size", "a/ b/ three one two"},
		{"?sort=size&order=desc", "a/ b/ two one three"},
		{"?sort=modified", "a/ b/ three one two"},
		{"?sort=nonsense&order=up&page=x", "a/ b/ one three two"},
		{"?sort=%3Cscript%3E&page=-1;", "a/ b/ one three two"},
	} {
		for _, d := range []string{"a", "b"} {
			setDate(t, filepath.Join(dir, d), testkit.Past)
		}
		if got := list(t, server, "/"+tt.query).names(); got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.query, got, tt.want)
		}
		if page := server.Get("/" + tt.query).Body; len(hrefs(page)) != 5 || bytes.Contains(page, []byte("script>")) {
			t.Errorf("%q: the page is\n%s", tt.query, page)
		}
	}
}

// A directory that is listed is there, and has no Fallback.
func TestListingComesBeforeFallback(t *testing.T) {
	server, _ := serveTree(t, map[string]string{"d/x": "", "app.html": pageOfApp}, &servery.FileServerOptions{
		Listing: true, Fallback: "app.html", NotFound: errorPage, Download: true,
	})
	for _, tt := range []struct{ target, holds, reason string }{
		{"/d/?download", "<title>Index of /d/</title>", "there, and no file to be saved"},
		{"/e/", pageOfApp, "not there"},
		{"/e.js", "<p>GET /e.js", "nor has it a Fallback"},
	} {
		got := server.Get(tt.target, navigation)
		if !strings.Contains(string(got.Body), tt.holds) || got.Header.Get("Content-Disposition") != "" && tt.target[1] == 'd' {
			t.Errorf("%s, %s: got\n%s%s", tt.target, tt.reason, got.Head, got.Body)
		}
	}
}
