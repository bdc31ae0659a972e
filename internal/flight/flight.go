// Package flight shares one computation among all who ask for its key at the same time.
//
// It keeps nothing: a result lives exactly as long as the callers who waited for it. What should live longer belongs
// in a cache that the caller asks first.
package flight

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// ErrShutdown refuses work that would have to be started after [Group.Shutdown] was called.
var ErrShutdown = errors.New("flight: group is shut down")

// Group shares one computation among all who ask for a key at once. The zero Group is ready for use. It may be shared
// by any number of goroutines and must not be copied after its first use.
//
// A key must equal itself: one with a NaN in it could neither be joined nor leave the table.
type Group[K comparable, V any] struct {
	mu sync.Mutex

	// The fields below, and those of every flight that say so, are protected by mu. It is held for a few map
	// operations at a time, never while work, a cancellation or a wait is going on.

	flights map[K]*flight[K, V] // those a caller may join: running, and awaited by somebody
	idle    chan struct{}       // non-nil once shut down, closed when no work runs any more
	stats   Stats
}

// flight is one run of the work for one key.
type flight[K comparable, V any] struct {
	key    K                  // never changes
	ctx    context.Context    // never changes; the work's own
	cancel context.CancelFunc // never changes; called outside mu, it takes the context's lock

	callers int  // protected by mu: those who wait, one reference each; zero means abandoned
	landed  bool // protected by mu: the work has ended

	done   chan struct{} // closed when landed, after result was written
	result result[V]     // written by the flight's goroutine before done is closed, only read from then on
	raised atomic.Bool   // whether a caller has taken the panic upon itself
}

// Do returns the result of the work for key. Only if nobody else's is on its way does it call prepare, and then run
// the work that prepare returns in a goroutine of its own; joined reports that somebody's was.
//
// prepare runs in the caller's goroutine before Do can return. It is the place to take references to what the work
// needs: the caller still holds its own there, and may have let go of them, having left, by the time the work begins.
// What prepare took is the work's to release. If prepare panics, the flight ends as if the work had.
//
// The context that work receives carries neither values nor deadline of any caller, since it serves those who come
// later as well. It is cancelled when the last caller has left before the work ended, and never otherwise.
//
// Do returns early when ctx ends, with the cause of that; an ended ctx neither starts nor joins anything. It returns
// [ErrShutdown] when it would have to start work after Shutdown. What else it returns is what work returned, the same
// for all callers, who must therefore not change it. If work panics, Do panics with the same value in one of the
// callers and returns a [*PanicError] to the others; if work ends its goroutine, Do returns [ErrGoexit].
//
// A result that no caller awaits any more is dropped: work must itself release what it holds once it is cancelled.
// Work must not ask its own group for its own key, it would wait for itself.
func (g *Group[K, V]) Do(ctx context.Context, key K, prepare func() func(context.Context) (V, error)) (v V, joined bool, err error) {
	if ctx.Err() != nil {
		return v, false, context.Cause(ctx)
	}
	f, joined, err := g.board(key)
	if err != nil {
		return v, false, err
	}
	if !joined {
		g.launch(f, prepare)
	}
	select {
	case <-f.done:
	case <-ctx.Done():
		if g.leave(f) {
			return v, joined, context.Cause(ctx)
		}
	}
	v, err = f.outcome()
	return v, joined, err
}

// board takes a reference to the flight of key. If there is none it enters one, and the caller must let it fly.
func (g *Group[K, V]) board(key K) (f *flight[K, V], joined bool, err error) {
	g.mu.Lock()
	defer g.mu.Unlock() // deferred: an unhashable key panics in the map

	if f := g.flights[key]; f != nil {
		f.callers++
		g.stats.Joined++
		return f, true, nil
	}
	if g.idle != nil {
		return nil, false, ErrShutdown
	}
	f = newFlight[K, V](key)
	if g.flights == nil {
		g.flights = make(map[K]*flight[K, V])
	}
	g.flights[key] = f
	g.stats.Started++
	g.stats.Active++
	return f, false, nil
}

