package plan_test

import "fmt"

// This file is the oracle of the decision table. It knows what each field means
// and follows the text of RFC 9110, one step of section 13.2.2 a paragraph.

func (c combination) expected() visible {
	// 1. and 2. If-Match, else If-Unmodified-Since; a false one is 412.
	switch {
	case c.ifMatch.lines != nil:
		if !c.ifMatchHolds() {
			return c.preconditionFailed()
		}
	case c.ifUnmodifiedSince.lines != nil:
		if !c.ifUnmodifiedSinceHolds() {
			return c.preconditionFailed()
		}
	}
	// 3. and 4. If-None-Match, else If-Modified-Since; a false one is 304, since
	// the method is GET or HEAD.
	switch {
	case c.ifNoneMatch.lines != nil:
		if !c.ifNoneMatchHolds() {
			return c.notModified()
		}
	case c.ifModifiedSince.lines != nil:
		if !c.ifModifiedSinceHolds() {
			return c.notModified()
		}
	}
	// 5. and 6. GET with Range, and with If-Range if it holds: 206. Range is
	// defined for GET only, and If-Range without Range is ignored (14.2, 13.1.5).
	if c.method.name == "GET" && c.ranged.lines != nil && c.seek && c.ifRangeHolds() {
		return c.partialContent()
	}
	return c.whole()
}

// ifMatchHolds is section 13.1.1. The comparison is strong: neither is weak.
func (c combination) ifMatchHolds() bool {
	return c.ifMatch.star || c.ifMatch.strong && c.representation.strong
}

// ifNoneMatchHolds is section 13.1.2. The comparison is weak: in any form.
func (c combination) ifNoneMatchHolds() bool {
	listed := c.ifNoneMatch.strong || c.ifNoneMatch.weak
	tagged := c.representation.strong || c.representation.weak
	return !c.ifNoneMatch.star && !(listed && tagged)
}

// ifModifiedSinceHolds is section 13.1.3. What is no date, or compares with none,
// is ignored; a date that is earlier or equal is false.
func (c combination) ifModifiedSinceHolds() bool {
	return !c.ifModifiedSince.date || !c.dated || c.ifModifiedSince.offset < 0
}

// ifUnmodifiedSinceHolds is section 13.1.4, which ignores in the same cases.
func (c combination) ifUnmodifiedSinceHolds() bool {
	return !c.ifUnmodifiedSince.date || !c.dated || c.ifUnmodifiedSince.offset >= 0
}

// ifRangeHolds is section 13.1.5: a strong comparison of tags, or a date that is
// the very same and a strong validator by section 8.8.2.2, which the server does not
// know of what has a weak tag.
func (c combination) ifRangeHolds() bool {
	switch {
	case c.ifRange.lines == nil:
		return true
	case c.ifRange.date:
		return c.dated && c.settled && !c.representation.weak && c.ifRange.offset == 0
	}
	return c.ifRange.strong && c.representation.strong && c.ifRange.name == "matching"
}

func (c combination) tag() string {
	switch {
	case c.representation.strong:
		return `"v1"`
	case c.representation.weak:
		return `W/"v1"`
	}
	return ""
}

func (c combination) date() string {
	if !c.dated {
		return ""
	}
	return "Fri, 01 Mar 2024 12:00:00 GMT"
}

// preconditionFailed has nothing of the file (contract, section 6).
func (c combination) preconditionFailed() visible {
	const message = "412 Precondition Failed\n"
	return visible{
		status: 412, contentType: "text/plain; charset=utf-8", contentLength: fmt.Sprint(len(message)),
		vary: c.negotiable, noSniff: true, body: message,
	}
}

// notModified has the fields of section 15.4.5, and the date only where no tag is.
func (c combination) notModified() visible {
	v := visible{status: 304, etag: c.tag(), cacheControl: "no-cache", vary: c.negotiable}
	if v.etag == "" {
		v.lastModified = c.date()
	}
	return v
}

func (c combination) whole() visible {
	v := visible{
		status: 200, etag: c.tag(), lastModified: c.date(), cacheControl: "no-cache",
		contentType: mediaType, contentLength: "10", vary: c.negotiable, noSniff: true,
	}
	if c.seek {
		v.acceptRanges = "bytes"
	}
	if c.method.name == "GET" {
		v.body = "[{0 10}]"
	}
	return v
}

// partialContent is the 200 but for the extent (section 15.3.7).
func (c combination) partialContent() visible {
	v := c.whole()
	v.status, v.contentLength, v.contentRange, v.body = 206, "2", "bytes 1-2/10", "[{1 2}]"
	return v
}
