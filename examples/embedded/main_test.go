package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"testing"

	"servery/internal/testkit"
)

func TestMain(m *testing.M) { os.Exit(testkit.Main(m)) }

// get asks for gzip, which it undoes, and for what is not tagged as has been seen.
func get(t *testing.T, url, seen string) (response *http.Response, body []byte) {
	t.Helper()
	request, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if seen != "" {
		request.Header.Set("If-None-Match", seen)
	}
	transport := new(http.Transport)
	defer transport.CloseIdleConnections()
	response, err = (&http.Client{Transport: transport, Timeout: testkit.Patience}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if body, err = io.ReadAll(response.Body); err != nil {
		t.Fatal(err)
	}
	return response, body
}

func TestRun(t *testing.T) {
	style := style(t)
	want := map[string][]byte{}
	for _, name := range []string{"index.html", style} {
		var err error
		if want[name], err = fs.ReadFile(files, "site/"+name); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(t.TempDir()) // there is no file beside it
	now := testkit.Start(t, 1, run, "-addr", "127.0.0.1:0").URLs[0]
	restarted := testkit.Start(t, 1, run, "-addr", "127.0.0.1:0").URLs[0]
	for _, tt := range []struct {
		target, name, cacheControl string
		coded                      bool
	}{
		{"/", "index.html", "no-cache", false},
		{"/" + style, style, "public, max-age=31536000, immutable", true},
	} {
		response, body := get(t, now+tt.target, "")
		if response.StatusCode != 200 || !bytes.Equal(body, want[tt.name]) || response.Uncompressed != tt.coded {
			t.Errorf("%s: status %d, %d bytes, %v", tt.target, response.StatusCode, len(body), response.Header)
		}
		if got := response.Header.Get("Cache-Control"); got != tt.cacheControl {
			t.Errorf("%s: Cache-Control %q, want %q", tt.target, got, tt.cacheControl)
		}
		tag := response.Header.Get("Etag")
		if again, body := get(t, restarted+tt.target, tag); again.StatusCode != 304 || len(body) > 0 {
			t.Errorf("%s: status %d for tag %q after a restart, want 304", tt.target, again.StatusCode, tag)
		}
		if date := response.Header.Get("Last-Modified"); date != "" {
			t.Errorf("%s: Last-Modified %q, and nobody knows when", tt.target, date)
		}
	}
}

// style is the name of the style sheet, which must hold the hash of its content and be
// what the page asks for, since it is kept for a year.
func style(t *testing.T) string {
	t.Helper()
	names, err := fs.Glob(files, "site/assets/*.css")
	if err != nil || len(names) != 1 {
		t.Fatalf("style sheets %q, error %v, want one", names, err)
	}
	content, err := fs.ReadFile(files, names[0])
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	name := "assets/style-" + hex.EncodeToString(sum[:8]) + ".css"
	page, err := fs.ReadFile(files, "site/index.html")
	if err != nil {
		t.Fatal(err)
	}
	if names[0] != "site/"+name || !strings.Contains(string(page), name) {
		t.Errorf("the style sheet is %s, want site/%s, and that the page names it", names[0], name)
	}
	return name
}
