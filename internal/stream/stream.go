// Package stream is the response writer that compresses what a handler writes, and is invisible otherwise.
//
// A response is undecided at first. One function decides, from the request, the header and the first plain bytes,
// whether it passes or is encoded; it is asked wherever that could be known by then, in WriteHeader, Write, ReadFrom and
// Flush and at the end, and its answer is final, but that a response passes whose encoding cannot begin. What passes goes
// through untouched but for Vary. A response that is encoded collects plain bytes, has them encoded in slices under a slot
// of a limiter, and sends what came of it only when there is enough, on Flush, and at the end.
package stream

import (
	"net/http"

	"servery/internal/codec"
	"servery/internal/offload"
)

// Options are what all responses of one middleware have in common. They never change.
type Options struct {
	Encoders     *codec.Set
	Compressible func(mediaType string) bool
	MinSize      int   // bytes of a body from which it is encoded, 0 for all that are not empty
	Threshold    int64 // bytes in one write, or in all so far, from which a body counts as large

	// No encoder is made or runs without a slot of one of these, and none stays open from one slot to the next
	// without a place in Open.
	Small, Large *offload.Limiter
	Open         *offload.Room

	OnError func(*http.Request, error)  // may be nil
	Observe func(*http.Request, Report) // may be nil
}

// Middleware encodes what handlers write. It may be used by any number of goroutines.
type Middleware struct{ Options }

// New returns the middleware for these options, which are complete.
func New(o Options) *Middleware { return &Middleware{o} }

// Serve lets next answer the request through a writer of this package.
//
// A panic of next goes its way with nothing written because of it: an outer handler can still answer if nothing was
// sent, and what was sent has no end mark of its coding.
func (m *Middleware) Serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if len(r.Header["Upgrade"]) > 0 || r.Method == http.MethodConnect {
		next.ServeHTTP(w, r) // what follows is perhaps no HTTP at all
		return
	}
	q, seen := m.request(r)
	s := &writer{m: m, inner: w, q: q, declared: -1}
	if m.Observe != nil {
		defer s.observe()
	}
	defer s.discard()
	if seen != r {
		defer giveBack(r, seen)
	}
	next.ServeHTTP(s.outward(), seen)
	s.finish()
}

// giveBack makes r, but for its header, what inner handlers made of its copy: outer ones look for the pattern and the
// values of its path, the server for the temporary files of a form. The maps of both headers are left alone: a handler that
// was given up on may be changing its own, and who has given up on it may be reading the other.
func giveBack(r, seen *http.Request) {
	header := r.Header
	*r = *seen
	r.Header = header
}

// Leave tells the middleware around w that the answer was negotiated already and is to stay as it is. It is called
// before anything is written.
func Leave(w http.ResponseWriter) {
	for {
		if s, ok := w.(interface{ leave() }); ok {
			s.leave()
		}
		wrapper, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return
		}
		w = wrapper.Unwrap()
	}
}

// Around reports whether there is a middleware around w, which is as yet to choose a coding for what a handler leaves
// to it.
func Around(w http.ResponseWriter) bool {
	_, around := find[interface{ leave() }](w)
	return around
}
