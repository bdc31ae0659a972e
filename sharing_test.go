package servery_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"testing"
	"testing/fstest"

	"servery"
	"servery/internal/testkit"
)

func TestHandlersShareBodiesOfOneFile(t *testing.T) {
	text := realText(t, 200_000)
	path := testkit.Tree(t, map[string]string{"file.txt": text})
	c := newCoding(32<<20, servery.LimiterOptions{})
	for range 3 {
		server := testkit.Serve(t, servery.FileServer(openDir(t, path), c.options()))
		wantCoded(t, server.Get("/file.txt", acceptGzip), text, "one of three handlers")
	}
	if got := c.cache.Stats(); c.begun.Load() != 1 || got.Hits != 2 || got.Misses != 1 || got.Entries != 1 {
		t.Errorf("made %d times, %+v, want one body for all", c.begun.Load(), got)
	}
	if got := c.limiter.Stats(); got.Completed != 1 {
		t.Errorf("%+v, want one compression", got)
	}
}

// The limiter bounds all handlers that share it, whatever they serve.
func TestHandlersShareALimiter(t *testing.T) {
	text := realText(t, 200_000)
	path := testkit.Tree(t, map[string]string{"a.txt": text, "b.txt": text})
	c, g := newCoding(0, servery.LimiterOptions{Workers: 1, Queue: -1}), newGate()
	c.act = g.pass
	one := testkit.Serve(t, servery.FileServer(openDir(t, path), c.options()))
	opts := c.options()
	opts.Cache = nil // one of its own
	other := testkit.Serve(t, servery.FileServer(openDir(t, path), opts))
	running := ask(t, one, "/a.txt", acceptGzip)
	<-g.reached
	if got := other.Get("/b.txt", acceptGzip); got.Status != http.StatusServiceUnavailable {
		t.Errorf("got\n%s, want 503", got.Head)
	}
	close(g.open)
	wantCoded(t, running.Read("GET"), text, "the one that ran")
	wantCoded(t, other.Get("/b.txt", acceptGzip), text, "afterwards")
}

// Without inodes the same name, size and date do not make the same file.
func TestFileSystemsDoNotMixUp(t *testing.T) {
	held := func(content string) fs.FS {
		return fstest.MapFS{"file.txt": {Data: []byte(content), ModTime: testkit.Past}}
	}
	embedded := func(content string) fs.FS { // without a date
		return fstest.MapFS{"file.txt": {Data: []byte(content)}}
	}
	text := realText(t, 50_001)
	for _, tt := range []struct {
		of     func(content string) fs.FS
		reason string
	}{
		{held, "all have one date"},
		{embedded, "none has a date"},
		{func(content string) fs.FS {
			return os.DirFS(testkit.Tree(t, map[string]string{"file.txt": content}))
		}, "with inodes, through a file system that does not hold its directory open"},
	} {
		c := newCoding(32<<20, servery.LimiterOptions{})
		contents := []string{text[:50_000], text[1:]}
		var servers []*testkit.Server
		for _, content := range contents {
			opts := c.options()
			opts.ContentETagMax = -1 // so that nothing but the cache reads the content
			servers = append(servers, testkit.Serve(t, servery.FileServer(tt.of(content), opts)))
		}
		for range 2 {
			for i, server := range servers {
				wantCoded(t, server.Get("/file.txt", acceptGzip), contents[i], tt.reason)
			}
		}
		if got := c.cache.Stats(); got.Entries != 2 || got.Hits != 2 || c.begun.Load() != 2 {
			t.Errorf("%s: %+v, want a body each", tt.reason, got)
		}
	}
}

