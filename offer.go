package servery

import (
	"net/http"
	"slices"

	"servery/internal/accept"
	"servery/internal/coded"
	"servery/internal/deliver"
	"servery/internal/plan"
	"servery/internal/sidecar"
	"servery/internal/stream"
)

// offer is a coded representation that could be sent: the exchange's sidecar, or one
// that is kept or yet to be made. The zero offer is none.
type offer struct {
	codings []plan.Coding // it alone
	job     coded.Job     // that makes it, if it is no sidecar
	kept    *coded.Body   // what the job made, or nil
	ready   deliver.Ready // for what it makes
}

// offer finds the coded representation that the request wants most, if any is
// wanted more than identity. Among those that it wants equally the sidecar comes
// first: it is there already.
func (x *exchange) offer(facts plan.Facts) offer {
	if !facts.Negotiable || len(x.request.AcceptEncoding) == 0 {
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
	order := accept.Order(wanted[:0], x.request.AcceptEncoding, offered)
	switch {
	case len(order) == 0 || order[0] == accept.Identity:
		return offer{}
	case order[0] == packed.Name:
		return offer{codings: []plan.Coding{packed}}
	}
	x.closeSidecar()
	return x.made(order[0], facts)
}

// made is the offer of what an encoder makes, or none if it is known to save too
// little: conditions are judged by the tag of what will be sent.
func (x *exchange) made(coding string, facts plan.Facts) offer {
	o := offer{job: x.job(coding)}
	if body, ok := x.options.Cache.store.Kept(o.job); ok {
		if !body.Worth {
			x.tellBody(BodyHit, body)
			return offer{}
		}
		o.kept = body
	}
	if x.known != nil {
		f := &x.known.coded[slices.Index(x.encoders.Codings(), coding)]
		o.codings, o.ready = f.codings, f.ready
	} else {
		o.codings = []plan.Coding{x.codingOf(coding, facts)}
	}
	return o
}

func (s *fileServer) codingOf(coding string, facts plan.Facts) plan.Coding {
	return plan.Coding{Name: coding, ETag: facts.ETag.ForCoding(s.encoders.TagSuffix(coding))}
}

// job is what makes the file's representation in a coding.
func (x *exchange) job(coding string) coded.Job {
	encoder, _ := x.encoders.Encoder(coding)
	job := coded.Job{
		Key: coded.Key{
			File:       x.file.Key(),
			Coding:     coding,
			Level:      encoder.Level,
			Generation: encoder.Generation,
			Always:     !accept.IdentityAcceptable(x.request.AcceptEncoding),
		},
		File:     x.file,
		Encoders: x.encoders,
		Slots:    x.options.Limiter.of(x.file.Info.Size, x.options.OffloadThreshold),
		Digest:   !x.file.Settled && x.contentTagged(),
	}
	if job.Key.File.Path != "" {
		job.Key.Namespace = x.namespace
	}
	return job
}

// contentTagged reports whether the file's tag is made of its content, or will be
// once it is settled.
func (x *exchange) contentTagged() bool {
	most := x.options.ContentETagMax
	return x.file.Info.Size <= most || most >= 0 && x.file.ModTime.IsZero()
}

// openSidecar opens the sidecar that the request wants most of those that can be
// trusted and read, if it wants one more than identity.
func (x *exchange) openSidecar() plan.Coding {
	var wanted [8]string
	for _, coding := range accept.Order(wanted[:0], x.request.AcceptEncoding, x.options.Sidecars) {
		if coding == accept.Identity {
			break
		}
		if x.sidecar = sidecar.Open(x.loader, x.view, coding, x.file); x.sidecar == nil {
			continue
		}
		tag, err := x.tags.Of(x.ctx, x.sidecar)
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

// negotiates reports whether there are codings to choose from.
func (s *fileServer) negotiates() bool { return len(s.options.Encoders)+len(s.options.Sidecars) > 0 }

// yield leaves the choice to a Compress around, for what has no codings here. It refuses
// nobody.
func yield(w http.ResponseWriter, request *plan.Request) {
	if len(request.AcceptEncoding) > 0 && stream.Around(w) {
		request.AcceptEncoding = nil
	}
}
