package flight_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"

	"servery/internal/flight"
)

func TestPrepareRunsOnceInItsCallerBeforeDoReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g group
		w := newGated()
		ctx, leave := context.WithCancel(t.Context())
		prepared := 0 // no lock: the race detector sees that only the caller writes it
		leaves := func() work {
			prepared++
			leave() // the caller is gone before its work has begun
			return func(context.Context) (int, error) { return 1, nil }
		}
		if _, _, err := g.Do(ctx, "k", leaves); err != context.Canceled {
			t.Errorf("got %v, want the error of the context", err)
		}
		if prepared != 1 {
			t.Errorf("prepared %d times when Do returned, want 1", prepared)
		}
		first := call(t.Context(), &g, "k", w.returns(2, nil))
		synctest.Wait()
		joins := func() work {
			t.Error("prepared although it joins")
			return w.returns(3, nil)
		}
		second := make(chan answer, 1)
		go func() {
			v, joined, err := g.Do(t.Context(), "k", joins)
			second <- answer{value: v, joined: joined, err: err}
		}()
		synctest.Wait()
		w.open()
		wantAnswer(t, "first", <-first, answer{value: 2})
		wantAnswer(t, "second", <-second, answer{value: 2, joined: true})
	})
}

func TestPrepareThatDoesNotReturnEndsTheFlight(t *testing.T) {
	var g group
	func() {
		defer func() {
			if p := recover(); p != "prepare" {
				t.Errorf("recovered %v, want the value of the panic", p)
			}
		}()
		g.Do(t.Context(), "k", func() work { panic("prepare") })
		t.Error("the panic of prepare was lost")
	}()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		g.Do(t.Context(), "k", func() work { runtime.Goexit(); return nil })
	}()
	<-gone
	if got, want := g.Stats(), (flight.Stats{Started: 2, Failed: 2}); got != want || g.Len() != 0 {
		t.Errorf("stats %+v with %d flights, want %+v with none", got, g.Len(), want)
	}
	wantAnswer(t, "afterwards", do(t.Context(), &g, "k", func(context.Context) (int, error) { return 5, nil }), answer{value: 5})
}
