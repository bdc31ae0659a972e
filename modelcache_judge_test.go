//go:build unix

package servery_test

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"servery/internal/etag"
	"servery/internal/testkit"
)

// modelRequest is what a client of the cache asks, or the cache an origin.
type modelRequest struct {
	method, target string
	header         http.Header
}

func (q modelRequest) lines() (lines []string) {
	for name, values := range q.header {
		for _, value := range values {
			lines = append(lines, name+": "+value)
		}
	}
	return lines
}

func (q modelRequest) has(name string) bool   { return len(q.header[name]) > 0 }
func (q modelRequest) get(name string) string { return q.header.Get(name) }

// modelJudge knows what answers of an origin about a file are right.
type modelJudge struct {
	file    *modelFile
	byDate  bool // tags are made of size and date
	refuses bool // 406 where nothing is acceptable; else that gets the plain bytes
	blind   bool // to tags and dates
	cached  bool // the answers come through a cache that goes its own ways where it may
	plain   int  // up to here files are looked at once more after they were read
}

// judge returns the text that an answer is of, or nil where it is of none and that is no fault: an error, or
// bytes that were read while they were written in place.
func (j modelJudge) judge(q modelRequest, r testkit.Response, from opening) (*modelText, error) {
	strict := from.strict.window()
	if r.Err != nil {
		return nil, unless(strict.torn(), "broken off: %v", r.Err)
	}
	if r.Status != http.StatusOK && r.Status != http.StatusPartialContent && r.Status != http.StatusNotModified {
		return nil, j.failure(q, r, strict)
	}
	if err := errors.Join(acceptable(q, r, j.refuses), j.conditionsHold(q, r, from)); err != nil && !j.blind {
		return nil, err
	}
	w := strict
	if r.Status == http.StatusNotModified && strings.HasPrefix(r.Header.Get("Etag"), "W/") {
		w = from.weak.window()
	}
	var fault error
	for _, e := range w {
		if e.absent {
			continue
		}
		err := j.fits(q, r, e.modelText)
		if err == nil && len(w) == 1 && !j.blind {
			err = datesFit(q, r, e.modified)
		}
		if err == nil {
			return e.modelText, j.oneBody(q, r, e.modelText)
		}
		fault = errors.Join(fault, fmt.Errorf("%s: %w", e.modified.Format(time.TimeOnly), err))
	}
	return nil, unless(strict.torn() && mayBeTorn(q, r, j.plain), "of no text among %d: %w", len(w), fault)
}

// datesFit demands that the date is the file's, and that a condition on it holds.
func datesFit(q modelRequest, r testkit.Response, modified time.Time) error {
	if date := r.Header.Get("Last-Modified"); date != "" && date != modified.Format(http.TimeFormat) {
		return fmt.Errorf("Last-Modified %s, want %s", date, modified.Format(http.TimeFormat))
	}
	since, err := http.ParseTime(q.get("If-Modified-Since"))
	return unless(r.Status != http.StatusNotModified || q.has("If-None-Match") || err == nil && !modified.After(since), "304 for %s", since)
}

