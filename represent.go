package servery

import (
	"errors"
	"io"
	"net/http"
	"strings"

	"servery/internal/accept"
	"servery/internal/byterange"
	"servery/internal/codec"
	"servery/internal/coded"
	"servery/internal/deliver"
	"servery/internal/flight"
	"servery/internal/identity"
	"servery/internal/mediatype"
	"servery/internal/offload"
	"servery/internal/plan"
	"servery/internal/sidecar"
)

// exchange is one request and the file that was opened for it. It belongs to the
// request's goroutine.
type exchange struct {
	*fileServer
	r     *http.Request
	outer http.Header // what outer code has set of the answer so far
	view  identity.View

	// Both are owned. sidecar is nil until one is on offer.
	file, sidecar *identity.Opened
}

func (x *exchange) close() {
	x.file.Close()
	x.closeSidecar()
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

// offer is a coded representation that could be sent: the exchange's sidecar, or one
// that is kept or yet to be made. The zero offer is none.
type offer struct {
	coding  plan.Coding
	encoder codec.Encoder // the zero Encoder where a sidecar is on offer
}

// decide plans the answer and makes sure that the bytes it promises are there.
func (x *exchange) decide() (answer, error) {
	facts, err := x.facts()
	if err != nil {
		return answer{}, err
	}
	o := x.offer(facts)
	if o.coding.Name != "" {
		facts.Codings = []plan.Coding{o.coding}
	}
	request := requestOf(x.r)
	switch p := plan.Decide(request, facts); {
	case p.ContentEncoding == "":
		return answerFrom(x.file, p)
	case x.sidecar != nil:
		return answerFrom(x.sidecar, p.Measured(x.sidecar.Info.Size, request.Head))
	default:
		return x.encoded(p, request, facts, o)
	}
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
func (x *exchange) encoded(p plan.Plan, request plan.Request, facts plan.Facts, o offer) (answer, error) {
	body, err := x.body(o)
	saturated := errors.Is(err, offload.ErrSaturated) || errors.Is(err, flight.ErrShutdown)
	identityWill := accept.IdentityAcceptable(request.AcceptEncoding)
	switch {
	case err == nil && body.Worth:
		if body.Plain != "" {
			p.ETag = body.Plain.ForCoding(o.encoder.TagSuffix())
		}
		return answer{p.Measured(int64(len(body.Bytes)), request.Head), memory(body.Bytes)}, nil
	case saturated && (x.options.OnSaturation == Reject || !identityWill):
		return answer{plan: plan.Failure(http.StatusServiceUnavailable)}, nil
	case err != nil && !saturated && !(identityWill && errors.Is(err, coded.ErrGrown)):
		return answer{}, err
	}
	facts.Codings = nil
	return answerFrom(x.file, plan.Decide(request, facts))
}

// body returns the coded body of the file: kept, joined, or made.
func (x *exchange) body(o offer) (*coded.Body, error) {
	return x.options.Cache.store.Body(x.r.Context(), coded.Job{
		Key:      x.key(o.encoder),
		File:     x.file,
		Encoders: x.encoders,
		Slots:    x.options.Limiter.of(x.file.Info.Size, x.options.OffloadThreshold),
		Digest:   !x.file.Settled && x.contentTagged(),
	})
}

// key names what the encoder makes of the file.
func (x *exchange) key(encoder codec.Encoder) coded.Key {
	key := coded.Key{
		File:       x.file.Key(),
		Coding:     encoder.Coding,
		Level:      encoder.Level,
		Generation: encoder.Generation,
		Always:     !accept.IdentityAcceptable(x.r.Header["Accept-Encoding"]),
	}
	if key.File.Path != "" {
		key.Namespace = x.namespace
	}
	return key
}

// contentTagged reports whether the file's tag is made of its content, or will be
// once it is settled.
func (x *exchange) contentTagged() bool {
	most := x.options.ContentETagMax
	return x.file.Info.Size <= most || most >= 0 && x.file.ModTime.IsZero()
}

// offer finds the coded representation that the request wants most, if any is
// wanted more than identity. Among those that it wants equally the sidecar comes
// first: it is there already.
func (x *exchange) offer(facts plan.Facts) offer {
	if !facts.Negotiable {
		return offer{}
	}
	var names, wanted [8]string
	offered := names[:0]
	packed := x.openSidecar()
	if x.sidecar != nil {
		offered = append(offered, packed.Name)
	}
	if x.encodes(facts.Size) {
		for _, coding := range x.encoders.Codings() {
			if coding != packed.Name {
				offered = append(offered, coding)
			}
		}
	}
	order := accept.Order(wanted[:0], x.r.Header["Accept-Encoding"], offered)
	switch {
	case len(order) == 0 || order[0] == accept.Identity:
		return offer{}
	case order[0] == packed.Name:
		return offer{coding: packed}
	}
	x.closeSidecar()
	encoder, _ := x.encoders.Encoder(order[0])
	// Conditions are judged by the tag of what will be sent.
	if x.options.Cache.store.Unworthy(x.key(encoder)) {
		return offer{}
	}
	tag := facts.ETag.ForCoding(encoder.TagSuffix())
	return offer{coding: plan.Coding{Name: encoder.Coding, ETag: tag}, encoder: encoder}
}

// openSidecar opens the sidecar that the request wants most of those that can be
// trusted and read, if it wants one more than identity.
func (x *exchange) openSidecar() plan.Coding {
	var wanted [8]string
	for _, coding := range accept.Order(wanted[:0], x.r.Header["Accept-Encoding"], x.options.Sidecars) {
		if coding == accept.Identity {
			break
		}
		if x.sidecar = sidecar.Open(x.loader, x.view, coding, x.file); x.sidecar == nil {
			continue
		}
		tag, err := x.tags.Of(x.r.Context(), x.sidecar)
		if err == nil {
			return plan.Coding{Name: coding, ETag: tag.ForCoding(tagSuffix(coding))}
		}
		x.closeSidecar() // the original is there
	}
	return plan.Coding{}
}

// encodes reports whether files of this size are encoded on request.
func (s *fileServer) encodes(size int64) bool {
	return len(s.options.Encoders) > 0 && s.options.MinSize <= size && size <= s.options.MaxCompressSize
}

// facts collects what the plan needs to know of the file. What outer code said of
// its media type and its caching counts for more than what is known here.
func (x *exchange) facts() (plan.Facts, error) {
	f := plan.Facts{Size: x.file.Info.Size, ModTime: x.file.ModTime, Now: x.file.Now}
	var err error
	if f.ContentType, err = x.contentType(); err != nil {
		return f, err
	}
	if f.ETag, err = x.tags.Of(x.r.Context(), x.file); err != nil {
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
	return f, nil
}

func (x *exchange) contentType() (string, error) {
	if lines, ok := x.outer["Content-Type"]; ok {
		if len(lines) == 0 {
			return "", nil
		}
		return lines[len(lines)-1], nil // browsers, too, go by the last
	}
	if mediaType := x.types.ByName(x.file.Name); mediaType != "" {
		return mediaType, nil
	}
	prefix, err := x.file.Peek()
	return mediatype.Sniff(prefix), err
}

// memory is a body in memory.
type memory []byte

func (m memory) WriteRange(w io.Writer, r byterange.Range) error {
	_, err := w.Write(m[r.Start : r.Start+r.Length])
	return err
}
