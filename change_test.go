package servery_test

import (
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"servery"
	"servery/internal/testkit"
)

// switchTo lets current lead to another deployment, in one step.
func switchTo(t *testing.T, dir, deployment string) {
	t.Helper()
	temporary := filepath.Join(dir, "temporary")
	if err := os.Symlink(deployment, temporary); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(temporary, filepath.Join(dir, "current")); err != nil {
		t.Fatal(err)
	}
}

// The index has another name in each deployment: who looked for the two in
// different ones could find neither.
func TestRootSwitch(t *testing.T) {
	dir := testkit.Tree(t, map[string]string{
		"one/a.txt": "one", "one/b.txt": "one", "one/folder/index.html": "one",
		"two/a.txt": "two", "two/b.txt": "two", "two/folder/default.html": "two",
	})
	switchTo(t, dir, "one")
	opts := &servery.FileServerOptions{Index: []string{"default.html", "index.html"}}
	server := testkit.Serve(t, servery.FileServer(openDir(t, filepath.Join(dir, "current")), opts))
	own := server.Dial()

	var over atomic.Bool
	var clients sync.WaitGroup
	defer clients.Wait()
	defer over.Store(true)
	for _, target := range []string{"/a.txt", "/b.txt", "/folder/"} {
		c := server.Dial()
		clients.Go(func() {
			for !over.Load() && !t.Failed() {
				got := c.Do("GET", target)
				body := string(got.Body)
				if got.Status != http.StatusOK || got.Header.Get("Etag") != contentTag(body) || body != "one" && body != "two" {
					t.Errorf("%s: got\n%s%q, want an answer of one deployment", target, got.Head, body)
				}
			}
		})
	}
	switches := []string{"two", "one", "two"}
	if testing.Short() {
		switches = switches[:1]
	}
	for _, deployment := range switches {
		switchTo(t, dir, deployment)
		followed(t, own, deployment)
	}
}

// followed asks until the deployment is there. It must be within a second, and is
// given two more on a busy machine.
func followed(t *testing.T, c *testkit.Conn, deployment string) {
	t.Helper()
	start := time.Now()
	for string(c.Do("GET", "/a.txt").Body) != deployment {
		if time.Since(start) > 3*time.Second {
			t.Fatalf("the switch to %s was not followed", deployment)
		}
	}
	// From here on nobody sees the one before.
	for range 100 {
		for _, target := range []string{"/a.txt", "/b.txt", "/folder/"} {
			if got := c.Do("GET", target); string(got.Body) != deployment {
				t.Fatalf("%s after the switch to %s: got\n%s%q", target, deployment, got.Head, got.Body)
			}
		}
	}
}

// rewrite writes over the file in place and puts its date back. It keeps the
// inode, the size and the modification time.
func rewrite(t *testing.T, path, content string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.WriteString(content)
	if file.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, testkit.Past, testkit.Past); err != nil {
		t.Fatal(err)
	}
}

func TestRewriteWithTheDatePutBack(t *testing.T) {
	for _, tt := range []struct {
		size   int
		max    int64
		reason string
	}{
		{1000, 0, "read into memory"},
		{100 << 10, 0, "sent by sendfile, tagged by content"},
		{1<<20 + 1, 2 << 20, "tagged by content because the limit says so"},
		{1<<20 + 1, 0, "tagged by size and date, which are the same"},
	} {
		byContent := tt.max > 0 || tt.size <= 1<<20
		before, after := strings.Repeat("a", tt.size), strings.Repeat("b", tt.size)
		server, dir := serveTree(t, map[string]string{"file.txt": before}, &servery.FileServerOptions{ContentETagMax: tt.max})
		old := server.Get("/file.txt")
		tag := old.Header.Get("Etag")
		if string(old.Body) != before || strings.HasPrefix(tag, "W/") {
			t.Errorf("%s: got\n%s, want the file and a strong tag", tt.reason, old.Head)
		}

		rewrite(t, filepath.Join(dir, "file.txt"), after)
		if !byContent {
			server.Linter.Forget() // that the tag stands for both is what cannot be known
		}
		for _, moment := range []string{"at once", "settled"} {
			got := server.Get("/file.txt")
			if string(got.Body) != after {
				t.Errorf("%s, %s: the content is not the new one", tt.reason, moment)
			}
			again := server.Get("/file.txt", "If-None-Match: "+tag)
			switch isNew := again.Status == http.StatusOK && string(again.Body) == after; {
			case byContent && (!isNew || got.Header.Get("Etag") == tag):
				t.Errorf("%s, %s: status %d for the old tag, want the new file with another tag", tt.reason, moment, again.Status)
			case !isNew && strings.HasPrefix(again.Header.Get("Etag"), "W/"):
				t.Errorf("%s, %s: the date was trusted before it could be:\n%s", tt.reason, moment, again.Head)
			}
			testkit.Settle()
		}
		if byContent {
			if got := server.Get("/file.txt").Header.Get("Etag"); got != contentTag(after) {
				t.Errorf("%s: tag %s, want %s", tt.reason, got, contentTag(after))
			}
		}
	}
}

