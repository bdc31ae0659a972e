package servery_test

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"servery/internal/testkit"
)

// Whatever moment the file is replaced at, a coded answer is one version, under its
// own tag and with its own length.
func TestRenameRaceCoded(t *testing.T) {
	for _, tt := range []struct {
		sizes  [2]int
		rounds int
		reason string
	}{
		{[2]int{1 << 10, 15 << 10}, 3000, "read into memory"},
		{[2]int{17 << 10, 90_000}, 3000, "read by the encoder alone"},
		{[2]int{1<<20 + 1, 1<<20 + 50_000}, 300, "tagged by size and date"},
	} {
		t.Run(tt.reason, func(t *testing.T) { raceRenamesCoded(t, versionsOf(tt.sizes[0], tt.sizes[1]), scaled(tt.rounds)) })
	}
}

func raceRenamesCoded(t *testing.T, versions [2]version, rounds int) {
	seen := raceReplaced(t, anchored, versions, rounds, 3, func(c client) racer { return &codedClient{c} })
	seen.partial = 1 // which coded answers never are
	seen.complete()
}

// codedClient asks for /file.txt in gzip or not at all. Nothing makes the versions
// shorter.
type codedClient struct{ client }

func (c *codedClient) cycle() {
	got := c.coded()
	head := c.Do("HEAD", "/file.txt", onlyGzip)
	if same := head.Header.Get("Etag") == got.Header.Get("Etag"); same && head.Header.Get("Content-Length") != strconv.Itoa(len(got.Body)) {
		c.seen.tb.Errorf("GET is %d bytes long, HEAD says\n%s", len(got.Body), head.Head)
	}
	c.coded("If-None-Match: " + got.Header.Get("Etag"))
}

const onlyGzip = "Accept-Encoding: gzip, identity;q=0"

func (c *codedClient) coded(fields ...string) testkit.Response {
	got := c.Do("GET", "/file.txt", append(fields, onlyGzip)...)
	if got.Status == http.StatusNotModified && len(fields) > 0 {
		c.notModified(got, strings.TrimPrefix(fields[0], "If-None-Match: "))
		return got
	}
	if got.Status != http.StatusOK || got.Err != nil || got.Header.Get("Content-Encoding") != "gzip" {
		c.seen.tb.Errorf("%q: %v, got\n%s", fields, got.Err, got.Head)
		return got
	}
	plain, err := gunzip(got.Body)
	owner := c.seen.bySize(strconv.Itoa(len(plain)))
	if err != nil || owner == nil || !bytes.Equal(plain, owner.content) {
		c.seen.tb.Errorf("%q: %v, %d bytes that are no version", fields, err, len(plain))
		return got
	}
	described := got
	described.Header = got.Header.Clone()
	described.Header.Set("Etag", plainTag(got.Header.Get("Etag")))
	c.seen.record(described, owner)
	return got
}
