package codec

import (
	"errors"
	"io"
)

// Errors of a lease that is used when it cannot be.
var (
	ErrEnded    = errors.New("encoder is used after its end")
	ErrPanicked = errors.New("encoder is used after a panic in it")
)

// Lease is an encoder at work for one body. It belongs to one goroutine at a time. The usual form is
//
//	lease, err := set.Get(coding, w)
//	...
//	defer lease.Discard()
//	... lease.Write ...
//	return lease.Close()
//
// A writer returns to its pool by a Close that succeeds and on no other way: neither after an error nor after a
// panic, in the encoder or in its user, is it known what state it is in. After an error all that follows fails with
// the same one. It has no ReadFrom on purpose: that of zstd begins a new block, and the bytes would depend on it.
type Lease struct {
	pool *pool

	// busy is out of the lease while the encoder runs, so that a panic in it leaves nothing here that could be used
	// again. Without a writer err says why.
	busy instance
	err  error
}

// newLease binds the instance to w. It leaves the instance in nobody's hands if Reset panics.
func newLease(p *pool, i instance, w io.Writer) *Lease {
	i.sink.w = w
	i.writer.Reset(i.sink)
	return &Lease{pool: p, busy: i}
}

// Write encodes p. It takes all of p or fails.
func (l *Lease) Write(p []byte) (int, error) {
	i, err := l.begin()
	if err != nil {
		return 0, err
	}
	n, err := i.writer.Write(p)
	if err == nil && n != len(p) {
		err = io.ErrShortWrite
	}
	if err = l.end(i, err); err != nil {
		return 0, err
	}
	return n, nil
}

// Flush writes everything so far to the destination in a form that can be decoded.
func (l *Lease) Flush() error {
	i, err := l.begin()
	if err != nil {
		return err
	}
	return l.end(i, i.writer.Flush())
}

// Close writes what is left and the end of the coding, and ends the lease. A second one, or one after Discard, fails.
func (l *Lease) Close() error {
	i, err := l.begin()
	if err != nil {
		return err
	}
	if err := l.end(i, i.writer.Close()); err != nil {
		return err
	}
	l.Discard()
	l.pool.put(i)
	return nil
}

// Discard ends the lease without an end mark and drops the writer. After Close, or once more, it does nothing.
func (l *Lease) Discard() {
	if l.busy.sink != nil {
		l.busy.sink.w = nil
		l.busy, l.err = instance{}, ErrEnded
	}
}

// begin takes the instance out of the lease for one call of the encoder.
func (l *Lease) begin() (instance, error) {
	i := l.busy
	if i.writer == nil {
		return instance{}, l.err
	}
	l.busy, l.err = instance{}, ErrPanicked
	return i, nil
}

// end puts the instance back after a call that has ended with err, or drops it. An error of the destination counts
// even where the encoder kept it to itself.
func (l *Lease) end(i instance, err error) error {
	if i.sink.err != nil {
		err = i.sink.err
	}
	if l.err = err; err == nil {
		l.busy = i
	}
	return err
}

// sink stands between a writer and the destination of the moment. An idle writer may keep its sink, and reaches
// nothing through it.
type sink struct {
	w   io.Writer // nil outside a lease
	err error     // the first error, which stays: a sink with one returns to no pool
}

// Write makes a short write an error: compressors trust that there are none.
func (s *sink) Write(p []byte) (int, error) {
	switch {
	case s.err != nil:
		return 0, s.err
	case s.w == nil:
		return 0, ErrEnded
	}
	n, err := s.w.Write(p)
	if err == nil && n != len(p) {
		err = io.ErrShortWrite
	}
	s.err = err
	return n, err
}