// tickingFile has a modification time that moves in ticks, and nothing else that
// tells its states apart.
type tickingFile struct {
	*os.File
	tick time.Duration
}

func (f tickingFile) Stat() (fs.FileInfo, error) {
	info, err := f.File.Stat()
	return tickingInfo{info, f.tick}, err
}

type tickingInfo struct {
	fs.FileInfo
	tick time.Duration
}

func (i tickingInfo) ModTime() time.Time { return i.FileInfo.ModTime().Truncate(i.tick) }
func (i tickingInfo) Sys() any           { return nil }

// Two writes within one tick of the clock leave the same size and times behind.
// Whatever is asked in between, no strong tag may stand for both contents.
func TestRewriteWithinTheGrain(t *testing.T) {
	for _, tt := range []struct {
		size   int
		max    int64
		tick   time.Duration // of the file system's clock, 0 for that of a Dir
		reason string
	}{
		{1000, 0, 0, "read into memory"},
		{1000, -1, 0, "read into memory, tagged by size and date"},
		{100 << 10, 0, 0, "sent by sendfile, tagged by content"},
		{100 << 10, -1, 0, "sent by sendfile, tagged by size and date"},
		{1000, 0, 10 * time.Millisecond, "a kernel with 100 Hz"},
		{1000, -1, 10 * time.Millisecond, "a kernel with 100 Hz"},
		{100 << 10, 0, 10 * time.Millisecond, "a kernel with 100 Hz"},
		{100 << 10, -1, 10 * time.Millisecond, "a kernel with 100 Hz"},
		{1000, 0, time.Second, "whole seconds"},
		{100 << 10, 0, time.Second, "whole seconds"},
		{100 << 10, -1, time.Second, "whole seconds"},
	} {
		dir := memoryDir(t)
		opts := &servery.FileServerOptions{ContentETagMax: tt.max}
		var root fs.FS = openDir(t, dir)
		if tt.tick > 0 {
			root = wrapFS{os.DirFS(dir), func(f fs.File) fs.File { return tickingFile{f.(*os.File), tt.tick} }}
		}
		c := testkit.Serve(t, servery.FileServer(root, opts)).Dial()
		path := filepath.Join(dir, "file.txt")
		contents := make(map[string]string) // by strong tag
		rounds := 50 + scaled(150)
		for round := range rounds {
			content := strings.Repeat(string(rune('a'+round%25)), tt.size)
			if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
			if round%(rounds/5) == 0 {
				testkit.Settle() // so that there are tags that are remembered
			}
			for _, method := range []string{"HEAD", "GET", "HEAD"} {
				got := c.Do(method, "/file.txt")
				tag := got.Header.Get("Etag")
				if method == "GET" && string(got.Body) != content {
					t.Fatalf("%s: round %d: not what was written last", tt.reason, round)
				}
				if known, ok := contents[tag]; ok && known != content {
					t.Fatalf("%s: round %d: two contents have the tag %s", tt.reason, round, tag)
				}
				if !strings.HasPrefix(tag, "W/") {
					contents[tag] = content
				}
			}
		}
		if len(contents) < 3 && tt.tick < time.Second {
			t.Errorf("%s: %d strong tags, want some", tt.reason, len(contents))
		}
	}
}
