package stream

import (
	"errors"
	"net/http"
	"time"

	"servery/internal/offload"
)

// Report is what became of a response.
type Report struct {
	Status int    // 0 if there is none: the handler has panicked before it set one, or has taken the connection
	Coding string // "" if there is none
	Reason Reason // why there is none; "" if there is one

	Plain, Coded int64 // bytes of the body, as the handler wrote them and as they were sent in the coding

	Waited  time.Duration // for slots
	Encoded time.Duration // with slots, giving way included

	Err error // why the response broke off, as far as that was found out here
}

// Reason is why a response is not coded.
type Reason string

// The reasons. The first that applies counts, and they apply in this order.
const (
	Negotiated  Reason = "negotiated"   // the handler does that itself
	Status      Reason = "status"       // there is no body, or it is no representation of the resource
	Header      Reason = "header"       // it says that the bytes have to be these
	Range       Reason = "range"        // it is a part, or one was asked for
	Type        Reason = "type"         // the media type is not worth it, or has to be there at once
	Small       Reason = "small"        // the body is
	NotAccepted Reason = "not accepted" // the client accepts no coding, or wants none rather than one
	Incomplete  Reason = "incomplete"   // the handler wrote less than it had said
	Saturated   Reason = "saturated"    // there was too much to do
	Failed      Reason = "failed"       // the encoder has, or the client left before there was a slot
	Hijacked    Reason = "hijacked"     // the handler has taken the connection, or has panicked, before it was decided
)

// gauge is what is measured of a response where somebody wants to know.
type gauge struct {
	passed, coded   int64
	waited, encoded time.Duration
	returned        bool // the handler has
}

// report tells the application of a failure of one of its encoders.
func (s *writer) report(err error) {
	if failure, ok := errors.AsType[encoderError](err); ok && s.m.OnError != nil {
		s.m.OnError(s.q.Request, failure.error)
	}
}

// fallBack gives up the encoding that has not begun.
func (s *writer) fallBack(err error) {
	s.report(err)
	s.drop()
	s.verdict.reason = Failed
	if errors.Is(err, offload.ErrSaturated) {
		s.verdict.reason = Saturated
	}
}

// observe reports what became of the response.
func (s *writer) observe() {
	r := Report{
		Status: s.status, Reason: s.verdict.reason, Plain: s.taken + s.gauge.passed, Coded: s.gauge.coded,
		Waited: s.gauge.waited, Encoded: s.gauge.encoded, Err: s.failed,
	}
	switch {
	case s.state == hijacked:
		r.Status, r.Reason = 0, Hijacked
	case s.verdict.action == encode:
		r.Coding = s.q.coding
	case s.verdict.action == wait:
		r.Reason = Hijacked
	}
	if !s.gauge.returned && s.state != hijacked && r.Err == nil {
		r.Err = errHandler
	}
	if r.Status == 0 && s.state != hijacked && s.gauge.returned {
		r.Status = http.StatusOK // which the server sets for who sets none
	}
	s.m.Observe(s.q.Request, r)
}

var errHandler = errors.New("servery: the handler has panicked")

// clock returns the time where somebody wants to know how long things take.
func (s *writer) clock() (now time.Time) {
	if s.m.Observe != nil {
		now = time.Now()
	}
	return now
}

// since adds the time since then to a sum.
func (s *writer) since(then time.Time, sum *time.Duration) {
	if s.m.Observe != nil {
		*sum += time.Since(then)
	}
}
