package deliver

import (
	"net/http"

	"servery/internal/plan"
	"servery/internal/vary"
)

// setFields makes h say what the plan says. What outer code set about the body
// is replaced or removed, Vary is merged, and everything else is left alone.
func setFields(h http.Header, p plan.Plan) {
	f := fields{h: h}
	f.set("Content-Type", p.ContentType)
	f.set("Content-Length", p.ContentLength)
	f.set("Content-Range", p.ContentRange)
	f.set("Content-Encoding", p.ContentEncoding)
	f.set("Etag", string(p.ETag))
	f.set("Last-Modified", p.LastModified)
	f.set("Cache-Control", p.CacheControl)
	f.set("Accept-Ranges", p.AcceptRanges)
	f.setIfAny("Allow", p.Allow)
	f.setIfAny("Location", p.Location)
	f.setIfAny("Retry-After", p.RetryAfter)
	if p.NoSniff {
		f.set("X-Content-Type-Options", "nosniff")
	}
	if p.Vary {
		f.vary("Accept-Encoding")
	}
	if p.ContentType == "" && len(p.Ranges) > 0 {
		h["Content-Type"] = nil // keeps net/http from guessing where outer code wants none
	}
}

// fields sets values that share one allocation. Each value is a slice of its own
// without spare room, so that whoever appends to one reaches no other.
type fields struct {
	h      http.Header
	values [13]string
	used   int
}

func (f *fields) set(name, value string) {
	if value == "" {
		delete(f.h, name)
		return
	}
	f.values[f.used] = value
	f.h[name] = f.values[f.used : f.used+1 : f.used+1]
	f.used++
}

func (f *fields) setIfAny(name, value string) {
	if value != "" {
		f.set(name, value)
	}
}

// vary adds a member to Vary.
func (f *fields) vary(name string) {
	if list, changed := vary.Merge(f.h["Vary"], name); changed {
		f.set("Vary", list)
	}
}