func newFlight[K comparable, V any](key K) *flight[K, V] {
	// A context without a parent registers nowhere, so one that is never cancelled holds nothing.
	ctx, cancel := context.WithCancel(context.Background())
	return &flight[K, V]{key: key, ctx: ctx, cancel: cancel, callers: 1, done: make(chan struct{})}
}

// leave gives back one caller's reference before the work has ended. It reports false when the work has ended after
// all: then the caller takes the result, so that a panic always finds one of those who were waiting for it.
//
// An abandoned flight leaves the table here and not when its work notices: whoever comes next would otherwise be
// handed an error about callers that have nothing to do with it.
func (g *Group[K, V]) leave(f *flight[K, V]) bool {
	g.mu.Lock()
	if f.landed {
		g.mu.Unlock()
		return false
	}
	f.callers--
	abandoned := f.callers == 0
	if abandoned {
		delete(g.flights, f.key)
	}
	g.mu.Unlock()

	if abandoned {
		f.cancel()
	}
	return true
}

// launch lets f fly. If prepare fails to return, f lands at once: those who have joined wait for it.
func (g *Group[K, V]) launch(f *flight[K, V], prepare func() func(context.Context) (V, error)) {
	r := result[V]{err: ErrGoexit}
	launched := false
	defer func() {
		if !launched {
			g.land(f, r)
		}
	}()
	r.run(f.ctx, func(context.Context) (v V, err error) {
		work := prepare()
		launched = true
		go g.fly(f, work)
		return v, nil
	})
}

// fly is the flight's goroutine. Landing is deferred because work may end the goroutine.
func (g *Group[K, V]) fly(f *flight[K, V], work func(context.Context) (V, error)) {
	r := result[V]{err: ErrGoexit}
	defer func() { g.land(f, r) }()
	r.run(f.ctx, work)
}

// land publishes the result. The entry goes before the callers wake: were it to stay until the last of them has
// gone, callers who keep overlapping would be served one old value, or one old error, for ever.
//
// It is one critical section so that a caller who has its result finds it in the statistics, and so that nothing but
// the goroutine's return is left to do when Shutdown is told.
func (g *Group[K, V]) land(f *flight[K, V], r result[V]) {
	g.mu.Lock()
	defer g.mu.Unlock()

	f.landed = true
	abandoned := f.callers == 0
	if !abandoned { // an abandoned flight has left, the entry of its key would be a younger flight's
		delete(g.flights, f.key)
	}
	g.stats.count(abandoned, r.panicked != nil, r.err != nil)
	f.result = r
	close(f.done)
	if g.idle != nil && g.stats.Active == 0 {
		close(g.idle)
	}
}

// outcome is what a caller gets from a landed flight. It may panic, so no lock may be held.
func (f *flight[K, V]) outcome() (V, error) {
	if p := f.result.panicked; p != nil && f.raised.CompareAndSwap(false, true) {
		panic(p.Value)
	}
	return f.result.value, f.result.err
}

// Stats returns the counts of this moment.
func (g *Group[K, V]) Stats() Stats {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.stats
}

// Shutdown refuses new work from now on and waits for what runs, abandoned work included. It cancels nothing: callers
// who wait get their results, and joining them is still allowed, since it prolongs nothing. After it has returned nil,
// now or in an earlier call, the group has no goroutine and no entry.
//
// When ctx ends first, Shutdown returns the cause; the work goes on and Shutdown may be called again. Work must not
// call it, it would wait for itself.
func (g *Group[K, V]) Shutdown(ctx context.Context) error {
	idle := g.refuse()
	select {
	case <-idle:
		return nil
	default: // asked first, so that an ended ctx does not hide that nothing runs
	}
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// refuse ends the starting of flights and returns the channel that is closed once none is left.
func (g *Group[K, V]) refuse() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()

	if g.idle == nil {
		g.idle = make(chan struct{})
		if g.stats.Active == 0 {
			close(g.idle)
		}
	}
	return g.idle
}