func TestStatsAddUp(t *testing.T) {
	const files, entry = 10, 512 // what is charged besides a body
	tree := make(map[string]string)
	for i := range files {
		tree[fmt.Sprintf("%d.txt", i)] = realText(t, 100_000+i*10_000) // small and large ones
	}
	c := newCoding(32<<20, servery.LimiterOptions{})
	server, _ := serveTree(t, tree, c.options())
	var bytes int64
	for range 3 {
		bytes = 0
		for name, text := range tree {
			got := server.Get("/"+name, acceptGzip)
			wantCoded(t, got, text, name)
			bytes += int64(len(got.Body)) + entry
			server.Get("/" + name) // identity counts nowhere
		}
	}
	want := servery.CompressionCacheStats{Hits: 2 * files, Misses: files, Entries: files, Bytes: bytes}
	if got := c.cache.Stats(); got != want {
		t.Errorf("cache: %+v, want %+v", got, want)
	}
	if got := c.limiter.Stats(); got != (servery.LimiterStats{HighWater: 1, Completed: files}) {
		t.Errorf("limiter: %+v, want %d that completed", got, files)
	}

	c.cache.Purge()
	want.Entries, want.Bytes = 0, 0
	if got := c.cache.Stats(); got != want {
		t.Errorf("after Purge: %+v, want %+v", got, want)
	}
	wantCoded(t, server.Get("/0.txt", acceptGzip), tree["0.txt"], "after Purge")
	want.Misses++
	if got := c.cache.Stats(); got.Misses != want.Misses || got.Entries != 1 || c.begun.Load() != files+1 {
		t.Errorf("after Purge and a request: %+v, made %d times", got, c.begun.Load())
	}
}

func TestEvictions(t *testing.T) {
	text := realText(t, 50_000)
	tree := map[string]string{"a.txt": text, "b.txt": text, "c.txt": text}
	sizes := newCoding(0, servery.LimiterOptions{})
	server, path := serveTree(t, tree, sizes.options())
	size := int64(len(server.Get("/a.txt", acceptGzip).Body)) + 512

	c := newCoding(2*size, servery.LimiterOptions{})
	server = testkit.Serve(t, servery.FileServer(openDir(t, path), c.options()))
	for _, name := range []string{"a", "b", "a", "c", "a", "b"} { // c takes the place of b, and b that of c
		wantCoded(t, server.Get("/"+name+".txt", acceptGzip), text, name)
	}
	want := servery.CompressionCacheStats{Hits: 2, Misses: 4, Evictions: 2, Entries: 2, Bytes: 2 * size}
	if got := c.cache.Stats(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestShutdownOfTheCache(t *testing.T) {
	text := realText(t, 200_000)
	path := testkit.Tree(t, map[string]string{"warm.txt": text, "file.txt": text, "cold.txt": text})
	c := newCoding(32<<20, servery.LimiterOptions{})
	reject := testkit.Serve(t, servery.FileServer(openDir(t, path), c.options()))
	opts := c.options()
	opts.OnSaturation = servery.ServeIdentity
	identity := testkit.Serve(t, servery.FileServer(openDir(t, path), opts))
	wantCoded(t, reject.Get("/warm.txt", acceptGzip), text, "before")

	g := newGate()
	c.act = g.pass
	running := ask(t, reject, "/file.txt", acceptGzip)
	<-g.reached
	gone, leave := context.WithCancel(t.Context())
	leave()
	if err := c.cache.Shutdown(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("Shutdown while a body is made: %v, want the cause of its end", err)
	}
	close(g.open)
	if err := c.cache.Shutdown(t.Context()); err != nil {
		t.Errorf("Shutdown: %v", err)
	}
	wantCoded(t, running.Read("GET"), text, "what ran is finished")
	if got := c.cache.Stats(); got.Bytes != 0 || got.Entries != 0 || got.Flights != 0 {
		t.Errorf("after Shutdown: %+v", got)
	}
	for _, name := range []string{"/warm.txt", "/cold.txt"} {
		if got := reject.Get(name, acceptGzip); got.Status != http.StatusServiceUnavailable {
			t.Errorf("%s: got\n%s, want 503", name, got.Head)
		}
		if got := identity.Get(name, acceptGzip); got.Status != http.StatusOK || string(got.Body) != text || got.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s: got\n%s, want the file as it is", name, got.Head)
		}
		if got := reject.Get(name); got.Status != http.StatusOK {
			t.Errorf("%s without a coding: got\n%s, want 200", name, got.Head)
		}
	}
}
