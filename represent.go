package servery

import (
	"context"
	"errors"
	"net/http"
	"path"
	"strings"

	"servery/internal/accept"
	"servery/internal/byterange"
	"servery/internal/coded"
	"servery/internal/deliver"
	"servery/internal/digest"
	"servery/internal/disposition"
	"servery/internal/flight"
	"servery/internal/identity"
	"servery/internal/mediatype"
	"servery/internal/offload"
	"servery/internal/plan"
)

// exchange is one request and the file that was opened for it. It belongs to the
// request's goroutine.
type exchange struct {
	*fileServer
	ctx     context.Context // the request's
	request plan.Request
	outer   http.Header // what outer code has set of the answer so far
	view    identity.View

	download bool // the file is to be saved, not shown

	// Both are owned. sidecar is nil until one is on offer.
	file, sidecar *identity.Opened

	known *known        // of the file, or nil
	ready deliver.Ready // for the answer
	out   *Outcome      // to be told, or nil
}

func (x *exchange) close() {
	defer x.closeSidecar() // deferred: somebody else's file may panic
	x.file.Close()
}

func (x *exchange) closeSidecar() {
	if x.sidecar != nil {
		x.sidecar.Close()
		x.sidecar = nil
	}
}

// answer is a plan with the bytes that it speaks of.
type answer struct {
	plan    plan.Plan
	content deliver.Content
}

// decide plans the answer and makes sure that the bytes it promises are there.
func (x *exchange) decide() (answer, error) {
	facts, err := x.facts()
	if err != nil {
		return answer{}, err
	}
	a, err := x.represent(facts)
	if err == nil {
		x.file.Remember(facts.ETag, func() any { return x.prepare(facts) })
		x.tell(facts, a.plan)
	}
	return a, err
}

func (x *exchange) represent(facts plan.Facts) (answer, error) {
	o := x.offer(facts)
	facts.Codings = o.codings
	switch p := plan.Decide(x.request, facts); {
	case p.Status == http.StatusPreconditionFailed && x.mayYetHold(facts, o):
		return x.encoded(p, facts, o)
	case p.ContentEncoding == "":
		if x.known != nil {
			x.ready = x.known.ready
		}
		return x.identity(p)
	case x.sidecar != nil:
		return answerFrom(x.sidecar, p.Of(byterange.ExtentOf(x.sidecar.Info.Size), x.request.Head))
	default:
		return x.encoded(p, facts, o)
	}
}

// mayYetHold reports whether a precondition that fails for the coding on offer holds for
// identity. Its tag is what was sent if the coding saves too little, which may have been
// forgotten: only making the coding tells.
func (x *exchange) mayYetHold(facts plan.Facts, o offer) bool {
	if len(o.codings) == 0 || x.sidecar != nil || o.kept != nil || o.job.Key.Always {
		return false
	}
	facts.Codings = nil
	return plan.Decide(x.request, facts).Status != http.StatusPreconditionFailed
}

// answerFrom makes sure of the bytes that the plan promises of a file.
func answerFrom(file *identity.Opened, p plan.Plan) (answer, error) {
	var err error
	switch {
	case len(p.Ranges) == 0:
	case file.Small():
		settled := file.Settled
		if err = file.Load(); err == nil && settled && !file.Settled {
			err = identity.ErrChanged // the plan has the tag of what it was
		}
	default:
		err = file.Probe(p.Ranges)
	}
	return answer{p, file}, err
}

// encoded gets the body of a coded answer. Where the coding saves too little, nothing
// may be made at the moment, or the file grows, it leads back to the plan, once.
func (x *exchange) encoded(p plan.Plan, facts plan.Facts, o offer) (answer, error) {
	body, err := x.body(o)
	if err == nil && body.Worth {
		if p.ContentEncoding == "" { // the precondition fails for good
			return answer{plan: p}, nil
		}
		if body.Plain != "" {
			p.ETag = body.Plain.ForCoding(x.encoders.TagSuffix(o.job.Key.Coding))
		}
		x.ready = o.ready
		x.ready.ContentLength = body.Length
		return answer{p.Of(body.Extent, x.request.Head), body}, nil
	}
	saturated := isSaturated(err)
	identityWill := accept.IdentityAcceptable(x.request.AcceptEncoding)
	switch {
	case saturated && (x.options.OnSaturation == Reject || !identityWill):
		return answer{plan: plan.Failure(http.StatusServiceUnavailable)}, nil
	case err != nil && !saturated && !(identityWill && errors.Is(err, coded.ErrGrown)):
		return answer{}, err
	}
	facts.Codings = nil
	return x.identity(plan.Decide(x.request, facts))
}

// identity is the answer with the file as it is, and with the digest of it that the plan
// asks for.
func (x *exchange) identity(p plan.Plan) (answer, error) {
	a, err := answerFrom(x.file, p)
	if err == nil && p.Digest != digest.None {
		a.plan.ReprDigest = x.digests.Of(x.ctx, x.file, p.Digest)
	}
	return a, err
}

// body returns what is on offer, and makes it if need be.
func (x *exchange) body(o offer) (*coded.Body, error) {
	if o.kept != nil {
		x.tellBody(BodyHit, o.kept)
		return o.kept, nil
	}
	start := x.clock()
	body, joined, err := x.options.Cache.store.Make(x.ctx, o.job)
	x.tellMade(start, body, joined, err)
	return body, err
}

func isSaturated(err error) bool {
	return errors.Is(err, offload.ErrSaturated) || errors.Is(err, flight.ErrShutdown)
}

// facts collects what the plan needs to know of the file. What outer code said of
// its media type and its caching counts for more than what is known here.
func (x *exchange) facts() (plan.Facts, error) {
	f := plan.Facts{Size: x.file.Info.Size, ModTime: x.file.ModTime, Now: x.file.Now}
	if x.known, _ = x.file.Memo().(*known); x.known != nil {
		f.Extent, f.LastModified = x.known.extent, x.known.lastModified
	}
	var err error
	if f.ContentType, err = x.contentType(); err != nil {
		return f, err
	}
	if f.ETag, err = x.tags.Of(x.ctx, x.file); err != nil {
		return f, err
	}
	f.Negotiable = (len(x.options.Sidecars) > 0 || x.encodes(f.Size)) &&
		x.options.Compressible(mediatype.Essence(f.ContentType))
	if x.file.Seekable() {
		f.MostRanges = x.options.Ranges
	}
	if lines, ok := x.outer["Cache-Control"]; ok {
		f.CacheControl = strings.Join(lines, ", ")
	} else {
		f.CacheControl = x.options.CacheControl(x.file.Name)
	}
	if x.download {
		f.Extra = &plan.Extra{Disposition: disposition.Attachment(path.Base(x.file.Name))}
	}
	return f, nil
}

func (x *exchange) contentType() (string, error) {
	if lines, ok := x.outer["Content-Type"]; ok {
		if len(lines) == 0 {
			return "", nil
		}
		return lines[len(lines)-1], nil // browsers, too, go by the last
	}
	if x.known != nil && x.known.mediaType != "" {
		return x.known.mediaType, nil
	}
	if mediaType := x.types.ByName(x.file.Name); mediaType != "" {
		return mediaType, nil
	}
	prefix, err := x.file.Peek()
	return mediatype.Sniff(prefix), err
}
