//go:build unix

package servery_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// spoilt is a handler whose answers are changed by what spoils them.
type spoilt struct {
	inner http.Handler
	spoil func(r *http.Request, answer *httptest.ResponseRecorder)
}

func (s spoilt) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := httptest.NewRecorder()
	s.inner.ServeHTTP(answer, r)
	s.spoil(r, answer)
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.Code)
	io.Copy(w, answer.Body)
}

// kept remembers the first answer 200 to each target in each coding.
type kept struct {
	mu     sync.Mutex
	bodies map[string][]byte
	tags   map[string]string
}

// first returns what was remembered, or remembers this answer.
func (k *kept) first(r *http.Request, answer *httptest.ResponseRecorder) (body []byte, tag string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	key := r.URL.Path + " " + answer.Header().Get("Content-Encoding")
	if _, seen := k.bodies[key]; !seen && r.Method == http.MethodGet && answer.Code == http.StatusOK {
		k.bodies[key], k.tags[key] = bytes.Clone(answer.Body.Bytes()), answer.Header().Get("Etag")
	}
	return k.bodies[key], k.tags[key]
}

func isWholeAnswer(r *http.Request, answer *httptest.ResponseRecorder) bool {
	return r.Method == http.MethodGet && answer.Code == http.StatusOK && answer.Body.Len() > 0
}

func say(answer *httptest.ResponseRecorder, body []byte) {
	answer.Body = bytes.NewBuffer(body)
	answer.Header().Set("Content-Length", fmt.Sprint(len(body)))
}

// becomeNotModified turns an answer into a 304 of a tag.
func becomeNotModified(answer *httptest.ResponseRecorder, tag string) {
	answer.Code = http.StatusNotModified
	answer.Body = new(bytes.Buffer)
	for _, name := range []string{"Content-Type", "Content-Length", "Content-Encoding", "Content-Range"} {
		answer.Header().Del(name)
	}
	answer.Header().Set("Etag", tag)
}

func oneTag(_ *kept, _ *http.Request, answer *httptest.ResponseRecorder) {
	tag := answer.Header().Get("Etag")
	for _, b := range builtIn {
		tag = strings.Replace(tag, b.suffix, "", 1)
	}
	answer.Header().Set("Etag", tag)
}

func anyNotModified(_ *kept, r *http.Request, answer *httptest.ResponseRecorder) {
	if tag, _, _ := strings.Cut(r.Header.Get("If-None-Match"), ","); isWholeAnswer(r, answer) && strings.HasPrefix(tag, `"`) {
		becomeNotModified(answer, tag)
	}
}

func anyCodingNotModified(_ *kept, r *http.Request, answer *httptest.ResponseRecorder) {
	base := strings.TrimSuffix(answer.Header().Get("Etag"), `"`)
	for _, b := range builtIn {
		base = strings.TrimSuffix(base, b.suffix)
	}
	for tag := range strings.SplitSeq(r.Header.Get("If-None-Match"), ", ") {
		if isWholeAnswer(r, answer) && base != "" && strings.HasPrefix(tag, base) {
			becomeNotModified(answer, tag)
		}
	}
}

func noVary(_ *kept, _ *http.Request, answer *httptest.ResponseRecorder) { answer.Header().Del("Vary") }

