// Package plan decides everything that a client can see of an answer: the
// status, each header field, and which bytes follow. It acts on nothing and
// looks at nothing but its arguments.
package plan

import (
	"strconv"
	"strings"

	"servery/internal/accept"
	"servery/internal/byterange"
	"servery/internal/digest"
	"servery/internal/etag"
)

const (
	statusOK                 = 200
	statusNoContent          = 204
	statusPartialContent     = 206
	statusMovedPermanently   = 301
	statusNotModified        = 304
	statusMethodNotAllowed   = 405
	statusNotAcceptable      = 406
	statusPreconditionFailed = 412
	statusUnsatisfiable      = 416
	statusUnavailable        = 503
)

// Plan is an answer, decided. A field that is "" is not sent.
type Plan struct {
	Status int

	ContentType     string
	ContentEncoding string
	ContentLength   string
	ContentRange    string
	ETag            etag.Tag
	LastModified    string
	CacheControl    string
	AcceptRanges    string
	Allow           string
	Location        string
	RetryAfter      string
	ReprDigest      string // whoever reads the file makes it, as Digest says
	Extra           *Extra // nil for none
	Vary            bool   // Accept-Encoding is to be among the members of Vary
	VaryAccept      bool   // Accept is
	NoSniff         bool

	// Digest is what ReprDigest is to be made by, of the whole representation, parts of
	// which may be all that is sent (RFC 9530, section 3). Without it there is none.
	Digest digest.Algorithm

	// What follows the head: extents of the file, in this order, or an error's
	// whole body, or nothing where both are empty. Several extents are parts, and
	// the other fields are theirs.
	Ranges       []byterange.Range
	Message      string
	Boundary     string
	PartType     string // the Content-Type of each part
	CompleteSize int64  // of the representation that the parts belong to
}

// Decide answers a GET or HEAD for a representation that was opened.
func Decide(r Request, f Facts) Plan {
	ranges, verdict := rangesInForce(r, f)
	coding, ok := choose(r, f, verdict != byterange.Whole)
	// Preconditions do not count where the answer without them would be an error
	// (RFC 9110, section 13.2.1), so what cannot be accepted comes first.
	if !ok {
		return failureOf(statusNotAcceptable, true)
	}
	if coding.Name != accept.Identity {
		f.ETag = coding.ETag
	}
	switch precondition(r, f) {
	case statusPreconditionFailed:
		return failureOf(statusPreconditionFailed, f.Negotiable)
	case statusNotModified:
		return notModified(f)
	}
	switch {
	case coding.Name != accept.Identity:
		return coded(f, coding)
	case verdict == byterange.Unsatisfiable:
		p := failureOf(statusUnsatisfiable, f.Negotiable)
		p.ContentRange = byterange.Unsatisfied(f.Size)
		return p
	case verdict == byterange.Partial:
		if p, ok := partial(r, f, ranges); ok {
			return p
		}
	}
	return whole(r, f)
}

// rangesInForce reads the Range field. Its verdict is Whole where the field does
// not count: for other methods than GET (RFC 9110, section 14.2), under an If-Range
// that fails, and where the only thing that has ranges here, identity, is refused.
func rangesInForce(r Request, f Facts) ([]byterange.Range, byterange.Verdict) {
	if r.Head || len(r.Range) == 0 || !rangeInForce(r, f) || !accept.IdentityAcceptable(r.AcceptEncoding) {
		return nil, byterange.Whole
	}
	return byterange.Parse(r.Range, f.Size, f.MostRanges)
}

// choose selects the representation that everything after it is about. It reports
// false where none is acceptable.
func choose(r Request, f Facts, ranged bool) (Coding, bool) {
	identity := Coding{Name: accept.Identity, ETag: f.ETag}
	if ranged {
		return identity, true
	}
	var room [4]string
	offered := room[:0]
	for _, coding := range f.Codings {
		offered = append(offered, coding.Name)
	}
	var wanted [5]string
	order := accept.Order(wanted[:0], r.AcceptEncoding, offered)
	if len(order) == 0 {
		return Coding{}, false
	}
	for _, coding := range f.Codings {
		if coding.Name == order[0] {
			return coding, true
		}
	}
	return identity, true
}

// coded plans an answer whose length only the finished body tells: see Of.
func coded(f Facts, coding Coding) Plan {
	p := selected(statusOK, f)
	p.ContentEncoding = coding.Name
	p.AcceptRanges = ""
	return p
}

// Of is the plan of an answer with all of a body.
func (p Plan) Of(body byterange.Extent, head bool) Plan {
	p.ContentLength = body.Length
	if !head {
		p.Ranges = body.Ranges
	}
	return p
}

func whole(r Request, f Facts) Plan {
	if f.Extent.Length == "" {
		f.Extent = byterange.ExtentOf(f.Size)
	}
	p := selected(statusOK, f).Of(f.Extent, r.Head)
	p.Digest = digest.Wanted(r.WantReprDigest)
	return p
}

// partial reports false where no Content-Length could be given to the parts.
func partial(r Request, f Facts, ranges []byterange.Range) (Plan, bool) {
	p := selected(statusPartialContent, f)
	p.Ranges = ranges
	p.Digest = digest.Wanted(r.WantReprDigest)
	if len(ranges) == 1 {
		p.ContentRange = ranges[0].ContentRange(f.Size)
		p.ContentLength = strconv.FormatInt(ranges[0].Length, 10)
		return p, true
	}
	p.Boundary = r.Boundary
	if !strings.ContainsAny(f.ContentType, "\r\n") { // net/http sees to that in a head, nobody does in a part
		p.PartType = f.ContentType
	}
	p.CompleteSize = f.Size
	length := byterange.MultipartLength(r.Boundary, p.PartType, ranges, f.Size)
	p.ContentType = "multipart/byteranges; boundary=" + r.Boundary
	p.ContentLength = strconv.FormatInt(length, 10)
	return p, length >= 0
}

// selected is what 200 and 206 have in common.
func selected(status int, f Facts) Plan {
	p := Plan{
		Status:       status,
		ContentType:  f.ContentType,
		ETag:         f.ETag,
		CacheControl: f.CacheControl,
		Vary:         f.Negotiable,
		NoSniff:      true,
		LastModified: f.lastModified(),
		Extra:        f.Extra,
	}
	if f.MostRanges > 0 {
		p.AcceptRanges = "bytes"
	}
	return p
}

// notModified carries of the 200's fields those that a cache updates by, and a
// date only where no tag says more (RFC 9110, section 15.4.5).
func notModified(f Facts) Plan {
	p := Plan{
		Status:       statusNotModified,
		ETag:         f.ETag,
		CacheControl: f.CacheControl,
		Vary:         f.Negotiable,
	}
	if f.ETag == "" {
		p.LastModified = f.lastModified()
	}
	return p
}

func (f Facts) lastModified() string {
	switch {
	case f.ModTime.IsZero():
		return ""
	case f.LastModified != "":
		return f.LastModified
	}
	return f.ModTime.Format(TimeFormat)
}
