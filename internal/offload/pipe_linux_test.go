package offload_test

import (
	"context"
	"testing"
	"testing/synctest"

	"servery/internal/offload"
	"servery/internal/testkit"
)

// Linux lists the descriptors of a process, so that they can be counted.
func TestPipesAreFewSharedAndGoneWhenNoSlotIsUsed(t *testing.T) {
	l := offload.New(3, 0)
	before := testkit.Holding().Descriptors
	wantPipes := func(when string, want int) {
		t.Helper()
		if got := testkit.Holding().Descriptors - before; got != 2*want {
			t.Errorf("%s: %d descriptors are held, want those of %d pipes", when, got, want)
		}
	}
	first, second, third := mustAcquire(t, l), mustAcquire(t, l), mustAcquire(t, l)
	wantPipes("nobody has given way", 0)
	for range 3 {
		first.GiveWay()
		second.GiveWay()
	}
	wantPipes("two have given way, more than once", 2)
	first.Release()
	wantPipes("one of them has ended, others go on", 2)
	third.GiveWay()
	wantPipes("another uses what it left", 2)
	first = mustAcquire(t, l)
	first.GiveWay()
	wantPipes("all have given way", 3)
	third.Release()
	first.Release()
	wantPipes("one goes on", 3)
	second.Release()
	wantPipes("none goes on", 0)
	second = mustAcquire(t, l)
	second.GiveWay()
	wantPipes("work again", 1)
	second.Release()
	wantPipes("and none again", 0)
}

func TestPipesGoWithTheOneWhoLeavesLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended, end := context.WithCancelCause(t.Context())
		end(errGone)
		l, handed := offload.New(1, 1), make(chan struct{})
		before := testkit.Holding().Descriptors
		s := mustAcquire(t, l)
		leaving := make(chan error, 1)
		go func() {
			_, err := l.Acquire(&lateContext{Context: ended, handed: handed})
			leaving <- err
		}()
		synctest.Wait()
		s.GiveWay()
		s.Release() // the pipe stays, for the slot has a new owner
		if got := testkit.Holding().Descriptors - before; got != 2 {
			t.Errorf("%d descriptors are held, want those of one pipe", got)
		}
		close(handed)
		<-leaving
		if got := testkit.Holding().Descriptors - before; got != 0 {
			t.Errorf("%d descriptors are held by an idle limiter", got)
		}
	})
}
