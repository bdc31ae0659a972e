//go:build unix

package servery_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"servery/internal/etag"
	"servery/internal/testkit"
)

// modelCache is a shared cache as RFC 9111 describes one, as small as it can be and as bold as it may be. Its
// clock ticks once a request, so that it needs no waiting for what grows stale. Origins are asked outside of its lock.
type modelCache struct {
	mu     sync.Mutex
	clock  int
	stored map[string][]*stored // by target; none of them ever changes
}

// stored is a response 200, whole or in parts.
type stored struct {
	accept   string // the Accept-Encoding it was selected by, if varies
	varies   bool
	header   http.Header
	body     []byte
	parts    []span // what of the body is there, in order
	expires  int    // by the clock
	text     *modelText
	combined bool
}

// span is the bytes from first up to end.
type span struct{ first, end int }

// outcome is where an answer comes from.
type outcome string

const (
	hit       outcome = "hit"       // from the cache alone
	validated outcome = "validated" // from the cache, after a 304
	passed    outcome = "passed"    // from the origin
)

// modelOrigin answers a request, and knows what text the answer is of, or nil.
type modelOrigin func(modelRequest) (testkit.Response, *modelText)

// modelAnswer is what a client gets.
type modelAnswer struct {
	testkit.Response
	outcome outcome
	text    *modelText // it is said to be of
	asked   *modelText // the origin has just said to be current, or nil
	stored  *stored    // it is made of, or nil
}

// varyBy is the request's part of the secondary key (RFC 9111, section 4.1).
func varyBy(q modelRequest) string { return strings.Join(q.header["Accept-Encoding"], ", ") }

func (c *modelCache) ask(q modelRequest, origin modelOrigin) modelAnswer {
	c.mu.Lock()
	c.clock++
	now, selected, known := c.clock, c.selectFor(q), slices.Clone(c.stored[q.target])
	c.mu.Unlock()
	forced := directive(q.header, "no-cache") != nil
	if selected != nil && now < selected.expires && !forced && selected.canAnswer(q) {
		return modelAnswer{selected.answer(q), hit, selected.text, nil, selected}
	}
	onward, own := q.validating(selected, known)
	r, text := origin(onward)
	if directive(q.header, "no-store") != nil {
		return modelAnswer{r, passed, text, text, nil}
	}
	if r.Status == http.StatusNotModified {
		if s := validatedBy(r, own); s != nil {
			s = s.freshened(q, r, now)
			c.store(q.target, s)
			return modelAnswer{s.answer(q), validated, s.text, text, s}
		}
	}
	c.learn(q, r, text, now)
	return modelAnswer{r, passed, text, text, nil}
}

// selectFor returns the last response that was stored for such a request.
func (c *modelCache) selectFor(q modelRequest) *stored {
	for _, s := range slices.Backward(c.stored[q.target]) {
		if !s.varies || s.accept == varyBy(q) {
			return s
		}
	}
	return nil
}

// validating returns the request with the tags of what is stored under the target, all codings together (RFC
// 9111, section 4.3.1), and whose they are. The conditions If-Match and If-Range are the origin's to judge.
func (q modelRequest) validating(selected *stored, known []*stored) (modelRequest, []*stored) {
	if q.has("If-Match") || q.has("If-Unmodified-Since") || q.has("If-Range") || q.get("If-None-Match") == "*" || directive(q.header, "no-store") != nil {
		return q, nil
	}
	own := slices.DeleteFunc(known, func(s *stored) bool {
		return !s.whole() || s.header.Get("Etag") == "" || q.has("Range") && s.header.Get("Content-Encoding") != ""
	})
	onward := modelRequest{q.method, q.target, q.header.Clone()}
	tags := slices.Clone(q.header["If-None-Match"])
	for _, s := range own {
		tags = append(tags, s.header.Get("Etag"))
	}
	if len(own) > 0 {
		onward.header.Set("If-None-Match", strings.Join(tags, ", "))
	}
	if len(own) > 0 || q.has("If-None-Match") || q.has("If-Modified-Since") || selected == nil || !selected.whole() || selected.header.Get("Last-Modified") == "" {
		return onward, own
	}
	onward.header.Set("If-Modified-Since", selected.header.Get("Last-Modified"))
	return onward, []*stored{selected}
}

// validatedBy returns which of those that were asked about is current (RFC 9111, section 4.3.4): by its tag, or the
// only one where there are none.
func validatedBy(r testkit.Response, asked []*stored) *stored {
	tag := etag.Tag(r.Header.Get("Etag"))
	for _, s := range slices.Backward(asked) {
		if own := etag.Tag(s.header.Get("Etag")); own == "" && tag == "" || own != "" && etag.MatchesWeak([]string{string(own)}, tag) {
			return s
		}
	}
	return nil
}

// learn stores what may be stored of an answer that came from the origin.
func (c *modelCache) learn(q modelRequest, r testkit.Response, text *modelText, now int) {
	switch {
	case q.method != http.MethodGet || r.Err != nil || directive(r.Header, "no-store") != nil:
	case r.Status == http.StatusNotFound:
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.stored, q.target)
	case text == nil:
	case r.Status == http.StatusOK:
		s := &stored{header: r.Header, body: r.Body, parts: []span{{0, len(r.Body)}}, text: text}
		c.store(q.target, s.selectedBy(q, now))
	case r.Status == http.StatusPartialContent:
		c.learnPart(q, r, text, now)
	}
}

// mostStored is how many responses are stored under one target.
const mostStored = 10

// store puts s in the place of what was selected by the same request.
func (c *modelCache) store(target string, s *stored) {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := slices.DeleteFunc(slices.Clone(c.stored[target]), func(old *stored) bool {
		return old.accept == s.accept && (old.whole() == s.whole() || s.whole() && s.combined)
	})
	if len(list) >= mostStored {
		list = list[1:]
	}
	if c.stored == nil {
		c.stored = make(map[string][]*stored)
	}
	c.stored[target] = append(list, s)
}

// selectedBy completes what is stored by what the request and the header say of it.
func (s *stored) selectedBy(q modelRequest, now int) *stored {
	s.accept = varyBy(q)
	s.varies = strings.Contains(strings.Join(s.header["Vary"], ","), "Accept-Encoding")
	s.expires = now
	if age := directive(s.header, "max-age"); age != nil && directive(s.header, "no-cache") == nil {
		seconds, _ := strconv.Atoi(*age)
		s.expires += seconds
	}
	return s
}

// directive returns the argument of a directive of Cache-Control, or nil where it is not there.
func directive(h http.Header, name string) *string {
	for _, line := range h["Cache-Control"] {
		for member := range strings.SplitSeq(line, ",") {
			if key, value, _ := strings.Cut(strings.TrimSpace(member), "="); strings.EqualFold(key, name) {
				return &value
			}
		}
	}
	return nil
}
