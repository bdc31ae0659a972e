package deliver

import (
	"net/http"

	"servery/internal/fields"
	"servery/internal/plan"
)

// setFields makes h say what the plan says. What outer code set about the body
// is replaced or removed, Vary is merged, and everything else is left alone.
func setFields(h http.Header, p plan.Plan) {
	f := fields.New(h, 13)
	f.Set("Content-Type", p.ContentType)
	f.Set("Content-Length", p.ContentLength)
	f.Set("Content-Range", p.ContentRange)
	f.Set("Content-Encoding", p.ContentEncoding)
	f.Set("Etag", string(p.ETag))
	f.Set("Last-Modified", p.LastModified)
	f.Set("Cache-Control", p.CacheControl)
	f.Set("Accept-Ranges", p.AcceptRanges)
	f.SetIfAny("Allow", p.Allow)
	f.SetIfAny("Location", p.Location)
	f.SetIfAny("Retry-After", p.RetryAfter)
	if p.NoSniff {
		f.Set("X-Content-Type-Options", "nosniff")
	}
	if p.Vary {
		f.Vary("Accept-Encoding")
	}
	if p.ContentType == "" && len(p.Ranges) > 0 {
		h["Content-Type"] = nil // keeps net/http from guessing where outer code wants none
	}
}
