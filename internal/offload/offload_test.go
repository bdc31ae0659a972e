package offload_test

import (
	"context"
	"testing"
	"testing/synctest"

	"servery/internal/offload"
)

func TestSlotsAreHandedOutInTheOrderOfAsking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := offload.New(1, 3)
		calls := []*call{start(t.Context(), l.Acquire)}
		for _, take := range []take{l.Acquire, l.Wait, l.Acquire, l.Wait} {
			calls = append(calls, start(t.Context(), take))
		}
		for i := range calls {
			for j, c := range calls[i:] {
				want := "waits"
				if j == 0 {
					want = "runs"
				}
				wantState(t, "call "+string(rune('0'+i+j)), c, want)
			}
			calls[i].release(t)
		}
		wantStats(t, l, offload.Stats{HighWater: 5, Completed: 5})
	})
}

func TestReleasedSlotIsNeverFreeWhileSomebodyWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := offload.New(1, 1)
		s := mustAcquire(t, l)
		waiting := start(t.Context(), l.Acquire)
		s.Release()
		// Looked at before the waiter has had a chance to run: a slot that is free now could be taken from him.
		wantStats(t, l, offload.Stats{Active: 1, HighWater: 2, Completed: 1})
		late := start(t.Context(), l.Acquire)
		wantState(t, "waiting", waiting, "runs")
		wantState(t, "late", late, "waits")
		waiting.release(t)
		late.release(t)
	})
}

func TestContended(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := offload.New(1, 1)
		s := mustAcquire(t, l)
		if l.Contended() {
			t.Error("a slot in use is no contention")
		}
		waiting := start(t.Context(), l.Acquire)
		wantState(t, "waiting", waiting, "waits")
		if !l.Contended() {
			t.Error("one who waits is")
		}
		s.Release()
		synctest.Wait()
		wantState(t, "waiting", waiting, "runs")
		if l.Contended() {
			t.Error("nobody waits any more")
		}
		waiting.release(t)
	})
}

func TestFullQueueRefusesAtOnce(t *testing.T) {
	for _, room := range []int{0, 1, 3} {
		synctest.Test(t, func(t *testing.T) {
			l := offload.New(2, room)
			held := []*call{start(t.Context(), l.Acquire), start(t.Context(), l.Acquire)}
			for range room {
				held = append(held, start(t.Context(), l.Acquire))
			}
			if _, err := l.Acquire(t.Context()); err != offload.ErrSaturated { // a call that waited would deadlock here
				t.Errorf("room for %d: got %v, want ErrSaturated", room, err)
			}
			wantStats(t, l, offload.Stats{Active: 2, Queued: room, HighWater: 2 + room, Rejected: 1})
			for _, c := range held {
				c.release(t)
			}
			mustAcquire(t, l).Release()
		})
	}
}

func TestWaitWaitsBeyondTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := offload.New(1, 0)
		first := start(t.Context(), l.Wait)
		second, third := start(t.Context(), l.Wait), start(t.Context(), l.Wait)
		wantState(t, "second", second, "waits")
		wantState(t, "Acquire behind it", start(t.Context(), l.Acquire), "is refused")
		second.cancel()
		wantState(t, "second, cancelled", second, "is gone")
		first.release(t)
		wantState(t, "third", third, "runs")
		third.release(t)
		wantStats(t, l, offload.Stats{HighWater: 3, Completed: 2, Rejected: 1, Cancelled: 1})
	})
}

func TestCancelledWaiterFreesItsPlaceAtOnceAndNeverRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := offload.New(1, 2)
		running := start(t.Context(), l.Acquire)
		first, second := start(t.Context(), l.Acquire), start(t.Context(), l.Acquire)
		first.cancel()
		wantState(t, "first", first, "is gone")
		third := start(t.Context(), l.Acquire)
		wantState(t, "third, in the place of the first", third, "waits")
		wantStats(t, l, offload.Stats{Active: 1, Queued: 2, HighWater: 3, Cancelled: 1})
		running.cancel() // a slot that is held does not depend on the context any more
		running.release(t)
		wantState(t, "second", second, "runs")
		second.release(t)
		third.release(t)
		wantState(t, "first", first, "is gone")
	})
}

func TestEndedContextGetsNoSlotThatIsFree(t *testing.T) {
	l := offload.New(1, 1)
	ctx, end := context.WithCancelCause(t.Context())
	end(errGone)
	for _, take := range []take{l.Acquire, l.Wait} {
		if s, err := take(ctx); s != nil || err != errGone {
			t.Errorf("got %v, %v, want the cause", s, err)
		}
	}
	wantStats(t, l, offload.Stats{Cancelled: 2})
}

// lateContext is seen to have ended no sooner than a slot has been handed to its owner.
type lateContext struct {
	context.Context // ended
	asked           bool
	handed          <-chan struct{}
}

// Err denies the end until Done was asked for, which a call does when it begins to wait.
func (c *lateContext) Err() error {
	if !c.asked {
		return nil
	}
	return c.Context.Err()
}

func (c *lateContext) Done() <-chan struct{} {
	c.asked = true
	<-c.handed
	return c.Context.Done()
}

func TestSlotHandedToOneWhoLeavesGoesOnToTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended, end := context.WithCancelCause(t.Context())
		end(errGone)
		for range 64 { // select takes either branch at random
			l, handed := offload.New(1, 3), make(chan struct{})
			s := mustAcquire(t, l)
			leaving := make(chan error, 1)
			go func() {
				_, err := l.Acquire(&lateContext{Context: ended, handed: handed})
				leaving <- err
			}()
			synctest.Wait()
			next := start(t.Context(), l.Acquire)
			s.Release()
			wantStats(t, l, offload.Stats{Active: 1, Queued: 1, HighWater: 3, Completed: 1})
			close(handed)
			if err := <-leaving; err != errGone {
				t.Errorf("leaving: got %v, want the cause", err)
			}
			synctest.Wait()
			wantState(t, "next", next, "runs")
			next.release(t)
			wantStats(t, l, offload.Stats{HighWater: 3, Completed: 2, Cancelled: 1})
		}
	})
}

func TestMistakesPanic(t *testing.T) {
	wantPanic(t, "no workers", func() { offload.New(0, 1) })
	wantPanic(t, "negative queue", func() { offload.New(1, -1) })
	l := offload.New(1, 0)
	s := mustAcquire(t, l)
	s.Release()
	wantPanic(t, "second Release", s.Release)
	wantPanic(t, "GiveWay after Release", s.GiveWay)
	wantPanic(t, "GiveWayIfDue after Release", s.GiveWayIfDue)
	wantStats(t, l, offload.Stats{HighWater: 1, Completed: 1})
}
