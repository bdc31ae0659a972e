package servery_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"servery"
	"servery/internal/testkit"
)

// once does something when the first piece of a file reaches the encoder.
func once(do func() error) func([]byte) error {
	var done atomic.Bool
	return func([]byte) error {
		if done.Swap(true) {
			return nil
		}
		return do()
	}
}

func TestChangeInPlaceWhileCoded(t *testing.T) {
	text := realText(t, 300_000)
	for _, size := range []int{5000, 50_000, 300_000} {
		for _, tt := range []struct {
			content string
			reason  string
		}{
			{text[:100], "truncated"},
			{"", "truncated to nothing"},
			{text[:size-1], "truncated by a byte"},
			{strings.ToUpper(text[:size]), "rewritten in the same size"},
			{text[:size] + "more", "grown"},
		} {
			c := newCoding(32<<20, servery.LimiterOptions{})
			server, dir := serveTree(t, map[string]string{"file.txt": text[:size]}, c.options())
			path := filepath.Join(dir, "file.txt")
			c.act = once(func() error {
				writeOver(t, path, tt.content)
				return os.Truncate(path, int64(len(tt.content)))
			})
			got := server.Get("/file.txt", acceptGzip) // the rules of testkit.Lint: no validators
			if grown := strings.HasPrefix(tt.content, text[:size]); grown {
				// What was planned is still there; a small file is opened again.
				now := decoded(t, got.Header.Get("Content-Encoding"), got.Body)
				if got.Status != http.StatusOK || now != text[:size] && now != tt.content {
					t.Errorf("%d bytes, %s: got\n%s, want 200 with one version", size, tt.reason, got.Head)
				}
				continue
			}
			if got.Status != http.StatusInternalServerError {
				t.Errorf("%d bytes, %s: got\n%s, want 500", size, tt.reason, got.Head)
			}
			if s := c.cache.Stats(); s.Entries != 0 || s.Bytes != 0 || s.Failed != 1 {
				t.Errorf("%d bytes, %s: %+v, want nothing held", size, tt.reason, s)
			}
			testkit.Settle()
			got = server.Get("/file.txt", acceptGzip)
			if now := decoded(t, got.Header.Get("Content-Encoding"), got.Body); got.Status != http.StatusOK || now != tt.content {
				t.Errorf("%d bytes, %s: then got\n%s, want the file as it is now", size, tt.reason, got.Head)
			}
			c.atRest(t)
		}
	}
}

// Of some changes nobody can tell whether the content is another: the file is opened
// once more, and not given up.
func TestTouchedWhileCoded(t *testing.T) {
	text := realText(t, 300_000)
	for _, tt := range []struct {
		change func(path string) error
		want   string
		reason string
	}{
		{func(path string) error { return os.Chtimes(path, testkit.Past, testkit.Past) }, text, "touched"},
		{func(path string) error { return os.Link(path, path+".other") }, text, "given another name"},
		{func(path string) error {
			rewrite(t, path, strings.ToUpper(text))
			return nil
		}, strings.ToUpper(text), "rewritten, with the date put back"},
	} {
		c := newCoding(32<<20, servery.LimiterOptions{})
		server, dir := serveTree(t, map[string]string{"file.txt": text}, c.options())
		c.act = once(func() error { return tt.change(filepath.Join(dir, "file.txt")) })
		got := server.Get("/file.txt", acceptGzip)
		wantCoded(t, got, tt.want, tt.reason)
		if tag := got.Header.Get("Etag"); plainTag(tag) != contentTag(tt.want) {
			t.Errorf("%s: tag %s, want one made of %s", tt.reason, tag, contentTag(tt.want))
		}
		if c.begun.Load() != 2 {
			t.Errorf("%s: made %d times, want 2", tt.reason, c.begun.Load())
		}
	}
}

