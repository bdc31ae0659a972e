//go:build unix

package servery_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"

	"servery/internal/testkit"
)

// modelAccepts are the fields of clients, with the codings that they let through.
var modelAccepts = []struct {
	lines    []string
	codings  string
	identity bool
}{
	{nil, "", true},
	{[]string{"gzip"}, "gzip", true},
	{[]string{"zstd"}, "zstd", true},
	{[]string{"gzip, deflate, br, zstd"}, "gzip zstd", true},
	{[]string{"zstd;q=0.5, gzip"}, "gzip zstd", true},
	{[]string{"gzip;q=0, zstd"}, "zstd", true},
	{[]string{"gzip;q=0", "*;q=0.5"}, "zstd", true},
	{[]string{"identity;q=0, gzip"}, "gzip", false},
	{[]string{"identity;q=0, zstd;q=0.1"}, "zstd", false},
	{[]string{"identity;q=0"}, "", false},
	{[]string{"identity, gzip;q=0.5"}, "gzip", true},
	{[]string{"br, unheard-of"}, "", true},
	{[]string{"X-GZIP"}, "gzip", true},
}

func codingsOf(q modelRequest) (codings string, identity bool) {
	for _, a := range modelAccepts {
		if slices.Equal(a.lines, q.header["Accept-Encoding"]) {
			return a.codings, a.identity
		}
	}
	panic(fmt.Sprintf("no client asks for %q", q.header["Accept-Encoding"]))
}

// acceptable demands that the client lets through what it gets, or is told that it has. What does not vary is
// plain for all: from a cache even those get it who refuse that, and whom an origin answers with 406.
func acceptable(q modelRequest, r testkit.Response, refuses bool) error {
	codings, identity := codingsOf(q)
	coding := r.Header.Get("Content-Encoding")
	if r.Status == http.StatusNotModified && (refuses || !strings.HasPrefix(r.Header.Get("Etag"), "W/")) {
		for _, b := range builtIn {
			if strings.HasSuffix(r.Header.Get("Etag"), b.suffix+`"`) {
				coding = b.coding
			}
		}
	}
	if coding == "" {
		return unless(identity || !refuses || len(r.Header["Vary"]) == 0, "plain for %q", q.header["Accept-Encoding"])
	}
	return unless(strings.Contains(codings, coding), "%s for %q", coding, q.header["Accept-Encoding"])
}

// holding is what a client got before.
type holding struct {
	tag, modified, coding string
	body                  []byte
}

// modelClient asks at random, with what it remembers.
type modelClient struct {
	random *rand.Rand
	held   map[string][]holding // by site and target
}

// mostHeld is how many answers a client remembers of one target.
const mostHeld = 6

func (c *modelClient) remember(key string, q modelRequest, r testkit.Response) {
	if r.Status != http.StatusOK || r.Err != nil || q.method != http.MethodGet {
		return
	}
	list := c.held[key]
	if len(list) >= mostHeld {
		list = list[1:]
	}
	c.held[key] = append(slices.Clone(list), holding{r.Header.Get("Etag"), r.Header.Get("Last-Modified"), r.Header.Get("Content-Encoding"), r.Body})
}

// next returns a request, and what the client holds the beginning of if it asks for the rest.
func (c *modelClient) next(key, target string) (modelRequest, *holding) {
	q := modelRequest{http.MethodGet, target, make(http.Header)}
	if accept := modelAccepts[c.random.IntN(len(modelAccepts))].lines; accept != nil {
		q.header["Accept-Encoding"] = accept
	}
	if c.random.IntN(12) == 0 {
		q.method = http.MethodHead
	}
	switch c.random.IntN(40) {
	case 0, 1:
		q.header.Set("Cache-Control", "no-cache")
	case 2:
		q.header.Set("Cache-Control", "no-store")
	}
	switch n := c.random.IntN(100); {
	case n < 35:
	case n < 55:
		q.header["If-None-Match"] = c.tags(key)
	case n < 60:
		q.header["If-Match"] = c.tags(key)
	case n < 66:
		q.header.Set("If-Modified-Since", c.one(key).modified)
	case n < 68:
		q.header.Set("If-Unmodified-Since", c.one(key).modified)
	case n < 85:
		c.ranges(q, key)
	default:
		return q, c.rest(q, key)
	}
	for name, values := range q.header {
		if len(values) == 0 || values[0] == "" {
			delete(q.header, name)
		}
	}
	return q, nil
}

