package servery_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"servery"
	"servery/internal/testkit"
)

// scriptedFS is a file system whose root is read by a function.
type scriptedFS struct {
	fs.FS
	read func(call, n int) ([]fs.DirEntry, error)
}

func (s scriptedFS) Open(name string) (fs.File, error) {
	f, err := s.FS.Open(name)
	if err != nil || name != "." {
		return f, err
	}
	return &scriptedDir{f, s.read, 0}, nil
}

type scriptedDir struct {
	fs.File
	read  func(call, n int) ([]fs.DirEntry, error)
	calls int
}

func (s *scriptedDir) ReadDir(n int) ([]fs.DirEntry, error) {
	s.calls++
	return s.read(s.calls, n)
}

// namedEntry is an entry that says of itself what it likes.
type namedEntry struct {
	crowdEntry
	name string
	mode fs.FileMode
	info fs.FileInfo
	err  error
}

func (e namedEntry) Name() string      { return e.name }
func (e namedEntry) Type() fs.FileMode { return e.mode.Type() }
func (e namedEntry) Info() (fs.FileInfo, error) {
	return e.info, e.err
}

// brokenInfo is a regular file's whose size is none.
type brokenInfo struct{ crowdEntry }

func (brokenInfo) Size() int64 { return math.MinInt64 }

// What somebody else's file system says is not believed where it makes no sense.
func TestListingOfHostileFileSystem(t *testing.T) {
	const broken = "500"
	once := func(entries ...fs.DirEntry) func(int, int) ([]fs.DirEntry, error) {
		return func(call, n int) ([]fs.DirEntry, error) {
			if call > 1 {
				return nil, io.EOF
			}
			return entries, nil
		}
	}
	for _, tt := range []struct {
		read         func(call, n int) ([]fs.DirEntry, error)
		want, reason string
	}{
		{once(crowdEntry(1), nil, crowdEntry(2)), "0000001 0000002", "an entry that is none"},
		{once(namedEntry{name: "../x"}, namedEntry{name: ".."}, namedEntry{name: "."}, namedEntry{name: ""}, namedEntry{name: "a/b"}, crowdEntry(1)),
			"0000001", "names that lead elsewhere"},
		{once(namedEntry{name: "x", err: fs.ErrNotExist}, namedEntry{name: "y"}, crowdEntry(1)), "0000001", "entries that say nothing of themselves"},
		{once(namedEntry{name: "x", err: fs.ErrPermission}, crowdEntry(1)), "0000001", "an entry that may not be looked at"},
		{once(namedEntry{name: "x", err: errors.New("disk")}, crowdEntry(1)), broken, "an entry that cannot be looked at"},
		{once(namedEntry{name: "pipe", mode: fs.ModeNamedPipe}, namedEntry{name: "dev", mode: fs.ModeDevice}, crowdEntry(1)), "0000001", "what is never served"},
		{once(namedEntry{name: "link", mode: fs.ModeSymlink}, namedEntry{name: "real", mode: fs.ModeSymlink}), "real", "links are what they lead to"},
		{once(namedEntry{name: "a\xff", info: crowdEntry(1)}, crowdEntry(1)), "0000001", "a name that no fs.FS opens"},
		{once(namedEntry{name: "x", info: crowdEntry(-1)}, namedEntry{name: "y", info: brokenInfo{}}), "x y", "sizes that are none"},
		{func(int, int) ([]fs.DirEntry, error) { return nil, nil }, "", "neither entries nor an end"},
		{func(call, n int) ([]fs.DirEntry, error) { return []fs.DirEntry{crowdEntry(7)}, io.EOF }, "0000007", "an end with the last entry"},
		{func(call, n int) ([]fs.DirEntry, error) { return []fs.DirEntry{crowdEntry(7)}, errors.New("disk") }, broken, "a failure in the middle"},
		{func(call, n int) ([]fs.DirEntry, error) { return nil, fs.ErrNotExist }, broken, "a failure with another name"},
	} {
		files := scriptedFS{fstest.MapFS{"real": {Data: []byte("x")}}, tt.read}
		server := testkit.Serve(t, servery.FileServer(files, listingOn))
		if tt.want == broken {
			if got := server.Get("/"); got.Status != 500 {
				t.Errorf("%s: got\n%s", tt.reason, got.Head)
			}
			continue
		}
		page := list(t, server, "/")
		if got := page.names(); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.reason, got, tt.want)
		}
		for _, e := range page.Entries {
			if e.Size != nil && *e.Size < 0 {
				t.Errorf("%s: %s is of %d bytes", tt.reason, e.Name, *e.Size)
			}
		}
	}
	unlistable := testkit.Serve(t, servery.FileServer(wrapFS{fstest.MapFS{"x": {}}, func(f fs.File) fs.File { return onlyFile{f} }}, listingOn))
	if got := unlistable.Get("/"); got.Status != 404 {
		t.Errorf("a directory that cannot be read: got\n%s", got.Head)
	}
}

