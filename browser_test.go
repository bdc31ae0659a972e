//go:build unix

package servery_test

import (
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"servery"
	"servery/internal/testkit"
)

// browse opens a page of testdata/browser in a browser, beside handlers by the
// prefix of their paths. What is returned waits for the next report of the page
// and decodes it.
func browse(t *testing.T, page string, handlers map[string]http.Handler) (next func(report any)) {
	t.Helper()
	testkit.Tool(t, "chromium")
	reports := make(chan []byte)
	handlers["/page"] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, filepath.Join("testdata/browser", page))
	})
	handlers["/report"] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the browser was ended
		}
		select {
		case reports <- body:
		case <-r.Context().Done():
		}
	})
	server := testkit.Serve(t, byPrefix(handlers))
	testkit.Browse(t, "http://"+server.Addr+"/page")
	deadline := time.After(3 * time.Minute)
	return func(report any) {
		t.Helper()
		select {
		case body := <-reports:
			if err := json.Unmarshal(body, report); err != nil {
				t.Fatalf("report %q: %v", body, err)
			}
		case <-deadline:
			t.Fatal("the browser does not report")
		}
	}
}

// byPrefix is a router that leaves paths as they are: http.ServeMux redirects
// those that it would clean.
type byPrefix map[string]http.Handler

func (b byPrefix) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for prefix, handler := range b {
		if strings.HasPrefix(r.URL.Path, prefix) {
			handler.ServeHTTP(w, r)
			return
		}
	}
	http.NotFound(w, r)
}

// serveJSON answers every request with value.
func serveJSON(value any) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(value)
	})
}

// fetched is what a page has seen of one path.
type fetched struct {
	Name, Error string
	Status      int
	Sum         string // SHA-256 of the body
}

// Every file of every tree arrives in a browser, at the address that it makes of
// the name itself, beneath a prefix; every other path is 404.
func TestBrowserWholeTree(t *testing.T) {
	leaveToPlain(t)
	for _, tree := range realTrees() {
		t.Run(tree.name, func(t *testing.T) {
			dir := tree.dir(t)
			found, missing := tree.files(t, dir)
			want := map[string]string{}
			var names []string
			for _, file := range append(found, missing...) {
				if utf8.ValidString(file.name) { // JSON has no other names
					want[file.name] = file.sum
					names = append(names, file.name)
				}
			}
			next := browse(t, "tree.html", map[string]http.Handler{
				"/list":   serveJSON(names),
				"/files/": http.StripPrefix("/files", testkit.LintServed(t, servery.FileServer(openDir(t, dir), nil), testkit.Lint)),
			})
			for len(want) > 0 {
				var results []fetched
				next(&results)
				for _, got := range results {
					checkFetched(t, got, want)
				}
			}
		})
	}
}

// checkFetched takes what was fetched out of want, which has the names and the
// SHA-256 of what is not fetched yet.
func checkFetched(t *testing.T, got fetched, want map[string]string) {
	t.Helper()
	sum, asked := want[got.Name]
	delete(want, got.Name)
	switch {
	case !asked || got.Error != "":
		t.Fatalf("%q: %s", got.Name, got.Error)
	case sum == "" && got.Status != 404:
		t.Errorf("%q: status %d, want 404", got.Name, got.Status)
	case sum != "" && (got.Status != 200 || got.Sum != sum):
		t.Errorf("%q: status %d, SHA-256 %s, want 200, %s", got.Name, got.Status, got.Sum, sum)
	}
}

// redirect is a request that a page makes, and where it should end.
type redirect struct {
	Before string `json:"before"` // written as it is before the name
	Name   string `json:"name"`   // encoded by the browser
	After  string `json:"after"`  // written as it is after the name

	path, query, text string
}

// A browser that follows a redirect comes to the folder with its slash, or to the
// file without one, whatever the name, beneath a prefix.
func TestBrowserRedirects(t *testing.T) {
	var list []redirect
	for _, name := range oddNames {
		if !utf8.ValidString(name) || isUnreachable(name) {
			continue
		}
		list = append(list,
			redirect{"folder/", name, "", "folder/" + name + "/", "", "index " + name},
			redirect{"/folder//", name, "?a=%20&b", "/folder//" + name + "/", "?a=%20&b", "index " + name},
			redirect{"file/", name, "/", "file/" + name, "", "file " + name},
			redirect{"x/.%2e/file/", name, "//", "file/" + name, "", "file " + name},
		)
	}
	next := browse(t, "redirects.html", map[string]http.Handler{
		"/list":     serveJSON(list),
		"/pre/fix/": http.StripPrefix("/pre/fix", testkit.LintServed(t, servery.FileServer(openDir(t, oddTree(t)), nil), testkit.Lint)),
	})
	var results []struct {
		Error, Path, Query, Text string
		Status                   int
		Redirected               bool
	}
	next(&results)
	if len(results) != len(list) {
		t.Fatalf("%d results for %d addresses: %+v", len(results), len(list), results[:min(1, len(results))])
	}
	for i, got := range results {
		want := list[i]
		if got.Status != 200 || !got.Redirected || got.Path != "/pre/fix/"+want.path || got.Query != want.query || got.Text != want.text {
			t.Errorf("%s, %q, %s: got %+v, want %q%s with %q", want.Before, want.Name, want.After, got, want.path, want.query, want.text)
		}
	}
}
