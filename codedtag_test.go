package servery_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"servery"
	"servery/internal/testkit"
)

// inTicks serves a directory of which nothing but size and date is seen, in ticks.
func inTicks(t *testing.T, dir string, tick time.Duration, c *coding, max int64) *testkit.Server {
	t.Helper()
	root := wrapFS{os.DirFS(dir), func(f fs.File) fs.File { return tickingFile{f.(*os.File), tick} }}
	opts := c.options()
	opts.ContentETagMax = max
	return testkit.Serve(t, servery.FileServer(root, opts))
}

// writeAt writes over a file and sets its date.
func writeAt(path, content string, at time.Time) error {
	return errors.Join(os.WriteFile(path, []byte(content), 0o644), os.Chtimes(path, at, at))
}

// A body may be long in the making. Who asks for it when the date can be trusted
// promises by a strong tag what is there by then, and not what was there when the
// making began.
func TestSettledRequestDoesNotJoinAnUnsettledOne(t *testing.T) {
	before, after := strings.Repeat("a", 100_000), strings.Repeat("b", 100_000)
	dir, c, g := t.TempDir(), newCoding(32<<20, servery.LimiterOptions{Workers: 2}), newGate()
	c.act = g.pass
	path := filepath.Join(dir, "file.txt")
	server := inTicks(t, dir, time.Nanosecond, c, -1)

	date := time.Now().Add(time.Second) // of both versions, and beyond the grain by the time of the second request
	if err := writeAt(path, before, date); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the date is reached", func() bool { return time.Now().After(date) })
	first := ask(t, server, "/file.txt", acceptGzip)
	<-g.reached
	unsettled := time.Since(date) < 20*time.Millisecond
	if err := writeAt(path, after, date); err != nil {
		t.Fatal(err)
	}
	testkit.Settle()
	second := ask(t, server, "/file.txt", acceptGzip)
	eventually(t, "the second has begun", func() bool { s := c.cache.Stats(); return s.Flights == 2 || s.Joined == 1 })
	close(g.open)
	first.Read("GET")
	got := second.Read("GET")
	if !unsettled {
		t.Skip("the machine is too busy for a request within the grain")
	}
	wantCoded(t, got, after, "settled")
	if third := server.Get("/file.txt", acceptGzip); third.Header.Get("Etag") != got.Header.Get("Etag") || string(third.Body) != string(got.Body) {
		t.Errorf("the next one gets\n%s, want the same as before:\n%s", third.Head, got.Head)
	}
}

// Between the reading for the tag and the reading for the body a file may change
// without a trace. The tag is of the bytes that were encoded.
func TestUnsettledTagIsOfTheCodedBytes(t *testing.T) {
	for _, tt := range []struct {
		size   int
		max    int64
		ahead  time.Duration // of the file's date
		reason string
	}{
		{5000, 0, 0, "read into memory"},
		{5000, 0, time.Second, "read into memory, with a date that is not reached yet"},
		{5000, 100, time.Second, "above the limit, tagged by content because the date means nothing"},
		{100_000, 0, 0, "not read for the tag"},
		{100_000, 100, time.Second, "above the limit, with a date that means nothing"},
	} {
		before, after := strings.Repeat("a", tt.size), strings.Repeat("b", tt.size)
		dir, c := t.TempDir(), newCoding(32<<20, servery.LimiterOptions{})
		path := filepath.Join(dir, "file.txt")
		server := inTicks(t, dir, time.Second, c, tt.max)
		eventually(t, "a second is young", func() bool { return time.Now().Nanosecond() < 300e6 })
		date := time.Now().Truncate(time.Second).Add(tt.ahead)
		if err := writeAt(path, before, date); err != nil {
			t.Fatal(err)
		}
		var change sync.Once
		c.begin = func() {
			change.Do(func() {
				if err := writeAt(path, after, date); err != nil {
					t.Error(err)
				}
			})
		}
		first := server.Get("/file.txt", acceptGzip)
		second := server.Get("/file.txt", acceptGzip)
		for _, got := range []testkit.Response{first, second} {
			content := decoded(t, "gzip", got.Body)
			tag := got.Header.Get("Etag")
			if content != after || plainTag(tag) != contentTag(content) && !strings.HasPrefix(tag, "W/") {
				t.Errorf("%s: tag %s, want %s with a suffix, or a weak one", tt.reason, tag, contentTag(content))
			}
		}
		if c.begun.Load() != 2 || c.cache.Stats().Entries != 0 {
			t.Errorf("%s: made %d times, %+v, want 2 and nothing kept", tt.reason, c.begun.Load(), c.cache.Stats())
		}
	}
}
