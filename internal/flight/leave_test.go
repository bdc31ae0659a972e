package flight_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"servery/internal/flight"
)

func TestLeavingCallerGetsTheCauseAndCancelsNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, w := new(group), newGated()
		gone := errors.New("gone")
		ctx, leave := context.WithCancelCause(t.Context())
		first := call(ctx, g, "k", w.returns(7, nil))
		synctest.Wait()
		second := call(t.Context(), g, "k", never(t))
		synctest.Wait()

		leave(gone) // the one who started it
		wantAnswer(t, "leaving caller", <-first, answer{err: gone})
		synctest.Wait()
		if err := (<-w.ctx).Err(); err != nil {
			t.Errorf("work's context with a caller left: %v", err)
		}
		wantLen(t, g, 1)
		w.open()
		wantAnswer(t, "staying caller", <-second, answer{value: 7, joined: true})
		wantStats(t, g, flight.Stats{Started: 1, Joined: 1})
	})
}

func TestLastLeavingCancelsAndNextStartsAfresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, dying, fresh := new(group), newGated(), newGated()
		ctx, leave := context.WithCancel(t.Context())
		first := call(ctx, g, "k", dying.returns(1, nil))
		second := call(ctx, g, "k", dying.returns(1, nil))
		synctest.Wait()
		leave()
		for _, c := range []<-chan answer{first, second} {
			if a := <-c; a.err != context.Canceled {
				t.Errorf("leaving caller: got %+v, want context.Canceled", a)
			}
		}
		synctest.Wait()
		if err := (<-dying.ctx).Err(); err != context.Canceled {
			t.Errorf("abandoned work's context: got %v, want context.Canceled", err)
		}
		wantLen(t, g, 0)
		wantStats(t, g, flight.Stats{Started: 1, Joined: 1, Active: 1})

		third := call(t.Context(), g, "k", fresh.returns(2, nil))
		synctest.Wait()
		dying.open() // its end must not take the entry of the fresh flight away
		synctest.Wait()
		wantLen(t, g, 1)
		fourth := call(t.Context(), g, "k", never(t))
		synctest.Wait()
		fresh.open()
		wantAnswer(t, "fresh caller", <-third, answer{value: 2})
		wantAnswer(t, "its companion", <-fourth, answer{value: 2, joined: true})
		wantStats(t, g, flight.Stats{Started: 2, Joined: 2, Cancelled: 1})
	})
}

func TestEndedContextNeitherStartsNorJoins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, w := new(group), newGated()
		gone := errors.New("gone")
		ended, end := context.WithCancelCause(t.Context())
		end(gone)
		wantAnswer(t, "alone", do(ended, g, "k", never(t)), answer{err: gone})
		running := call(t.Context(), g, "k", w.returns(7, nil))
		synctest.Wait()
		wantAnswer(t, "beside a flight", do(ended, g, "k", never(t)), answer{err: gone})
		w.open()
		<-running
		wantStats(t, g, flight.Stats{Started: 1})
	})
}

// lateContext ends while its owner waits, in such a way that the owner sees the end of the flight at the same time.
type lateContext struct {
	context.Context // ended
	asked           atomic.Bool
	until           <-chan struct{}
}

// Err denies the end until Done was asked for, which Do does when it begins to wait.
func (c *lateContext) Err() error {
	if !c.asked.Load() {
		return nil
	}
	return c.Context.Err()
}

func (c *lateContext) Done() <-chan struct{} {
	c.asked.Store(true)
	<-c.until
	return c.Context.Done()
}

func TestCallerWhoseContextEndsWithTheWorkGetsTheResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended, end := context.WithCancel(t.Context())
		end()
		for range 64 { // select takes either branch at random
			g, landed := new(group), make(chan struct{})
			c := call(&lateContext{Context: ended, until: landed}, g, "k", func(context.Context) (int, error) {
				return 7, nil
			})
			synctest.Wait()
			wantLen(t, g, 0)
			close(landed)
			wantAnswer(t, "caller", <-c, answer{value: 7})
		}
	})
}
