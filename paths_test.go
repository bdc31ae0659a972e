package servery_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"servery"
	"servery/internal/testkit"
)

const (
	longest = 255 // bytes of a name on every file system in use
	odd     = "odd ñame; 100% sure#?&+é"
)

func pathTree(t *testing.T) string {
	t.Helper()
	longName := strings.Repeat("n", longest-len(".txt")) + ".txt"
	dir := testkit.Tree(t, map[string]string{
		"index.html":                    "root index",
		"file.txt":                      "file",
		"docs/index.html":               "docs index",
		"docs/a.txt":                    "a",
		"empty/":                        "",
		"indexdir/index.html/":          "",
		odd + "/" + odd:                 "odd",
		"colon:name/index.html":         "colon",
		longName:                        "long",
		".hidden":                       "hidden",
		".git/config":                   "hidden",
		"docs/.env":                     "hidden",
		".well-known/security.txt":      "known",
		".well-known/.hidden":           "hidden",
		"..dots.txt":                    "hidden too",
		"latin1-\xe9.txt":               "latin",
		"back\\slash.txt":               "unreachable",
		"deep/1/2/3/4/5/6/7/8/9/10.txt": "deep",
	})
	outside := testkit.Tree(t, map[string]string{"secret.txt": "secret"})
	for name, target := range map[string]string{
		"docs/inside":   "../file.txt",
		"tree":          "docs",
		"docs/up":       "..",
		"escape":        "../" + filepath.Base(outside) + "/secret.txt",
		"escape-dir":    "../" + filepath.Base(outside),
		"absolute":      filepath.Join(dir, "file.txt"),
		"absolute-away": filepath.Join(outside, "secret.txt"),
		"loop":          "loop",
		"loop-a":        "loop-b",
		"loop-b":        "loop-a",
		"dangling":      "nowhere",
		"magic":         "/proc/self/root",
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Redirects stay on the host, and what is not there is missing (RFC 9110, sections
// 10.2.2, 15.4.2 and 15.5.5); what is well-known is not hidden (RFC 8615).
func TestPaths(t *testing.T) {
	server := testkit.Serve(t, servery.FileServer(openDir(t, pathTree(t)), nil))
	oddPath := url.PathEscape(odd)
	for _, tt := range []struct {
		target, want string // want is the body of a 200, the Location of a 301, or "404"
		reason       string
	}{
		{"/file.txt", "file", "a plain file"},
		{"/", "root index", "a directory with its index"},
		{"/docs/", "docs index", "a directory with its index"},
		{"/index.html", "root index", "the index is served under its own name"},
		{"/docs/index.html", "docs index", "the index is served under its own name"},
		{"/docs", "./docs/", "a directory without slash"},
		{"/docs?a=1&b=%20", "./docs/?a=1&b=%20", "the query is kept"},
		{"/file.txt/", "../file.txt", "a file with a slash"},
		{"/file.txt/?q", "../file.txt?q", "the query is kept"},
		{"/empty/", "404", "no index, no listing"},
		{"/empty", "./empty/", "whether there is an index shows when it is asked for"},
		{"/indexdir/", "404", "an index that is a directory is none"},
		{"/missing", "404", "nothing there"},
		{"/docs/missing", "404", "nothing there"},
		{"/file.txt/below", "404", "a path below a file"},
		{"/" + oddPath + "/" + oddPath, "odd", "a name with everything that needs encoding"},
		{"/" + oddPath, "./" + strings.NewReplacer("&", "%26").Replace(oddPath) + "/", "its redirect is encoded"},
		{"/colon:name", "./colon%3Aname/", "a colon makes no scheme"},
		{"/" + strings.Repeat("n", longest-4) + ".txt", "long", "a name as long as names can be"},
		{"/" + strings.Repeat("n", longest-3) + ".txt", "404", "a name that is too long"},
		{"/" + strings.Repeat("n/", 5000), "404", "a path that is too long"},
		{"/deep/1/2/3/4/5/6/7/8/9/10.txt", "deep", "many levels"},
		{"/latin1-%E9.txt", "latin", "a name that is not UTF-8"},

		{"//file.txt", "file", "cleaned as net/http does"},
		{"/docs/../file.txt", "file", "dot segments are resolved"},
		{"/./docs/./a.txt", "a", "dot segments are resolved"},
		{"/../file.txt", "file", "never above the root"},
		{"/%2e%2e/%2e%2e/file.txt", "file", "encoded dots are dots"},
		{"/..%2ffile.txt", "404", "an encoded separator"},
		{"/docs%2Fa.txt", "404", "an encoded separator, which a guard on /docs/ would not see"},
		{"/docs%5ca.txt", "404", "an encoded backslash"},
		{"/back%5Cslash.txt", "404", "a backslash, whatever the file system thinks of it"},
		{"/file.txt%00", "404", "NUL"},
		{"/file%0A.txt", "404", "a control byte"},
		{"/file%7F.txt", "404", "a control byte"},
		{"/%252e%252e/file.txt", "404", "decoded once only"},
		{"/file.txt%00.html", "404", "NUL"},

		{"/.hidden", "404", "a hidden name"},
		{"/.git/config", "404", "a hidden directory"},
		{"/.git", "404", "not even a redirect"},
		{"/docs/.env", "404", "a hidden name below"},
		{"/..dots.txt", "404", "it begins with a dot"},
		{"/.well-known/security.txt", "known", "RFC 8615"},
		{"/.well-known/.hidden", "404", "hidden below the exception"},

		{"/docs/inside", "file", "a link that stays inside"},
		{"/tree/a.txt", "a", "a link to a directory"},
		{"/tree", "./tree/", "a link to a directory redirects by its own name"},
		{"/docs/up/file.txt", "file", "a link upwards that stays inside"},
		{"/escape", "404", "a link that leaves"},
		{"/escape-dir/secret.txt", "404", "a link that leaves"},
		{"/escape-dir", "404", "a link that leaves"},
		{"/absolute", "404", "an absolute link, even to the inside"},
		{"/absolute-away", "404", "an absolute link"},
		{"/loop", "404", "a loop of one"},
		{"/loop-a", "404", "a loop of two"},
		{"/dangling", "404", "a link to nothing"},
		{"/magic/etc/passwd", "404", "a link that the kernel makes up"},
	} {
		got := server.Get(tt.target)
		var said string
		switch got.Status {
		case http.StatusOK:
			said = string(got.Body)
		case http.StatusMovedPermanently:
			said = got.Header.Get("Location")
		case http.StatusNotFound:
			said = "404"
		default:
			said = got.Head
		}
		if said != tt.want {
			t.Errorf("%s: got %q, want %q: %s", tt.target, said, tt.want, tt.reason)
		}
	}
}

func TestShowHidden(t *testing.T) {
	server := testkit.Serve(t, servery.FileServer(openDir(t, pathTree(t)), &servery.FileServerOptions{ShowHidden: true}))
	for target, want := range map[string]int{
		"/.hidden": 200, "/.git/config": 200, "/docs/.env": 200, "/..dots.txt": 200, "/.missing": 404,
	} {
		if got := server.Get(target); got.Status != want {
			t.Errorf("%s: status %d, want %d", target, got.Status, want)
		}
	}
}

func TestNoRedirect(t *testing.T) {
	server := testkit.Serve(t, servery.FileServer(openDir(t, pathTree(t)), &servery.FileServerOptions{NoRedirect: true}))
	if got := server.Get("/docs"); string(got.Body) != "docs index" {
		t.Errorf("directory without slash: %d %q, want its index", got.Status, got.Body)
	}
	if got := server.Get("/file.txt/"); got.Status != http.StatusNotFound {
		t.Errorf("file with slash: status %d, want 404", got.Status)
	}
}

func TestIndexOption(t *testing.T) {
	files := map[string]string{"a/one.html": "one", "a/two.html": "two", "b/two.html": "two", "c/index.html": "index"}
	server, path := serveTree(t, files, &servery.FileServerOptions{Index: []string{"one.html", "two.html"}})
	none := testkit.Serve(t, servery.FileServer(openDir(t, path), &servery.FileServerOptions{Index: []string{}}))
	for _, tt := range []struct {
		server         *testkit.Server
		target, reason string
		want           string
	}{
		{server, "/a/", "the first of several", "one"},
		{server, "/b/", "the next where the first is missing", "two"},
		{server, "/c/", "the default's name is not among them", "404 Not Found\n"},
		{none, "/c/", "no names, no index", "404 Not Found\n"},
	} {
		if got := tt.server.Get(tt.target); string(got.Body) != tt.want {
			t.Errorf("%s: got %q, want %q: %s", tt.target, got.Body, tt.want, tt.reason)
		}
	}
}

// A client resolves the Location against what it asked for, so that a prefix that
// was taken off on the way is none of the handler's business.
func TestRedirectBehindStripPrefix(t *testing.T) {
	handler := servery.FileServer(openDir(t, pathTree(t)), nil)
	mux := http.NewServeMux()
	mux.Handle("/some/prefix/", http.StripPrefix("/some/prefix", handler))
	mux.Handle("/bare/", http.StripPrefix("/bare/", handler)) // leaves a relative path
	mux.Handle("/exact", http.StripPrefix("/exact", handler)) // leaves an empty path
	server := httptest.NewServer(mux)
	defer server.Close()
	for _, tt := range []struct{ target, ends, body string }{
		{"/some/prefix/docs?q=1", "/some/prefix/docs/?q=1", "docs index"},
		{"/some/prefix/file.txt/", "/some/prefix/file.txt", "file"},
		{"/bare/docs", "/bare/docs/", "docs index"},
		{"/bare/file.txt/", "/bare/file.txt", "file"},
		{"/exact", "/exact", "root index"},
	} {
		response, err := server.Client().Get(server.URL + tt.target)
		if err != nil {
			t.Fatal(err)
		}
		body := readAll(t, response)
		if got := response.Request.URL.RequestURI(); got != tt.ends || body != tt.body {
			t.Errorf("%s: ends at %s with %q, want %s with %q", tt.target, got, body, tt.ends, tt.body)
		}
	}
}

func TestPathsThatNoServerSends(t *testing.T) {
	handler := servery.FileServer(openDir(t, pathTree(t)), nil)
	for _, path := range []string{"", "file.txt", ".", "..", "../..", "docs/", "\\", "\x00", "//", strings.Repeat("../", 1000)} {
		recorder := httptest.NewRecorder()
		request := &http.Request{Method: "GET", URL: &url.URL{Path: path}}
		handler.ServeHTTP(recorder, request)
		testkit.LintRecorded(t, request, recorder, testkit.Lint)
		if code := recorder.Code; code != 200 && code != 301 && code != 404 {
			t.Errorf("path %q: status %d", path, code)
		}
	}
}
