package servery_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

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

func TestListingShowsWhatCanBeAskedFor(t *testing.T) {
	dir := testkit.Tree(t, map[string]string{
		"d/file.txt": "12345", "d/file.txt.gz": "x", "d/sub/x": "", "d/.hidden": "", "d/.well-known/x": "", "d/back\\slash": "",
		"d/line\nend": "", "d/latin-\xe9": "", "d/locked": "", "outside": "", "d/.git/x": "",
	})
	for name, target := range map[string]string{
		"to-file": "file.txt", "to-dir": "sub", "to-above": "../outside", "away": "/etc/passwd", "above": "../../..", "dangling": "nowhere", "loop": "loop",
		"absolute": filepath.Join(dir, "outside"), "to-link": "to-file",
	} {
		if err := os.Symlink(target, filepath.Join(dir, "d", name)); err != nil {
			t.Fatal(err)
		}
	}
	const all = "sub/ to-dir/ file.txt file.txt.gz latin-\ufffd locked to-above to-file to-link"
	for _, tt := range []struct {
		options      servery.FileServerOptions
		want, reason string
	}{
		{*listingOn, ".well-known/ " + all, "no dots, no links out, nothing that the contract denies"},
		{servery.FileServerOptions{Listing: true, Sidecars: []string{"gzip"}}, ".well-known/ " + all, "sidecars can be asked for"},
		{servery.FileServerOptions{Listing: true, ShowHidden: true}, ".git/ .well-known/ sub/ to-dir/ .hidden" + strings.TrimPrefix(all, "sub/ to-dir/"), "dots as well"},
	} {
		server := testkit.Serve(t, servery.FileServer(openDir(t, dir), &tt.options))
		for _, sort := range []string{"name", "size", "modified"} { // which look at the entries at different times
			page := list(t, server, "/d/?sort="+sort)
			got := strings.Fields(page.names())
			want := strings.Fields(tt.want)
			if sort != "name" {
				slices.Sort(got)
				slices.Sort(want)
			}
			if !slices.Equal(got, want) || page.Total != len(want) || page.Path != "/d/" || page.Truncated {
				t.Errorf("%s, by %s: got %+v, want %s", tt.reason, sort, page, tt.want)
			}
			for _, e := range page.Entries {
				if e.Name == "to-link" && (*e.Size != 5 || *e.Modified != testkit.Past.Format(time.RFC3339)) {
					t.Errorf("a link has %d bytes of %s, want those of its target", *e.Size, *e.Modified)
				}
				if e.Name == "sub" && e.Size != nil {
					t.Errorf("a directory has %d bytes", *e.Size)
				}
			}
		}
		for _, link := range hrefs(server.Get("/d/").Body) {
			if got := server.Get("/d/" + link); got.Status != 200 {
				t.Errorf("%s: the link %s is answered with\n%s", tt.reason, link, got.Head)
			}
		}
	}
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

// Links are right however the directory was asked for: with and without its slash, beneath
// prefixes, by ways around. Each name is what its file holds.
func TestListingLinksLeadToTheFiles(t *testing.T) {
	dir := oddTree(t)
	var names []string
	for _, name := range oddNames {
		if !isUnreachable(name) {
			names = append(names, "file "+name)
		}
	}
	slices.Sort(names)
	handler := servery.FileServer(openDir(t, dir), &servery.FileServerOptions{Listing: true, NoRedirect: true})
	mounted := http.StripPrefix("/pre/fix", handler)
	whole, err := servery.OpenDir(filepath.Join(dir, "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	bare := http.StripPrefix("/bare", servery.FileServer(whole, listingOn))
	server := testkit.Serve(t, byPrefix2{{"/pre/fix", mounted}, {"/bare", bare}, {"/", handler}})
	for _, target := range []string{"/file/", "/file", "/pre/fix/file", "/pre/fix/file/", "/x/../file", "//file//", "/bare", "/bare/", "/file?page=1"} {
		body := server.Get(target).Body
		at, err := url.Parse("http://" + server.Addr + target)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, link := range hrefs(body) {
			to, err := at.Parse(link)
			if err != nil {
				t.Fatalf("%s: %s: %v", target, link, err)
			}
			if to.Host != server.Addr {
				t.Fatalf("%s: the link %s leads to %s", target, link, to)
			}
			got = append(got, string(server.Get(to.RequestURI()).Body))
		}
		slices.Sort(got)
		if !slices.Equal(got, names) {
			t.Errorf("%s: the links lead to %d files, want %d (-want +got):\n%.500s", target, len(got), len(names), cmp.Diff(names, got))
		}
	}
}

// byPrefix2 is byPrefix in an order.
type byPrefix2 []struct {
	prefix  string
	handler http.Handler
}

func (b byPrefix2) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for _, route := range b {
		if strings.HasPrefix(r.URL.Path, route.prefix) {
			route.handler.ServeHTTP(w, r)
			return
		}
	}
}

// crowdFS holds one directory of so many files that are nowhere. What it is asked for at
// once is noted.
type crowdFS struct {
	total int
	block chan struct{} // reading waits for it, where it is not nil
	begun chan struct{}

	mu   sync.Mutex // guards most
	most int
}

func (c *crowdFS) Open(name string) (fs.File, error) {
	if name != "." {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	root, err := fstest.MapFS{}.Open(".")
	return &crowdDir{root, c, 0}, err
}

type crowdDir struct {
	fs.File
	fs   *crowdFS
	next int
}

func (c *crowdDir) ReadDir(n int) (entries []fs.DirEntry, err error) {
	c.fs.mu.Lock()
	c.fs.most = max(c.fs.most, n)
	c.fs.mu.Unlock()
	if c.fs.block != nil {
		c.fs.begun <- struct{}{}
		<-c.fs.block
	}
	for ; n > 0 && c.next < c.fs.total; n-- {
		entries = append(entries, crowdEntry(c.next))
		c.next++
	}
	if len(entries) == 0 {
		return nil, io.EOF
	}
	return entries, nil
}

// crowdEntry is a file whose name is a number.
type crowdEntry int

func (e crowdEntry) Name() string               { return fmt.Sprintf("%07d", int(e)) }
func (e crowdEntry) IsDir() bool                { return false }
func (e crowdEntry) Type() fs.FileMode          { return 0 }
func (e crowdEntry) Mode() fs.FileMode          { return 0o644 }
func (e crowdEntry) Info() (fs.FileInfo, error) { return e, nil }
func (e crowdEntry) Size() int64                { return int64(e) }
func (e crowdEntry) ModTime() time.Time         { return testkit.Past }
func (e crowdEntry) Sys() any                   { return nil }

// 100,000 entries are read, in batches, and both forms say that there are more.
func TestListingIsTruncated(t *testing.T) {
	for _, tt := range []struct {
		total     int
		truncated bool
	}{{100_000, false}, {100_001, true}} {
		files := &crowdFS{total: tt.total}
		server := testkit.Serve(t, servery.FileServer(files, listingOn))
		page := list(t, server, "/?sort=size&order=desc&page=3")
		const want = 100_000
		if page.Total != want || page.Pages != 100 || page.Page != 3 || len(page.Entries) != 1000 || page.Truncated != tt.truncated ||
			*page.Entries[0].Size != want-2001 {
			t.Errorf("%d entries: page %d of %d, %d of %d, truncated %t", tt.total, page.Page, page.Pages, len(page.Entries), page.Total, page.Truncated)
		}
		if files.most > 1000 {
			t.Errorf("%d entries: %d are read at once", tt.total, files.most)
		}
		last := server.Get("/?page=1000000").Body
		if bytes.Contains(last, []byte("more that are not listed")) != tt.truncated || !bytes.Contains(last, []byte("Page 100 of 100")) {
			t.Errorf("%d entries: the last page is\n%.3000s", tt.total, last)
		}
	}
}

// A large directory of a real file system. With SERVERY_LONG set it is of 100,001 files,
// which take some twenty seconds to make.
func TestListingOfLargeDirectory(t *testing.T) {
	total := 2_500
	if os.Getenv("SERVERY_LONG") != "" {
		total = 100_001
	}
	dir := t.TempDir()
	for i := range total {
		if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(1_000_000+i)), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	server := testkit.Serve(t, servery.FileServer(openDir(t, dir), listingOn))
	for _, query := range []string{"", "?sort=modified"} {
		start := time.Now()
		page := list(t, server, "/"+query)
		if page.Total != min(total, 100_000) || page.Truncated != (total > 100_000) || len(page.Entries) != 1000 {
			t.Errorf("%q: %d of %d entries, truncated %t", query, len(page.Entries), page.Total, page.Truncated)
		}
		t.Logf("%q: %d entries in %v", query, total, time.Since(start))
	}
}

// Of so many listings as run and wait, and one more, exactly one is turned away. Those
// whose clients leave give up their places.
func TestListingsAreBounded(t *testing.T) {
	slots := runtime.GOMAXPROCS(0)
	const queue = 64
	files := &crowdFS{total: 1000, block: make(chan struct{}), begun: make(chan struct{}, 1<<20)}
	server := testkit.Serve(t, servery.FileServer(files, listingOn))
	unblock := sync.OnceFunc(func() { close(files.block) })
	t.Cleanup(unblock) // before the server comes to rest
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	answers := make(chan *http.Response, slots+queue+1)
	for range slots + queue + 1 {
		go func() {
			request, err := http.NewRequestWithContext(ctx, "GET", "http://"+server.Addr+"/", nil)
			if err != nil {
				panic(err)
			}
			response, err := transport.RoundTrip(request)
			if err != nil {
				response = nil
			}
			answers <- response
		}()
	}
	first := <-answers
	if first == nil || first.StatusCode != 503 || first.Header.Get("Retry-After") == "" || first.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("got %+v, want 503", first)
	}
	first.Body.Close()
	for range slots {
		<-files.begun
	}
	if len(files.begun) != 0 {
		t.Errorf("%d listings run beyond the slots", len(files.begun))
	}
	leave()
	for range slots + queue {
		if response := <-answers; response != nil {
			response.Body.Close()
			t.Errorf("another one got %s", response.Status)
		}
	}
	unblock()
	// The server notices by and by that they have left. Each that runs was reading, and
	// reads no further for nobody.
	for deadline := time.Now().Add(testkit.Patience); server.Get("/").Status != 200; {
		if time.Now().After(deadline) {
			t.Fatal("after they left nobody gets an answer")
		}
	}
}
