//go:build unix

package servery_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"servery/internal/etag"
	"servery/internal/testkit"
)

func (s *stored) whole() bool { return len(s.parts) == 1 && s.parts[0] == span{0, len(s.body)} }

// canAnswer reports whether the request can be answered without the origin: of a coded body no ranges are sent, and of
// one that is not whole only what is there.
func (s *stored) canAnswer(q modelRequest) bool {
	if q.has("If-Match") || q.has("If-Unmodified-Since") || directive(q.header, "no-store") != nil {
		return false
	}
	if !q.has("Range") || q.method != http.MethodGet {
		return s.whole()
	}
	if s.header.Get("Content-Encoding") != "" {
		return false
	}
	wanted, ok := s.rangeOf(q)
	return s.whole() || ok && s.rangeInForce(q) && !q.has("If-None-Match") && !q.has("If-Modified-Since") &&
		slices.ContainsFunc(s.parts, func(p span) bool { return p.first <= wanted.first && wanted.end <= p.end })
}

// cutRange reads "bytes=first-last" and "bytes=first-". ok is false for all others, whose start is 0.
func cutRange(field string) (first, last int, ok bool) {
	from, to, ok := strings.Cut(strings.TrimPrefix(field, "bytes="), "-")
	first, err := strconv.Atoi(from)
	if !ok || err != nil {
		return 0, 0, false
	}
	if to == "" {
		return first, 1<<31 - 1, true
	}
	last, err = strconv.Atoi(to)
	return first, last, err == nil
}

// rangeOf returns the single range that the request asks for. ok is false where the answer is the whole.
func (s *stored) rangeOf(q modelRequest) (wanted span, ok bool) {
	first, last, ok := cutRange(q.get("Range"))
	return span{first, min(last+1, len(s.body))}, ok && first < len(s.body) && first <= last
}

func (s *stored) rangeInForce(q modelRequest) bool {
	switch condition := q.get("If-Range"); {
	case condition == "":
		return true
	case strings.Contains(condition, `"`):
		return etag.MatchesStrong([]string{condition}, etag.Tag(s.header.Get("Etag")))
	default:
		return condition == s.header.Get("Last-Modified")
	}
}

// answer answers a request from what is stored (RFC 9111, section 4.3.2).
func (s *stored) answer(q modelRequest) testkit.Response {
	r := testkit.Response{Status: http.StatusOK, Header: s.header.Clone(), Body: s.body}
	if s.notModified(q) {
		r.Status, r.Body = http.StatusNotModified, nil
		for _, name := range []string{"Content-Type", "Content-Length", "Content-Encoding"} {
			r.Header.Del(name)
		}
		return r
	}
	wanted, ranged := s.rangeOf(q)
	if ranged && q.method == http.MethodGet && s.header.Get("Content-Encoding") == "" && s.rangeInForce(q) {
		r.Status, r.Body = http.StatusPartialContent, s.body[wanted.first:wanted.end]
		r.Header.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", wanted.first, wanted.end-1, len(s.body)))
	}
	r.Header.Set("Content-Length", strconv.Itoa(len(r.Body)))
	if q.method == http.MethodHead {
		r.Body = nil
	}
	return r
}

func (s *stored) notModified(q modelRequest) bool {
	if q.has("If-None-Match") {
		return etag.MatchesWeak(q.header["If-None-Match"], etag.Tag(s.header.Get("Etag")))
	}
	since, err := http.ParseTime(q.get("If-Modified-Since"))
	modified, errOwn := http.ParseTime(s.header.Get("Last-Modified"))
	return err == nil && errOwn == nil && !modified.After(since)
}

// freshened is what is stored with the fields of a 304 (RFC 9111, section 3.2), selected by its request from now on.
func (s *stored) freshened(q modelRequest, r testkit.Response, now int) *stored {
	updated := *s
	updated.header = s.header.Clone()
	for name, values := range r.Header {
		switch name {
		case "Content-Length", "Content-Encoding", "Content-Type", "Content-Range":
		default:
			updated.header[name] = values
		}
	}
	return updated.selectedBy(q, now)
}

// learnPart combines a single part with those that have the same strong tag (RFC 9111, section 3.4).
func (c *modelCache) learnPart(q modelRequest, r testkit.Response, text *modelText, now int) {
	first, last, size, err := readContentRange(r.Header.Get("Content-Range"))
	tag := r.Header.Get("Etag")
	if err != nil || tag == "" || strings.HasPrefix(tag, "W/") || last-first+1 != len(r.Body) || last >= size {
		return
	}
	s := &stored{header: r.Header.Clone(), body: make([]byte, size), text: text}
	s.header.Del("Content-Range")
	c.mu.Lock()
	for _, old := range c.stored[q.target] {
		if old.header.Get("Etag") == tag && old.header.Get("Content-Encoding") == "" && len(old.body) == size && old.accept == varyBy(q) {
			copy(s.body, old.body)
			s.parts = append(s.parts, old.parts...)
			s.combined = true
		}
	}
	c.mu.Unlock()
	copy(s.body[first:], r.Body)
	s.parts = merged(append(s.parts, span{first, last + 1}))
	s.header.Set("Content-Length", strconv.Itoa(size))
	c.store(q.target, s.selectedBy(q, now))
}

// merged joins spans that touch.
func merged(parts []span) []span {
	slices.SortFunc(parts, func(a, b span) int { return a.first - b.first })
	var result []span
	for _, p := range parts {
		if n := len(result); n > 0 && p.first <= result[n-1].end {
			result[n-1].end = max(result[n-1].end, p.end)
			continue
		}
		result = append(result, p)
	}
	return result
}