// The faults of which origins have been found guilty are all found out: where the answer of the origin is judged,
// and by the clients of the cache alone.
func TestModelCacheFindsFaults(t *testing.T) {
	for _, tt := range []struct {
		name  string
		blind bool // nobody judges the origin
		spoil func(k *kept, r *http.Request, answer *httptest.ResponseRecorder)
		found string
	}{
		{"one tag for all codings", false, oneTag, "tag"},
		{"one tag for all codings, for clients", true, oneTag, ""},
		{"304 whatever has become of it", false, anyNotModified, ""},
		{"304 whatever has become of it, for clients", true, anyNotModified, ""},
		{"304 for any of the codings", false, anyCodingNotModified, "for ["},
		{"304 for any of the codings, for clients", true, anyCodingNotModified, "for ["},
		{"coded without Vary", false, noVary, "for ["},
		{"coded without Vary, for clients", true, noVary, "for ["},
		{"one tag for all versions, for clients", true, func(_ *kept, _ *http.Request, answer *httptest.ResponseRecorder) {
			if answer.Code/100 == 2 && answer.Header().Get("Content-Encoding") == "" {
				answer.Header().Set("Etag", `"constant"`)
			}
		}, ""},
		{"the second half of another version", false, func(k *kept, r *http.Request, answer *httptest.ResponseRecorder) {
			if body, _ := k.first(r, answer); isWholeAnswer(r, answer) && answer.Header().Get("Content-Encoding") == "" && len(body) > 0 {
				half := min(answer.Body.Len(), len(body)) / 2
				say(answer, append(bytes.Clone(answer.Body.Bytes()[:half]), body[half:]...))
			}
		}, "of no text"},
		{"an old version", false, func(k *kept, r *http.Request, answer *httptest.ResponseRecorder) {
			if body, tag := k.first(r, answer); isWholeAnswer(r, answer) && tag != "" {
				say(answer, body)
				answer.Header().Set("Etag", tag)
			}
		}, ""},
		{"coded for everybody", false, func(k *kept, r *http.Request, answer *httptest.ResponseRecorder) {
			if isWholeAnswer(r, answer) && answer.Header().Get("Content-Encoding") == "" {
				say(answer, []byte(gzipped(answer.Body.String())))
				answer.Header().Set("Content-Encoding", "gzip")
				answer.Header().Set("Etag", suffixed(answer.Header().Get("Etag"), "gzip"))
				answer.Header().Del("Accept-Ranges")
				answer.Header().Set("Vary", "Accept-Encoding")
			}
		}, "gzip for"},
		{"a part of another version", false, func(k *kept, r *http.Request, answer *httptest.ResponseRecorder) {
			body, tag := k.first(r, answer)
			first, last, size, err := readContentRange(answer.Header().Get("Content-Range"))
			if answer.Code == http.StatusPartialContent && err == nil && tag != answer.Header().Get("Etag") && size <= len(body) {
				say(answer, body[first:last+1])
			}
		}, "of no text"},
		{"If-Range is no condition", false, nil, "for If-Range"},
		{"cut short under a right length", false, func(k *kept, r *http.Request, answer *httptest.ResponseRecorder) {
			if n := answer.Body.Len(); isWholeAnswer(r, answer) && n > 1 {
				say(answer, answer.Body.Bytes()[:n-1])
			}
		}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := &kept{bodies: make(map[string][]byte), tags: make(map[string]string)}
			var over atomic.Bool
			var mu sync.Mutex
			var found string
			m := &modelRun{fault: func(format string, args ...any) {
				mu.Lock()
				defer mu.Unlock()
				if over.Store(true); found == "" {
					found = fmt.Sprintf(format, args...)
				}
			}}
			m.sites = []*modelSite{modelFiles(t, rand.New(rand.NewPCG(1, 2)), func(h http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Header.Get("If-Range") == `"constant"` {
						r.Header.Del("If-Range")
					}
					if tt.spoil == nil {
						r.Header.Del("If-Range")
						h.ServeHTTP(w, r)
						return
					}
					spoilt{h, func(r *http.Request, answer *httptest.ResponseRecorder) { tt.spoil(k, r, answer) }}.ServeHTTP(w, r)
				})
			})}
			m.blind, m.sites[0].judge.blind, m.sites[0].lints = tt.blind, tt.blind, false // which would find most of it
			m.run(1, 4_000, &over)
			if found == "" || !strings.Contains(found, tt.found) {
				t.Errorf("found %q, want %q", found, tt.found)
			}
		})
	}
}