func TestReplacedWhileCoded(t *testing.T) {
	text := realText(t, 300_000)
	for _, size := range []int{5000, 300_000} {
		before, after := text[:size], strings.ToUpper(text[:size-10])
		c := newCoding(32<<20, servery.LimiterOptions{})
		server, dir := serveTree(t, map[string]string{"file.txt": before}, c.options())
		path := filepath.Join(dir, "file.txt")
		c.act = once(func() error {
			return errors.Join(os.WriteFile(path+".new", []byte(after), 0o644), os.Rename(path+".new", path))
		})
		first := server.Get("/file.txt", acceptGzip)
		wantCoded(t, first, before, "what was opened")
		testkit.Settle()
		second := server.Get("/file.txt", acceptGzip, "If-None-Match: "+first.Header.Get("Etag"))
		wantCoded(t, second, after, "what it was replaced by")
		for _, tt := range []struct {
			got  testkit.Response
			text string
		}{{first, before}, {second, after}} {
			if tag := tt.got.Header.Get("Etag"); plainTag(tag) != contentTag(tt.text) {
				t.Errorf("%d bytes: tag %s, want one made of %s", size, tag, contentTag(tt.text))
			}
		}
	}
}

// plainTag is a coded tag without its suffix.
func plainTag(tag string) string {
	i := strings.LastIndex(tag, "-gz")
	if i < 0 {
		return tag
	}
	return tag[:i] + `"`
}

func TestHeadOfAColdFile(t *testing.T) {
	for _, limit := range []int64{0, 32 << 20} {
		for _, size := range []int{5000, 300_000} {
			text := realText(t, size)
			c := newCoding(limit, servery.LimiterOptions{})
			server, _ := serveTree(t, map[string]string{"file.txt": text}, c.options())
			head := server.Do("HEAD", "/file.txt", acceptGzip)
			got := server.Get("/file.txt", acceptGzip)
			wantCoded(t, got, text, "after HEAD")
			if undated(head) != undated(got) || head.Header.Get("Content-Length") != strconv.Itoa(len(got.Body)) {
				t.Errorf("limit %d, %d bytes: HEAD says\n%s, GET\n%s", limit, size, head.Head, got.Head)
			}
		}
	}
}

// While a file is rewritten within the grain of the clock, whatever is answered is
// one thing under each strong tag.
func TestCodedRewriteWithinTheGrain(t *testing.T) {
	for _, tt := range []struct {
		size   int
		max    int64
		reason string
	}{
		{5000, 0, "read into memory, tagged by content"},
		{5000, -1, "read into memory, tagged by size and date"},
		{100_000, 0, "tagged by content"},
		{100_000, -1, "tagged by size and date"},
	} {
		c := newCoding(32<<20, servery.LimiterOptions{})
		opts := c.options()
		opts.ContentETagMax = tt.max
		server, dir := serveTree(t, map[string]string{"file.txt": strings.Repeat("a", tt.size)}, opts)
		seen := tagged{t: t, contents: make(map[string]string)}
		var over atomic.Bool
		var clients sync.WaitGroup
		for range 3 {
			client := server.Dial()
			clients.Go(func() {
				for !over.Load() && !t.Failed() {
					seen.record(client.Do("GET", "/file.txt", acceptGzip))
				}
			})
		}
		own := server.Dial()
		for round := range 30 + scaled(200) {
			content := strings.Repeat(string(rune('a'+round%26)), tt.size)
			writeOver(t, filepath.Join(dir, "file.txt"), content)
			if round%10 == 9 {
				testkit.Settle()
			}
			seen.record(own.Do("GET", "/file.txt", acceptGzip))
		}
		over.Store(true)
		clients.Wait()
		c.atRest(t)
		if len(seen.contents) < 3 {
			t.Errorf("%s: %d strong tags, want some", tt.reason, len(seen.contents))
		}
	}
}

// tagged is what was found under each strong tag.
type tagged struct {
	t        *testing.T
	mu       sync.Mutex
	contents map[string]string
}

func (s *tagged) record(got testkit.Response) {
	s.t.Helper()
	tag, coding := got.Header.Get("Etag"), got.Header.Get("Content-Encoding")
	switch {
	case got.Status == http.StatusInternalServerError: // changed while it was encoded
		return
	case tag == "" || strings.HasPrefix(tag, "W/"): // promises nothing
		return
	}
	content := decoded(s.t, coding, got.Body)
	if sum := plainTag(tag); len(sum) == len(contentTag("")) && sum != contentTag(content) {
		s.t.Errorf("tag %s, and the content's is %s", tag, contentTag(content))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.contents[tag]; ok && known != content {
		s.t.Errorf("two contents have the tag %s", tag)
	}
	s.contents[tag] = content
}

// writeOver writes over a file in place, in one go.
func writeOver(t *testing.T, path, content string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString(content); err != nil {
		t.Fatal(err)
	}
}
