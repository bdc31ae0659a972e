package flight_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"servery/internal/flight"
)

// shutdown is Shutdown in a goroutine of its own.
func shutdown(ctx context.Context, g *group) <-chan error {
	c := make(chan error, 1)
	go func() { c <- g.Shutdown(ctx) }()
	return c
}

func wantWaiting(t *testing.T, c <-chan error) {
	t.Helper()
	synctest.Wait()
	select {
	case err := <-c:
		t.Errorf("Shutdown returned %v while work was running", err)
	default:
	}
}

func TestShutdownRefusesNewWorkAndWaitsForWhatRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, w := new(group), newGated()
		running := call(t.Context(), g, "k", w.returns(7, nil))
		synctest.Wait()
		first, second := shutdown(t.Context(), g), shutdown(t.Context(), g)
		wantWaiting(t, first)
		wantWaiting(t, second)

		wantAnswer(t, "other key", do(t.Context(), g, "other", never(t)), answer{err: flight.ErrShutdown})
		joining := call(t.Context(), g, "k", never(t))
		synctest.Wait()
		w.open()
		wantAnswer(t, "running", <-running, answer{value: 7})
		wantAnswer(t, "joining", <-joining, answer{value: 7, joined: true})
		for _, c := range []<-chan error{first, second} {
			if err := <-c; err != nil {
				t.Errorf("Shutdown: %v", err)
			}
		}
		wantAnswer(t, "same key afterwards", do(t.Context(), g, "k", never(t)), answer{err: flight.ErrShutdown})
		wantStats(t, g, flight.Stats{Started: 1, Joined: 1})
	})
}

func TestShutdownWaitsForAbandonedWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, w := new(group), newGated()
		ctx, leave := context.WithCancel(t.Context())
		c := call(ctx, g, "k", w.returns(7, nil))
		synctest.Wait()
		leave()
		<-c
		down := shutdown(t.Context(), g)
		wantWaiting(t, down)
		w.open()
		if err := <-down; err != nil {
			t.Errorf("Shutdown: %v", err)
		}
	})
}

func TestShutdownReturnsTheCauseWhenItsContextEndsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, w := new(group), newGated()
		running := call(t.Context(), g, "k", w.returns(7, nil))
		synctest.Wait()
		impatient := errors.New("impatient")
		ctx, end := context.WithCancelCause(t.Context())
		down := shutdown(ctx, g)
		wantWaiting(t, down)
		end(impatient)
		if err := <-down; err != impatient {
			t.Errorf("Shutdown: got %v, want the cause", err)
		}
		if err := (<-w.ctx).Err(); err != nil {
			t.Errorf("the work's context after Shutdown gave up: %v", err)
		}
		w.open()
		wantAnswer(t, "running", <-running, answer{value: 7})
		if err := g.Shutdown(t.Context()); err != nil {
			t.Errorf("Shutdown once more: %v", err)
		}
	})
}

func TestShutdownOfAnIdleGroupNeedsNoTime(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	for range 64 { // a single select would take either branch at random
		if err := new(group).Shutdown(ended); err != nil {
			t.Fatalf("Shutdown of an idle group: %v", err)
		}
	}
}
