package stream

import (
	"errors"
	"net/http"
	"time"
)

// finish ends the response of a handler that has returned.
func (s *writer) finish() {
	s.gauge.returned = true
	if s.state == undecided {
		_ = s.ask(ended, nil) // who could be told is gone
	}
	if s.state == encoding {
		s.end()
		if s.whole {
			s.edits(-1).trailers(s.Header(), s.tagFollows)
		}
	}
	s.drop()
	s.release()
	if s.abort {
		panic(http.ErrAbortHandler)
	}
}

// discard lets go of all that the response holds, in whatever state it is. While nothing was sent an outer handler can
// still answer, through this writer, too, if a framework has kept it.
func (s *writer) discard() {
	s.drop()
	s.kept = nil
	// A handler that was given up on may end while its connection serves the next request: the writer has refused its bytes.
	givenUp := s.gauge.returned && s.failed != nil && !s.abort
	switch {
	case s.state == hijacked || s.state == passing:
	case !s.sent:
		s.state = passing
	case s.state == encoding && !s.whole && !givenUp:
		s.cut()
		fallthrough
	default:
		s.state = done
	}
}

// cut makes all further writes to the client fail. A panic that reaches the server does that as well, but one that an
// outer handler recovers from would let that write a page of its own behind the coded bytes, and the server end them as if
// they were whole.
func (s *writer) cut() {
	_ = http.NewResponseController(s.inner).SetWriteDeadline(time.Unix(1, 0)) // if the inner writer has deadlines
}

// end ends an encoded response. A body that is not of the length that the handler declared fails as it would have
// without a coding: the client can tell that it is not whole (RFC 9112, section 8).
func (s *writer) end() {
	switch {
	case s.failed != nil:
	case s.declared < 0 || s.taken == s.declared:
		if s.feed(nil, closing) == nil && s.state == encoding {
			s.whole = s.drain(int64(s.kept.coded.Len())) == nil
		}
	case s.begun:
		s.failed, s.abort = errIncomplete, true
	default:
		s.verdict.reason = Incomplete
		_ = s.pass(nil)
	}
}

var errIncomplete = errors.New("servery: the handler wrote less than it had declared")
