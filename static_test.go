package servery_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"servery/internal/testkit"
)

// vary is what a text of this size has for Vary by default.
func vary(size int) string {
	if size < 1<<10 || size > 10<<20 {
		return ""
	}
	return "Accept-Encoding"
}

// GET sends the whole file and its length, and HEAD has the same head (RFC 9110, sections
// 8.6, 9.3.1 and 9.3.2).
func TestWholeFile(t *testing.T) {
	for _, size := range []int{0, 1, 511, 512, 513, 4096, 16 << 10, 16<<10 + 1, 200_000, 3 << 20} {
		text := realText(t, size)
		server, _ := serveTree(t, map[string]string{"file.txt": text}, nil)
		got := server.Get("/file.txt")
		if got.Status != http.StatusOK || string(got.Body) != text {
			t.Errorf("%d bytes: status %d with %d bytes, want 200 with the file", size, got.Status, len(got.Body))
		}
		for field, want := range map[string]string{
			"Content-Type":           "text/plain; charset=utf-8",
			"Content-Length":         strconv.Itoa(size),
			"Accept-Ranges":          "bytes",
			"Cache-Control":          "no-cache",
			"Last-Modified":          testkit.Past.Format(http.TimeFormat),
			"X-Content-Type-Options": "nosniff",
			"Vary":                   vary(size),
		} {
			if got := got.Header.Get(field); got != want {
				t.Errorf("%d bytes: %s %q, want %q", size, field, got, want)
			}
		}
		tag := got.Header.Get("Etag")
		if size <= 1<<20 && tag != contentTag(text) {
			t.Errorf("%d bytes: tag %s, want %s", size, tag, contentTag(text))
		}
		if strings.HasPrefix(tag, "W/") || tag == "" {
			t.Errorf("%d bytes: tag %q, want a strong one", size, tag)
		}
		head := server.Do("HEAD", "/file.txt")
		if undated(head) != undated(got) {
			t.Errorf("%d bytes: the head of HEAD is\n%s, that of GET is\n%s", size, head.Head, got.Head)
		}
		if again := server.Get("/file.txt", "If-None-Match: "+tag); again.Status != http.StatusNotModified {
			t.Errorf("%d bytes: status %d with the tag, want 304", size, again.Status)
		}
	}
}
