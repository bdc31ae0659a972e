package deliver

import (
	"net/http"

	"servery/internal/fields"
	"servery/internal/plan"
)

// Ready are values of fields that were made once for any number of answers. They are
// used where a plan has the very same values. nil and the zero Ready are none.
type Ready struct{ ContentType, ContentLength, ContentEncoding, ETag, LastModified, CacheControl []string }

// What is the same in all answers.
var (
	bytesUnit      = []string{"bytes"}
	noSniff        = []string{"nosniff"}
	acceptEncoding = []string{"Accept-Encoding"}
	acceptType     = []string{"Accept"}
)

// setFields makes h say what the plan says. What outer code set about the body
// is replaced or removed, Vary is merged, and everything else is left alone.
func setFields(h http.Header, p plan.Plan, ready *Ready) {
	if ready == nil {
		ready = new(Ready)
	}
	f := fields.New(h, 13)
	f.SetReady("Content-Type", p.ContentType, ready.ContentType)
	f.SetReady("Content-Length", p.ContentLength, ready.ContentLength)
	f.Set("Content-Range", p.ContentRange)
	f.SetReady("Content-Encoding", p.ContentEncoding, ready.ContentEncoding)
	f.SetReady("Etag", string(p.ETag), ready.ETag)
	f.SetReady("Last-Modified", p.LastModified, ready.LastModified)
	f.SetReady("Cache-Control", p.CacheControl, ready.CacheControl)
	f.SetReady("Accept-Ranges", p.AcceptRanges, bytesUnit)
	f.SetIfAny("Allow", p.Allow)
	f.SetIfAny("Location", p.Location)
	f.SetIfAny("Retry-After", p.RetryAfter)
	f.SetIfAny("Repr-Digest", p.ReprDigest)
	if p.Extra != nil {
		f.SetIfAny("Content-Disposition", p.Extra.Disposition)
		f.SetIfAny("Content-Security-Policy", p.Extra.Policy)
	}
	if p.NoSniff {
		f.SetReady("X-Content-Type-Options", "nosniff", noSniff)
	}
	if p.Vary {
		f.Vary("Accept-Encoding", acceptEncoding)
	}
	if p.VaryAccept {
		f.Vary("Accept", acceptType)
	}
	if p.ContentType == "" && len(p.Ranges) > 0 {
		h["Content-Type"] = nil // keeps net/http from guessing where outer code wants none
	}
}

// VaryAccept adds Accept to the members of Vary, for an answer of somebody else.
func VaryAccept(h http.Header) {
	f := fields.New(h, 1)
	f.Vary("Accept", acceptType)
}