// one returns something that the client holds, or the zero holding.
func (c *modelClient) one(key string) holding {
	if list := c.held[key]; len(list) > 0 {
		return list[c.random.IntN(len(list))]
	}
	return holding{}
}

// tags returns up to three tags that were seen before, at times in the form of another coding or weak, in one line
// or several.
func (c *modelClient) tags(key string) []string {
	var tags []string
	for range 1 + c.random.IntN(3) {
		tag := c.one(key).tag
		if tag == "" {
			continue
		}
		switch c.random.IntN(6) {
		case 0:
			tag = "W/" + strings.TrimPrefix(tag, "W/")
		case 1:
			for _, b := range builtIn {
				tag = strings.Replace(tag, b.suffix+`"`, `"`, 1)
			}
			tag = suffixed(tag, builtIn[c.random.IntN(len(builtIn))].coding)
		}
		tags = append(tags, tag)
	}
	if c.random.IntN(30) == 0 {
		return []string{"*"}
	}
	if c.random.IntN(2) == 0 && len(tags) > 0 {
		return []string{strings.Join(tags, ", ")}
	}
	return tags
}

// ranges asks for one range, a suffix, or several, at times under a condition.
func (c *modelClient) ranges(q modelRequest, key string) {
	length := len(c.one(key).body) + 100
	first := c.random.IntN(length)
	last := first + c.random.IntN(length)
	switch c.random.IntN(6) {
	case 0:
		q.header.Set("Range", fmt.Sprintf("bytes=-%d", 1+c.random.IntN(length)))
	case 1:
		q.header.Set("Range", fmt.Sprintf("bytes=%d-", first*2)) // at times beyond the end
	case 2:
		q.header.Set("Range", fmt.Sprintf("bytes=0-%d,%d-%d, -%d", first/4, first/2, last/2, 1+c.random.IntN(20)))
	case 3: // the halves, which a cache puts together
		q.header.Set("Range", [...]string{"bytes=0-999", "bytes=1000-"}[c.random.IntN(2)])
	default:
		q.header.Set("Range", fmt.Sprintf("bytes=%d-%d", first, last))
	}
	if c.random.IntN(5) == 0 {
		q.header["If-None-Match"] = c.tags(key)
	}
}

// rest asks for the rest of what the client holds, should it not have changed.
func (c *modelClient) rest(q modelRequest, key string) *holding {
	held := c.one(key)
	if len(held.body) < 2 {
		return nil
	}
	condition := held.tag
	if condition == "" || c.random.IntN(5) == 0 && held.coding == "" {
		condition = held.modified
	}
	if condition == "" {
		return nil
	}
	q.header.Set("Range", fmt.Sprintf("bytes=%d-", 1+c.random.IntN(len(held.body)-1)))
	q.header.Set("If-Range", condition)
	if !strings.Contains(condition, `"`) {
		return nil // a date is only as good as the clock
	}
	return &held
}

// mayTearRest reports whether a write in place may have left its marks on the rest of what the client holds: there is
// too much of it to look at it twice.
func (j modelJudge) mayTearRest(held *holding, from opening) bool {
	return held != nil && len(held.body) > j.plain && from.strict.window().torn()
}

// isRestOf demands that an answer 206 continues what the client holds.
func isRestOf(held *holding, q modelRequest, r testkit.Response) error {
	if held == nil || r.Status != http.StatusPartialContent || q.method != http.MethodGet || r.Err != nil {
		return nil
	}
	first, last, size, err := readContentRange(r.Header.Get("Content-Range"))
	ok := err == nil && size == len(held.body) && last == size-1 && r.Header.Get("Content-Encoding") == held.coding && bytes.Equal(held.body[first:], r.Body)
	return unless(ok, "not the rest of %d bytes in %q under the tag %s", len(held.body), held.coding, held.tag)
}