// A listing that nobody waits for any more is read no further.
func TestListingStopsWhenTheClientLeaves(t *testing.T) {
	reading, goOn, calls := make(chan struct{}), make(chan struct{}), 0
	files := scriptedFS{fstest.MapFS{}, func(call, n int) ([]fs.DirEntry, error) {
		calls = call
		if call == 1 {
			close(reading)
			<-goOn
		}
		return []fs.DirEntry{crowdEntry(call)}, nil
	}}
	handler := servery.FileServer(files, listingOn)
	noticed, ended := make(chan context.Context, 1), make(chan int, 1)
	server := testkit.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		noticed <- r.Context()
		handler.ServeHTTP(w, r)
		ended <- calls
	}))
	c := server.Dial()
	c.Send("GET", "/")
	<-reading
	c.Close()
	<-(<-noticed).Done()
	close(goOn)
	if got := <-ended; got != 1 {
		t.Errorf("%d reads for nobody", got-1)
	}
}

// A Compress around it compresses a listing as any page, with a tag of its own.
func TestListingWithinCompress(t *testing.T) {
	files := map[string]string{}
	for _, name := range strings.Fields(strings.Repeat("name ", 50)) {
		files["d/"+name+strings.Repeat("x", len(files))] = "x"
	}
	handler := servery.FileServer(openDir(t, testkit.Tree(t, files)), listingOn)
	server := testkit.Serve(t, servery.Compress(nil)(handler))
	got := server.Get("/d/", "Accept-Encoding: gzip")
	if got.Status != 200 || got.Header.Get("Content-Encoding") != "gzip" || !strings.Contains(got.Header.Get("Vary"), "Accept-Encoding") {
		t.Fatalf("got\n%s", got.Head)
	}
	if again := server.Get("/d/", "Accept-Encoding: gzip", "If-None-Match: "+got.Header.Get("Etag")); again.Status != 304 {
		t.Errorf("who has it gets\n%s", again.Head)
	}
}

// What outer code says of caching counts, and its type does not: the form is decided here.
func TestListingKeepsWhatOuterCodeSays(t *testing.T) {
	inner := servery.FileServer(fstest.MapFS{"x": {}}, listingOn)
	server := testkit.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=5")
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Vary", "Cookie")
		inner.ServeHTTP(w, r)
	}))
	h := server.Get("/").Header
	if h.Get("Cache-Control") != "max-age=5" || h.Get("Content-Type") != "text/html; charset=utf-8" || h.Get("Vary") != "Cookie, Accept" {
		t.Errorf("got %v", h)
	}
}

// Neither the directory nor what its links lead to is left open.
func TestListingLeavesNothingBehind(t *testing.T) {
	files := map[string]string{"d/x": ""}
	dir := testkit.Tree(t, files)
	for _, name := range []string{"a", "b", "c"} {
		if err := os.Symlink("x", filepath.Join(dir, "d", name)); err != nil {
			t.Fatal(err)
		}
	}
	handler := servery.FileServer(openDir(t, dir), listingOn)
	server := testkit.Serve(t, handler)
	list(t, server, "/d/") // what stands for good does now
	before := testkit.Holding()
	for range 50 {
		for _, target := range []string{"/d/", "/d/?sort=size", "/gone/"} {
			server.Do("HEAD", target)
		}
	}
	if err := before.Regained(); err != nil {
		t.Error(err)
	}
}
