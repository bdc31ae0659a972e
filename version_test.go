package servery_test

import (
	"bytes"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"servery/internal/testkit"
)

// version is one of the contents of a file that changes. No two versions have a
// byte sequence of any length in common, so that a splice is always found out.
type version struct {
	content  []byte
	modified time.Time
}

// versionsOf returns the same two versions in every process.
func versionsOf(first, second int) [2]version {
	var versions [2]version
	for i, size := range [...]int{first, second} {
		content := make([]byte, size)
		rand.NewChaCha8([32]byte{1, byte(i)}).Read(content)
		versions[i] = version{content, testkit.Past.Add(time.Duration(i) * time.Hour)}
	}
	return versions
}

func (v *version) size() int { return len(v.content) }

// replace renames the version over the file.
func (v *version) replace(dir string) error {
	temporary := filepath.Join(dir, "temporary")
	if err := os.WriteFile(temporary, v.content, 0o644); err != nil {
		return err
	}
	if err := os.Chtimes(temporary, v.modified, v.modified); err != nil {
		return err
	}
	return os.Rename(temporary, filepath.Join(dir, "file.txt"))
}

// ledger is where clients write down which tag they saw on which version.
type ledger struct {
	tb       testing.TB
	versions [2]version

	mu       sync.Mutex
	owner    map[string]*version // by tag, the W/ of weak ones included
	partial  int                 // ranges that were sent because of If-Range
	notAgain int                 // answers 304
}

// record demands that the answer's fields describe v.
func (l *ledger) record(got testkit.Response, v *version) {
	l.tb.Helper()
	tag := got.Header.Get("Etag")
	strong := !strings.HasPrefix(tag, "W/")
	l.mu.Lock()
	defer l.mu.Unlock()
	switch owner := l.owner[tag]; {
	case tag == "":
		l.tb.Errorf("no tag:\n%s", got.Head)
	case owner != nil && owner != v:
		l.tb.Errorf("two versions have the tag %s", tag)
	case strong && v.size() <= 1<<20 && tag != contentTag(string(v.content)):
		l.tb.Errorf("tag %s, want %s", tag, contentTag(string(v.content)))
	}
	l.owner[tag] = v
	if date := got.Header.Get("Last-Modified"); date != "" && date != v.modified.Format(http.TimeFormat) {
		l.tb.Errorf("Last-Modified of another version:\n%s", got.Head)
	}
}

// bySize returns the version of this size in decimal, or nil.
func (l *ledger) bySize(size string) *version {
	for i := range l.versions {
		if strconv.Itoa(l.versions[i].size()) == size {
			return &l.versions[i]
		}
	}
	return nil
}

func (l *ledger) ownerOf(tag string) *version {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.owner[tag]
}

// complete demands that the clients met what they were sent out for.
func (l *ledger) complete() {
	l.tb.Helper()
	owners := make(map[*version]bool)
	for tag, owner := range l.owner {
		if !strings.HasPrefix(tag, "W/") {
			owners[owner] = true
		}
	}
	if len(owners) != 2 || l.partial == 0 || l.notAgain == 0 {
		l.tb.Errorf("strong tags of %d versions, %d ranges, %d times 304, want some of each", len(owners), l.partial, l.notAgain)
	}
}

// client asks for /file.txt in every way and compares what it gets with the
// versions that there are.
type client struct {
	*testkit.Conn
	seen *ledger
}

// untilSettled asks until the file has a strong tag without being read.
func (c *client) untilSettled() {
	for {
		got := c.Do("HEAD", "/file.txt")
		if got.Status != http.StatusOK || !strings.HasPrefix(got.Header.Get("Etag"), "W/") {
			return
		}
	}
}

func (c *client) cycle() {
	tag := c.whole("GET").Header.Get("Etag")
	c.whole("HEAD")
	c.whole("GET", "If-None-Match: "+tag)
	c.ranges(tag)
	c.ranges("")
}

// whole asks for the whole file, and gets it or 304.
func (c *client) whole(method string, fields ...string) testkit.Response {
	got := c.Do(method, "/file.txt", fields...)
	owner := c.seen.bySize(got.Header.Get("Content-Length"))
	switch {
	case got.Status == http.StatusNotModified && len(fields) > 0:
		c.notModified(got, strings.TrimPrefix(fields[0], "If-None-Match: "))
	case got.Status != http.StatusOK || got.Err != nil || owner == nil:
		c.seen.tb.Errorf("%s %q: %v, got\n%s", method, fields, got.Err, got.Head)
	case method == "GET" && !bytes.Equal(got.Body, owner.content):
		c.seen.tb.Errorf("%s %q: the body is not that of the version of its length", method, fields)
	default:
		c.seen.record(got, owner)
	}
	return got
}

func (c *client) notModified(got testkit.Response, asked string) {
	tag := got.Header.Get("Etag")
	if strings.TrimPrefix(tag, "W/") != strings.TrimPrefix(asked, "W/") {
		c.seen.tb.Errorf("304 with %s for a client that holds %s", tag, asked)
	}
	c.seen.mu.Lock()
	defer c.seen.mu.Unlock()
	c.seen.notAgain++
}

// ranges asks for a part, in the middle of the longest version and beyond the end
// of the shorter one, where there is one.
func (c *client) ranges(tag string) {
	fields := []string{"Range: bytes=500-999"}
	if tag != "" {
		fields = append(fields, "If-Range: "+tag)
	}
	got := c.Do("GET", "/file.txt", fields...)
	_, size, _ := strings.Cut(got.Header.Get("Content-Range"), "/")
	owner := c.seen.bySize(size)
	switch {
	case got.Status == http.StatusOK && tag != "":
		if owner = c.seen.bySize(got.Header.Get("Content-Length")); owner == nil || !bytes.Equal(got.Body, owner.content) {
			c.seen.tb.Errorf("%q: the body is not that of the version of its length", fields)
			return
		}
	case got.Status != http.StatusPartialContent || got.Err != nil || owner == nil:
		c.seen.tb.Errorf("%q: %v, got\n%s", fields, got.Err, got.Head)
		return
	case !bytes.Equal(got.Body, owner.content[500:1000]):
		c.seen.tb.Errorf("%q: the part is not one of the version of its size", fields)
	case tag != "" && (strings.HasPrefix(tag, "W/") || tag != got.Header.Get("Etag") || owner != c.seen.ownerOf(tag)):
		c.seen.tb.Errorf("%q: a part of another version:\n%s", fields, got.Head)
	case tag != "":
		c.seen.mu.Lock()
		c.seen.partial++
		c.seen.mu.Unlock()
	}
	c.seen.record(got, owner)
}
