package stream

import (
	"errors"
	"io"
	"net/http"

	"servery/internal/codec"
)

// writer is one response. As any [http.ResponseWriter] it is used by one goroutine at a time, and not after the handler
// has returned.
type writer struct {
	m     *Middleware
	inner http.ResponseWriter
	q     request

	state  state
	left   bool // the handler negotiates itself
	opened bool // the handler has set a status, by WriteHeader or by writing
	status int

	// All are of plain bytes that go through here.
	declared int64 // the handler's Content-Length, or -1; known once opened
	tried    int64 // by the handler
	taken    int64 // of those, what was not refused
	refused  bool  // some were, beyond what was declared: none are taken any more

	kept    *scratch // what has to be kept, or nil
	verdict verdict
	gauge   gauge
	sent    bool // the inner writer has its status

	// The fields below are of a response that is encoded.
	tagFollows bool // an entity-tag was announced as a trailer

	lease   *codec.Lease // nil before the first slice and after the last
	placed  bool         // a place in m.Open is held
	begun   bool         // a part of the body exists in encoded form only
	dirty   bool         // the encoder holds bytes back that nobody has flushed
	feeding bool         // an encoder is at work, or has panicked
	failed  error        // why no more is taken
	abort   bool         // the client must not take what it got for all there is
	whole   bool         // all of it is sent, end mark included
}

// state is where a response is.
type state int

const (
	undecided  state = iota
	passing          // everything goes to the inner writer
	encoding         // falls back to passing where it cannot be encoded, as long as nothing is begun
	swallowing       // HEAD of what would be encoded: there is no body
	hijacked
	done
)

var errDone = errors.New("servery: the handler has returned")

func (s *writer) Header() http.Header { return s.inner.Header() }

// Unwrap is for [http.ResponseController]: deadlines and full duplex are the inner writer's.
func (s *writer) Unwrap() http.ResponseWriter { return s.inner }

func (s *writer) leave() { s.left = true }

// WriteHeader sets the status. Interim responses go out at once, with the header of the moment (RFC 9110, section 15.2),
// and so does a code that is none, at which the inner writer panics.
func (s *writer) WriteHeader(status int) {
	switch {
	case s.state == passing:
		s.inner.WriteHeader(status)
	case s.opened || s.over() != nil:
	case status < 200 && status != http.StatusSwitchingProtocols, status > 999:
		s.inner.WriteHeader(status)
	default:
		s.open(status)
		_ = s.ask(more, nil) // nothing is there that could fail to be written
		s.freeze()
	}
}

func (s *writer) open(status int) {
	s.opened, s.status = true, status
	s.declared = declaredLength(s.Header())
}

// over returns the error of all that is done with the response now, if nothing can be done with it any more.
func (s *writer) over() error {
	switch s.state {
	case hijacked:
		return http.ErrHijacked
	case done:
		return errDone
	}
	return nil
}

// Write takes all of p or fails. It keeps no reference to it.
func (s *writer) Write(p []byte) (int, error) {
	if s.through() {
		n, err := s.inner.Write(p)
		s.gauge.passed += int64(n)
		return n, err
	}
	defer s.freeze()
	if err := s.admit(len(p)); err != nil {
		return 0, err
	}
	if s.state == undecided {
		if err := s.ask(more, p); err != nil {
			return 0, err
		}
	}
	switch s.state {
	case undecided:
		s.keep(p)
	case encoding:
		if err := s.collect(p); err != nil {
			return 0, err
		}
	case passing:
		return s.inner.Write(p)
	}
	return len(p), nil
}

// WriteString is for [io.WriteString].
func (s *writer) WriteString(p string) (int, error) {
	if s.through() {
		n, err := io.WriteString(s.inner, p)
		s.gauge.passed += int64(n)
		return n, err
	}
	return s.Write([]byte(p))
}

// through reports whether writes go to the inner writer as they are. That one does not know of those that were refused
// here.
func (s *writer) through() bool { return s.state == passing && !s.refused }

// admit does to a write of n bytes what net/http does before it looks at them.
func (s *writer) admit(n int) error {
	if err := s.over(); err != nil {
		return err
	}
	if !s.opened {
		s.open(http.StatusOK)
	}
	s.tried += int64(n)
	switch {
	case n == 0:
		return nil
	case s.failed != nil:
		return s.failed
	case s.declared >= 0 && s.tried > s.declared:
		s.refused = true
		return http.ErrContentLength
	}
	s.taken += int64(n)
	return nil
}

// ask decides what becomes of the response, if that can be said at this moment, and does it. next is what the caller is
// about to write.
func (s *writer) ask(at moment, next []byte) error {
	a := answer{moment: at, status: s.status, header: s.Header(), prefix: next, size: int64(len(next)), declared: s.declared}
	if !s.opened {
		a.status, a.declared = http.StatusOK, declaredLength(a.header)
	}
	if s.kept != nil {
		a.header = s.kept.header(a.header)
		a.prefix, a.size = s.kept.with(next), a.size+int64(len(s.kept.plain))
	}
	v := verdict{action: pass, reason: Negotiated}
	if !s.left {
		v = s.m.decide(&s.q, a)
	}
	s.verdict = v
	switch {
	case v.action == encode && !s.q.head:
		s.state = encoding
	case v.action == encode:
		s.state = swallowing
		s.send(s.edits(-1))
		s.release()
	case v.action == pass:
		return s.pass(nil)
	}
	return nil
}

// pass sends the head and the plain bytes so far, which are those that were kept and then p. All that follows goes to
// the inner writer.
func (s *writer) pass(p []byte) error {
	s.state = passing
	s.verdict.action = pass
	s.send(edits{verdict: s.verdict, length: -1})
	var err error
	for _, plain := range [][]byte{s.kept.bytes(), p} {
		if len(plain) > 0 && err == nil {
			_, err = s.inner.Write(plain)
		}
	}
	s.release()
	return err
}

// send sends the head with its edits. A response whose status the handler never set is left to the server, or to an
// outer handler. What the handler has changed since it set the status is put back, since there are the trailers. What was
// edited stays as it was sent: not every server takes a copy of the header, and the coding must not be lost.
func (s *writer) send(e edits) {
	h := s.Header()
	later := s.kept.restore(h)
	s.tagFollows = announces(h["Trailer"], "Etag")
	if e.length >= 0 && hasTrailers(h) {
		e.length = -1
	}
	e.apply(h)
	if s.opened {
		s.inner.WriteHeader(s.status)
		s.sent = true
	}
	if later != nil {
		e.keep(h, later)
		replace(h, later)
	}
}

// edits are those of an encoded response whose body has this length, or -1.
func (s *writer) edits(length int64) edits {
	return edits{verdict: s.verdict, coding: s.q.coding, suffix: s.q.suffix, change: changes(s.q.Method), length: length}
}
