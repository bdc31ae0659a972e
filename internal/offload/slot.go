package offload

import (
	"runtime"
	"time"
)

// slice is how long work may run before it is due to give way. To give way costs 3 to 5 us, about a hundredth of a
// slice; a small answer that becomes ready meanwhile waits for half a slice on average.
const slice = 300 * time.Microsecond

// Slot is the right to run. It belongs to one goroutine at a time, which must release it. Hold it only while a
// processor is needed, never while waiting for a client: all who wait for a slot would wait for that client.
type Slot struct {
	limiter  *Limiter  // never changes
	last     time.Time // when the slot was taken, or last gave way
	pipe     *pipe     // nil until the slot first gives way; goes back to the limiter with the slot
	released bool
}

func newSlot(l *Limiter) *Slot { return &Slot{limiter: l, last: time.Now()} }

// Release gives the slot back. It must be called exactly once, and nothing else may be called afterwards: that is a
// mistake and panics.
func (s *Slot) Release() {
	s.mustBeHeld()
	s.released = true
	p := s.pipe
	s.pipe = nil
	s.limiter.release(p)
}

// GiveWayIfDue is [Slot.GiveWay] if 0.3 ms have passed since the slot was taken or last gave way, and costs 40 ns if
// not. Call it between pieces of work that take much less than that.
func (s *Slot) GiveWayIfDue() {
	s.mustBeHeld()
	if time.Since(s.last) >= slice {
		s.GiveWay()
	}
}

// GiveWay lets everything run that is ready to, including what waits for a connection that has become readable. It
// keeps the slot. It cannot fail, at worst it does less: without descriptors to be had, or on a system other than
// Unix, the readable connections have to wait until the runtime looks at them by itself, every 10 ms.
func (s *Slot) GiveWay() {
	s.mustBeHeld()
	if !s.park() {
		runtime.Gosched()
	}
	s.last = time.Now()
}

// park stops the goroutine until the network poller has run, and reports whether that was possible.
//
// runtime.Gosched is not enough: the scheduler takes the goroutine back from its queue before it asks the poller.
func (s *Slot) park() bool {
	if s.pipe == nil {
		s.pipe = s.limiter.idlePipe()
	}
	if s.pipe == nil {
		p, err := newPipe()
		if err != nil { // tried again the next time, which costs little and may find a descriptor
			return false
		}
		s.pipe = p
	}
	if err := s.pipe.pass(); err != nil {
		s.pipe.close() // whatever is wrong with it, a new one will do
		s.pipe = nil
		return false
	}
	return true
}

func (s *Slot) mustBeHeld() {
	if s.released {
		panic("servery: use of a slot that was released")
	}
}

func closeAll(pipes []*pipe) {
	for _, p := range pipes {
		p.close()
	}
}
