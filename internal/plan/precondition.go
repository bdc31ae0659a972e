package plan

import "servery/internal/etag"

// precondition evaluates the preconditions in the order of RFC 9110, section
// 13.2.2, and returns 412, 304, or 0 where the method goes ahead. A date counts
// only where the field of its tag form is absent.
func precondition(r Request, f Facts) int {
	switch {
	case len(r.IfMatch) > 0:
		if !etag.MatchesStrong(r.IfMatch, f.ETag) {
			return statusPreconditionFailed
		}
	case len(r.IfUnmodifiedSince) > 0:
		if after, known := modifiedAfter(r.IfUnmodifiedSince, f); known && after {
			return statusPreconditionFailed
		}
	}
	switch {
	case len(r.IfNoneMatch) > 0:
		if etag.MatchesWeak(r.IfNoneMatch, f.ETag) {
			return statusNotModified
		}
	case len(r.IfModifiedSince) > 0:
		if after, known := modifiedAfter(r.IfModifiedSince, f); known && !after {
			return statusNotModified
		}
	}
	return 0
}

// modifiedAfter compares the file's date with the field's. It is not known where
// the file has none or the field is no date: both conditions are then ignored
// (RFC 9110, sections 13.1.3 and 13.1.4).
func modifiedAfter(field []string, f Facts) (after, known bool) {
	if f.ModTime.IsZero() {
		return false, false
	}
	date, ok := parseDate(field, f.Now)
	return ok && f.ModTime.After(date), ok
}

// rangeInForce evaluates If-Range (RFC 9110, section 13.1.5): a tag must be equal
// and strong, a date must be the file's exactly and strong too, which it is only
// if a second or more lies between it and this answer's Date (section 8.8.2.2). The date
// of a file whose tag is weak may have been put back after a change.
func rangeInForce(r Request, f Facts) bool {
	switch len(r.IfRange) {
	case 0:
		return true
	case 1:
	default:
		return false
	}
	if tag, ok := etag.Parse(r.IfRange[0]); ok {
		return tag.StrongMatch(f.ETag)
	}
	date, ok := parseDate(r.IfRange, f.Now)
	return ok && !f.ETag.IsWeak() && !f.ModTime.IsZero() && date.Equal(f.ModTime) && f.Now.Unix() > f.ModTime.Unix()
}
