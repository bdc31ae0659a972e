package flight_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"servery/internal/flight"
)

// Every test in a bubble also shows that no goroutine is left: synctest.Test fails when one stays blocked.

func TestConcurrentCallersShareOneCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const callers = 64
		g, w := new(group), newGated()
		var calls []<-chan answer
		for range callers {
			calls = append(calls, call(t.Context(), g, "k", w.returns(7, nil)))
		}
		synctest.Wait()
		wantLen(t, g, 1)
		wantStats(t, g, flight.Stats{Started: 1, Joined: callers - 1, Active: 1})
		w.open()

		joined := 0
		for _, c := range calls {
			a := <-c
			wantAnswer(t, "caller", a, answer{value: 7, joined: a.joined})
			if a.joined {
				joined++
			}
		}
		if joined != callers-1 {
			t.Errorf("%d of %d callers were told that they joined, want all but one", joined, callers)
		}
		wantLen(t, g, 0)
		wantStats(t, g, flight.Stats{Started: 1, Joined: callers - 1})
	})
}

func TestDistinctKeysRunInParallel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const keys = 8
		g := new(group)
		var all sync.WaitGroup // every work waits for all others: one after the other they would never end
		all.Add(keys)
		var calls []<-chan answer
		for i := range keys {
			calls = append(calls, call(t.Context(), g, string(rune('a'+i)), func(context.Context) (int, error) {
				all.Done()
				all.Wait()
				return i, nil
			}))
		}
		for i, c := range calls {
			wantAnswer(t, "caller", <-c, answer{value: i})
		}
	})
}

// Callers here return at once for more, so that at the end of each flight some are on their way back while others
// still have to wake: somebody holds on to the flight at any time. No call may get what was known before it began.
func TestOverlappingStreamKeepsNeitherValueNorError(t *testing.T) {
	failed := errors.New("failed")
	for name, err := range map[string]error{"value": nil, "error": failed} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := new(group)
				var runs, known atomic.Int64
				numbered := func(context.Context) (int, error) {
					<-time.After(time.Millisecond) // in a bubble: until everybody waits
					return int(runs.Add(1)), err
				}
				var stream sync.WaitGroup
				for range 64 {
					stream.Go(func() {
						for range 50 {
							before := known.Load()
							got, _, gotErr := g.Do(t.Context(), "k", ready(numbered))
							if int64(got) <= before || gotErr != err {
								t.Errorf("got run %d and %v after run %d was known", got, gotErr, before)
								return
							}
							raise(&known, int64(got))
						}
					})
				}
				stream.Wait()
				wantLen(t, g, 0)
			})
		})
	}
}

// raise makes v the value of n unless that is larger already.
func raise(n *atomic.Int64, v int64) {
	for old := n.Load(); old < v; old = n.Load() {
		if n.CompareAndSwap(old, v) {
			return
		}
	}
}

func TestNextCallAfterTheEndStartsAfresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := new(group)
		for i := range 3 {
			got := do(t.Context(), g, "k", func(context.Context) (int, error) { return i, nil })
			wantAnswer(t, "caller", got, answer{value: i})
			wantLen(t, g, 0)
		}
		wantStats(t, g, flight.Stats{Started: 3})
	})
}

func TestWorkHasAContextOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type name struct{}
		g, w := new(group), newGated()
		ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), name{}, "first"), time.Minute)
		defer cancel()
		c := call(ctx, g, "k", w.returns(7, nil))
		own := <-w.ctx
		if own.Value(name{}) != nil {
			t.Error("the work sees a value of the first caller")
		}
		if _, ok := own.Deadline(); ok {
			t.Error("the work has the deadline of the first caller")
		}
		w.open()
		<-c
		cancel()
		synctest.Wait()
		if own.Err() != nil {
			t.Error("the work's context was cancelled although a caller stayed to the end")
		}
	})
}
