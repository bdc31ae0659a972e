package servery_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"servery"
	"servery/internal/testkit"
)

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