func unless(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// mayBeTorn reports whether the answer is one that a write in place may have left its marks on: its tag is weak or
// is that of the very bytes, or there are too many bytes to look at them twice.
func mayBeTorn(q modelRequest, r testkit.Response, plain int) bool {
	tag, coding := r.Header.Get("Etag"), r.Header.Get("Content-Encoding")
	if strings.HasPrefix(tag, "W/") || q.method == http.MethodHead {
		return true
	}
	switch r.Status {
	case http.StatusOK:
		content, err := modelUndo(coding, r.Body)
		return err == nil && tag == suffixed(contentTag(string(content)), coding) || coding == "" && len(r.Body) > plain
	case http.StatusPartialContent: // what was read was the whole
		return true
	case http.StatusNotModified: // a file is empty between its creation and its first byte
		return tag == contentTag("")
	}
	return false
}

// failure judges what is no answer about the content.
func (j modelJudge) failure(q modelRequest, r testkit.Response, w window) error {
	_, identity := codingsOf(q)
	missing := slices.ContainsFunc(w, func(e *edition) bool { return e.absent })
	switch r.Status {
	case http.StatusNotFound:
		return unless(missing, "404 for a file that was there")
	case http.StatusInternalServerError:
		return unless(w.torn(), "500")
	case http.StatusNotAcceptable:
		return unless(!identity && (j.refuses || j.cached), "406 for %q", q.get("Accept-Encoding"))
	case http.StatusPreconditionFailed:
		return unless(q.has("If-Match") && q.get("If-Match") != "*" || q.has("If-Unmodified-Since"), "412 without a condition")
	case http.StatusRequestedRangeNotSatisfiable:
		start, _, _ := cutRange(q.get("Range"))
		beyond := func(e *edition) bool { return start >= len(e.content) }
		return unless(slices.ContainsFunc(w, beyond) || w.torn() || j.cached, "416 for %q", q.get("Range"))
	}
	return fmt.Errorf("status %d", r.Status)
}

// conditionsHold demands that the answer is one to the conditions of the request.
func (j modelJudge) conditionsHold(q modelRequest, r testkit.Response, from opening) error {
	tag := etag.Tag(r.Header.Get("Etag"))
	if q.has("If-Match") && j.refuses && !etag.MatchesStrong(q.header["If-Match"], tag) { // with Compress the handler's tag will do as well
		return fmt.Errorf("If-Match %q, and %d of %s", q.header["If-Match"], r.Status, tag)
	}
	switch condition := q.get("If-Range"); {
	case r.Status == http.StatusNotModified && q.has("If-None-Match"):
		return unless(tag == "" || etag.MatchesWeak(q.header["If-None-Match"], tag), "304 of %s for %q", tag, q.header["If-None-Match"])
	case r.Status == http.StatusNotModified:
		return unless(q.has("If-Modified-Since"), "304 without a condition")
	case r.Status == http.StatusOK && q.has("If-None-Match") && j.settled(from) && len(q.header["If-None-Match"]) == 1: // net/http reads one
		return unless(tag == "" || !etag.MatchesWeak(q.header["If-None-Match"], tag), "200 of %s for %q", tag, q.header["If-None-Match"])
	case r.Status == http.StatusPartialContent && strings.Contains(condition, `"`):
		return unless(condition == string(tag), "206 of %s for If-Range %s", tag, condition)
	case r.Status == http.StatusPartialContent && condition != "":
		return unless(condition == r.Header.Get("Last-Modified"), "206 of %s for If-Range %s", r.Header.Get("Last-Modified"), condition)
	}
	return nil
}

// settled reports whether the file was left alone for a while. Else the tag may be made of the bytes that are sent, and
// not known before.
func (j modelJudge) settled(from opening) bool {
	return !j.cached && j.file.lag == 0 && from.strict == from.weak && from.strict.next.Load() == nil
}

// fits returns why an answer is not of a text.
func (j modelJudge) fits(q modelRequest, r testkit.Response, t *modelText) error {
	coding := r.Header.Get("Content-Encoding")
	if err := j.tagFits(r.Header.Get("Etag"), coding, r.Status, t); err != nil {
		return err
	}
	switch {
	case r.Status == http.StatusNotModified:
		return nil
	case q.method == http.MethodHead:
		length := r.Header.Get("Content-Length")
		return unless(j.cached || coding != "" || r.Status != http.StatusOK || length == "" || length == strconv.Itoa(len(t.content)), "HEAD with the length %s", length)
	case r.Status == http.StatusPartialContent && coding != "": // which only caches make
		return partsFit(r, encodedBy(coding, t.content))
	case r.Status == http.StatusPartialContent:
		return partsFit(r, t.content)
	}
	plain, err := modelUndo(coding, r.Body)
	if err != nil {
		return fmt.Errorf("%q of %d bytes: %w", coding, len(r.Body), err)
	}
	return unless(bytes.Equal(plain, t.content), "%d bytes in %q, want %d others", len(plain), coding, len(t.content))
}

// tagFits demands that the tag is one of the text in that coding.
func (j modelJudge) tagFits(tag, coding string, status int, t *modelText) error {
	opaque, weak := strings.CutPrefix(tag, "W/")
	suffix := map[string]string{"gzip": "-gz6.1", "zstd": "-zst3.1"}[coding]
	base := opaque
	for _, b := range builtIn {
		if without, ok := strings.CutSuffix(opaque, b.suffix+`"`); ok {
			base = without + `"`
			if status == http.StatusNotModified {
				suffix = b.suffix
			}
		}
	}
	switch {
	case tag == "" || j.blind:
		return nil
	case !weak && opaque != strings.TrimSuffix(base, `"`)+suffix+`"`:
		return fmt.Errorf("tag %s of %q", tag, coding)
	case weak && strings.Contains(base, "-"): // of the times
		return nil
	case j.byDate && !weak:
		j.file.mu.Lock()
		defer j.file.mu.Unlock()
		owner, known := j.file.owners[base]
		return unless(!known || owner == t.tag, "tag %s of another text", tag)
	}
	return unless(base == t.tag, "tag %s, want %s with %q", tag, t.tag, suffix)
}

// oneBody demands that no strong tag stands for two sequences of bytes.
func (j modelJudge) oneBody(q modelRequest, r testkit.Response, t *modelText) error {
	tag := r.Header.Get("Etag")
	if tag == "" || strings.HasPrefix(tag, "W/") || q.method != http.MethodGet || r.Status != http.StatusOK {
		return nil
	}
	hash := maphash.Bytes(modelHash, r.Body)
	j.file.mu.Lock()
	defer j.file.mu.Unlock()
	known, seen := j.file.bodies[tag]
	j.file.bodies[tag] = hash
	if r.Header.Get("Content-Encoding") == "" {
		j.file.owners[tag] = t.tag
	}
	return unless(!seen || known == hash, "two bodies have the tag %s", tag)
}

var modelHash = maphash.MakeSeed()
