// Package offload bounds the work that keeps a processor busy for long: so much of it runs at once, so much waits, the
// rest is refused. What runs can give way, so that answers which need little are not held up by it.
package offload

import (
	"context"
	"errors"
	"math"
	"sync"
)

// ErrSaturated refuses work because all slots are taken and the queue is full.
var ErrSaturated = errors.New("offload: all slots are taken and the queue is full")

// Limiter hands out slots, the rights to run, in the order in which they were asked for. [New] makes one. It may be
// shared by any number of goroutines and must not be copied.
//
// A limiter without slots in use holds neither goroutines nor descriptors: there is nothing to close.
type Limiter struct {
	workers int // never changes
	room    int // never changes; how many may wait when Acquire joins them

	mu sync.Mutex

	// The fields below and every waiter are protected by mu. It is held for a few pointer operations at a time, never
	// while a context is asked or a descriptor made or closed.
	//
	// Nobody waits while a slot is free: a slot that is given back goes straight to the one who has waited longest,
	// and nobody who comes later can take it.

	queue queue
	stats Stats
	pipes []*pipe // those that no slot uses at the moment; none when no slot is in use
}

// Stats describes a limiter. Every call of Acquire and Wait is in exactly one of the numbers except HighWater, which
// repeats the largest sum of Active and Queued: above the number of workers it says how long the queue has been.
type Stats struct {
	Active    int    // slots in use now, never more than there are
	Queued    int    // calls that wait now
	HighWater int    // most slots in use and calls waiting at one moment
	Completed uint64 // slots that were used and released
	Rejected  uint64 // calls that got ErrSaturated
	Cancelled uint64 // calls whose context ended before they had a slot
}

// New returns a limiter with that many slots and room for queue waiting calls of Acquire; with none Acquire never
// waits. Less than one worker, or a negative queue, is a mistake and panics.
func New(workers, queue int) *Limiter {
	if workers < 1 {
		panic("servery: limiter without workers")
	}
	if queue < 0 {
		panic("servery: negative queue of a limiter")
	}
	l := &Limiter{workers: workers, room: queue}
	l.queue.init()
	return l
}

// Acquire takes a slot, which the caller must release. If all are taken it waits behind all who came before, and if
// the queue is full it returns [ErrSaturated] at once. Calls of Wait count when it is asked whether the queue is full:
// what a newcomer would have to wait for is what matters.
//
// When ctx ends first, Acquire returns the cause of that, and its place in the queue is free again. An ended ctx never
// gets a slot, whether one is free or not.
func (l *Limiter) Acquire(ctx context.Context) (*Slot, error) { return l.take(ctx, l.room) }

// Wait is Acquire for work that may not be refused any more, such as the rest of a response that has begun: it waits
// however many do. What bounds the queue then is the number of its callers, so let each do it on behalf of something
// that is bounded itself, like a connection. It does not overtake: it waits for its turn behind all who came before.
func (l *Limiter) Wait(ctx context.Context) (*Slot, error) { return l.take(ctx, math.MaxInt) }

// Stats returns the numbers of this moment.
func (l *Limiter) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stats
}

// Contended reports whether anybody waits for a slot.
func (l *Limiter) Contended() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stats.Queued > 0
}

func (l *Limiter) take(ctx context.Context, room int) (*Slot, error) {
	if ctx.Err() != nil { // asked outside mu, it may be anybody's code
		l.countEnded()
		return nil, context.Cause(ctx)
	}
	w, err := l.enter(room)
	if err != nil {
		return nil, err
	}
	if w != nil && !l.await(ctx, w) {
		return nil, context.Cause(ctx)
	}
	return newSlot(l), nil
}

// countEnded books a call whose context had ended before it began.
func (l *Limiter) countEnded() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats.Cancelled++
}

// enter takes a free slot and returns nil, or joins the queue as the waiter it returns.
func (l *Limiter) enter(room int) (*waiter, error) {
	l.mu.Lock()
	defer l.mu.Unlock()

	var w *waiter
	switch {
	case l.stats.Active < l.workers:
		l.stats.Active++
	case l.stats.Queued < room:
		w = newWaiter()
		l.queue.push(w)
		l.stats.Queued++
	default:
		l.stats.Rejected++
		return nil, ErrSaturated
	}
	l.stats.HighWater = max(l.stats.HighWater, l.stats.Active+l.stats.Queued)
	return w, nil
}

// await reports whether w got a slot before ctx ended. If both happened the slot goes on to the next: whoever asked for
// the work is gone, and it would be done for nobody.
func (l *Limiter) await(ctx context.Context, w *waiter) bool {
	select {
	case <-w.turn:
		if ctx.Err() == nil {
			return true
		}
	case <-ctx.Done():
	}
	l.leave(w)
	return false
}

// leave takes w out of the queue, or passes on the slot that it was handed before it could leave.
func (l *Limiter) leave(w *waiter) {
	l.mu.Lock()
	var closing []*pipe
	if w.queued() {
		w.unlink()
		l.stats.Queued--
	} else {
		closing = l.handOverLocked()
	}
	l.stats.Cancelled++
	l.mu.Unlock()

	closeAll(closing)
}

// release gives back a slot and the pipe it used, if any.
//
// The pipe comes back in the same critical section: whoever gets the slot finds it, which is why there are never more
// pipes in use than slots.
func (l *Limiter) release(p *pipe) {
	l.mu.Lock()
	if p != nil {
		l.pipes = append(l.pipes, p)
	}
	closing := l.handOverLocked()
	l.stats.Completed++
	l.mu.Unlock()

	closeAll(closing)
}

// handOverLocked gives a slot to the one who has waited longest. If nobody waits the slot is free, and if none is in
// use any more the caller must close the pipes that it returns.
//
// Closing them costs little compared to what it spares, descriptors held by limiters that nobody uses: to make a pipe
// and close it takes 10 to 15 us, paid once by work that runs alone and lasts longer than a slice of 300 us. Under load
// the slots are never all free, and the pipes stay.
func (l *Limiter) handOverLocked() (closing []*pipe) {
	if w := l.queue.pop(); w != nil {
		l.stats.Queued--
		close(w.turn)
		return nil
	}
	l.stats.Active--
	if l.stats.Active > 0 {
		return nil
	}
	closing, l.pipes = l.pipes, nil
	return closing
}

// idlePipe takes one of the pipes that no slot uses. It returns nil if there is none.
func (l *Limiter) idlePipe() *pipe {
	l.mu.Lock()
	defer l.mu.Unlock()

	last := len(l.pipes) - 1
	if last < 0 {
		return nil
	}
	p := l.pipes[last]
	l.pipes[last] = nil
	l.pipes = l.pipes[:last]
	return p
}
