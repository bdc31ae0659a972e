//go:build unix

package servery_test

import (
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"servery"
	"servery/internal/testkit"
)

// What is never served is not listed, neither itself nor by a link, and listing waits for
// no other end of a pipe. That holds for a file system of package os as well.
func TestListingWithoutIrregularFiles(t *testing.T) {
	dir := testkit.Tree(t, map[string]string{"file": "x", "sub/x": ""})
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	socket, err := net.Listen("unix", filepath.Join(dir, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	for name, target := range map[string]string{"to-pipe": "pipe", "to-socket": "socket", "to-file": "file", "loop": "loop"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	dirFS := testkit.Serve(t, servery.FileServer(os.DirFS(dir), listingOn))
	anchored := testkit.Serve(t, servery.FileServer(openDir(t, dir), listingOn))
	for _, server := range []*testkit.Server{anchored, dirFS} {
		if got, want := list(t, server, "/").names(), "sub/ file to-file"; got != want {
			t.Errorf("got %s, want %s", got, want)
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
