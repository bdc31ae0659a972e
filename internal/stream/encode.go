package stream

import (
	"context"
	"errors"
	"io"

	"servery/internal/offload"
)

const (
	// collected is how many plain bytes are kept before the encoder sees them, and how many encoded ones before they are
	// sent. A response that ends within the first is encoded at once and holds no encoder while its handler works; one that
	// ends within the second has an exact length.
	collected = 16 << 10

	// collectedInQueue is how many plain bytes a large response keeps while others wait for its slots, where it would have
	// to wait as well. Encoders that take turns after every few KiB push each other's tables, of a megabyte, out of the
	// processor's cache: 64 clients at level 6 had a fifth less throughput by that.
	collectedInQueue = 256 << 10

	// A slice is what is encoded with one slot: so many plain bytes, or what becomes so many encoded ones and the rest of
	// what the encoder had in hand. The latter is the memory that a response takes while a slow client reads.
	slicePlain   = 1 << 20
	sliceEncoded = 128 << 10

	// piece is how much is encoded between two looks at whether it is time to give way.
	piece = 16 << 10
)

// ending is what is done to the encoder after a slice.
type ending int

const (
	open ending = iota
	flushing
	closing
)

// collect takes plain bytes of a response that is encoded.
func (s *writer) collect(p []byte) error {
	if len(p) == 0 {
		return nil
	}
	room := s.room()
	if s.kept != nil && len(s.kept.plain) > 0 && len(s.kept.plain)+len(p) > room {
		if err := s.feed(nil, open); err != nil {
			return err
		}
	}
	switch {
	case s.state == passing:
		_, err := s.inner.Write(p)
		return err
	case len(p) > room:
		return s.feed(p, open)
	}
	s.keep(p)
	return nil
}

// room is how many plain bytes are collected at this moment.
func (s *writer) room() int {
	if s.begun && s.large() && s.m.Large.Contended() {
		return collectedInQueue
	}
	return collected
}

// feed encodes the plain bytes, which are those that were kept or else p, and sends what came of it if that is enough.
// While nothing is begun the response falls back to passing where it cannot be encoded.
func (s *writer) feed(p []byte, end ending) error {
	if s.feeding { // an encoder, or OnError, has panicked, and the handler went on: bytes are missing
		s.failed, s.abort = errPanicked, true
		return s.failed
	}
	s.feeding = true
	err := s.encode(p, end)
	s.feeding = false // not deferred
	return err
}

var errPanicked = errors.New("servery: encoding has panicked")

func (s *writer) encode(p []byte, end ending) error {
	rest := s.kept.bytes()
	if len(rest) == 0 {
		rest = p
	}
	for first := true; first || len(rest) > 0; first = false {
		n, err := s.work(rest, end)
		if err != nil && !s.begun {
			s.fallBack(err)
			return s.pass(p)
		}
		if err != nil {
			s.report(err)
			s.failed, s.abort = err, true
			return err
		}
		s.begun = true
		rest = rest[n:]
		if last := end == closing && len(rest) == 0; !last && s.kept.coded.Len() >= collected {
			if err := s.drain(-1); err != nil {
				return err
			}
		}
	}
	s.kept.plain = s.kept.plain[:0]
	return nil
}

// work encodes as much of p as one slot is good for, and does the ending with the last of it. It holds the slot, which
// never waits for the client: what is made goes into memory.
func (s *writer) work(p []byte, end ending) (n int, err error) {
	// To flush or to end what was encoded with other slots takes as long as little does. An encoder that had to queue for
	// that would be out of the cache by then, and one more than is needed.
	large := s.large() && !(s.begun && end != open && len(p) <= collected)
	slot, err := s.slot(large)
	if err != nil {
		return 0, err
	}
	defer slot.Release()
	defer s.since(s.clock(), &s.gauge.encoded)
	if large && s.begun {
		slot.GiveWay() // the work with one slot may be too short to be due for it, that of many is not
	}
	if err := s.lend(len(p), end); err != nil {
		return 0, err
	}
	for n < min(len(p), slicePlain) && s.kept.coded.Len() < sliceEncoded {
		if large {
			slot.GiveWayIfDue()
		}
		m := min(len(p)-n, piece)
		if _, err := s.lease.Write(p[n : n+m]); err != nil {
			return n, encoderError{err}
		}
		n += m
	}
	if n == len(p) {
		err = s.conclude(end)
	}
	return n, err
}

// conclude flushes or closes the encoder, or does neither.
func (s *writer) conclude(end ending) (err error) {
	s.dirty = end == open
	switch end {
	case flushing:
		err = s.lease.Flush()
	case closing:
		err = s.lease.Close()
		s.drop()
	}
	if err != nil {
		return encoderError{err}
	}
	return nil
}

// large reports whether the response so far is work for the slots that nothing else uses.
func (s *writer) large() bool { return max(s.taken, s.declared) >= s.m.Threshold }

// slot takes a slot. While the response can still pass it is not waited for longer than the queue and the request allow.
// Later it is, however many wait and whatever becomes of the request's context: that ends when an application shuts down,
// at its deadlines, and when a client has nothing more to ask but still reads (RFC 9112, section 9.6), and what was begun
// would be torn. A client that has left costs one more slice, of which nothing can be sent.
func (s *writer) slot(large bool) (*offload.Slot, error) {
	defer s.since(s.clock(), &s.gauge.waited)
	limiter := s.m.Small
	if large {
		limiter = s.m.Large
	}
	if !s.begun {
		return limiter.Acquire(s.q.Context())
	}
	return limiter.Wait(context.WithoutCancel(s.q.Context()))
}

// lend makes sure that there is an encoder, to which size bytes are given. One that may stay open after the slot needs a
// place, since it may have to wait for the client, or for the handler.
func (s *writer) lend(size int, end ending) error {
	if s.lease != nil {
		return nil
	}
	if !s.placed && (end != closing || size > sliceEncoded) { // it may be from a call that ended in a panic
		if !s.m.Open.Enter() {
			return offload.ErrSaturated
		}
		s.placed = true
	}
	s.retain()
	lease, err := s.m.Encoders.Get(s.q.coding, &s.kept.coded)
	if err != nil {
		return encoderError{err}
	}
	s.lease = lease
	return nil
}

// drop gives back the encoder, wherever it is in its work, and its place.
func (s *writer) drop() {
	if s.lease != nil {
		s.lease.Discard()
		s.lease = nil
	}
	if s.placed {
		s.m.Open.Leave()
		s.placed = false
	}
}

// drain sends what was encoded so far. length is that of the whole body, or -1.
func (s *writer) drain(length int64) error {
	if !s.sent {
		s.send(s.edits(length))
	}
	coded := &s.kept.coded
	if coded.Len() == 0 {
		return nil
	}
	n, err := s.inner.Write(coded.Bytes())
	s.gauge.coded += int64(n)
	if err == nil && n < coded.Len() {
		err = io.ErrShortWrite
	}
	coded.Reset()
	if err != nil {
		s.failed = err
		s.drop() // others have a use for the encoder, however long the handler goes on
	}
	return err
}

// encoderError is what an encoder failed with.
type encoderError struct{ error }

func (e encoderError) Unwrap() error { return e.error }
