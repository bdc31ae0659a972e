package offload_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"servery/internal/offload"
	"servery/internal/testkit"
)

const stressWorkers = 3

// TestStress has real goroutines ask, leave at random moments and give way. No more than the workers may run at any
// moment, and every call must be in exactly one of the numbers.
func TestStress(t *testing.T) {
	const callers, rounds, room = 16, 2000, 6
	l := offload.New(stressWorkers, room)
	before := testkit.Holding()
	var running atomic.Int64
	var wg sync.WaitGroup
	for i := range callers {
		random := rand.New(rand.NewPCG(1, uint64(i)))
		wg.Go(func() {
			for range rounds {
				ctx, leave := context.WithCancelCause(t.Context())
				if random.IntN(3) == 0 {
					go leave(errGone)
				}
				run(t, ctx, []take{l.Acquire, l.Wait}[random.IntN(2)], random, &running)
				leave(nil)
			}
		})
	}
	wg.Wait()
	s := l.Stats()
	if s.Active != 0 || s.Queued != 0 || s.Completed+s.Rejected+s.Cancelled != callers*rounds {
		t.Errorf("stats do not add up to %d calls: %+v", callers*rounds, s)
	}
	if s.Completed == 0 || s.Rejected == 0 || s.Cancelled == 0 || s.HighWater <= stressWorkers+room {
		t.Errorf("not everything has happened: %+v", s)
	}
	if err := before.Regained(); err != nil {
		t.Error(err)
	}
}

func run(t *testing.T, ctx context.Context, take take, random *rand.Rand, running *atomic.Int64) {
	s, err := take(ctx)
	if err != nil {
		if err != offload.ErrSaturated && err != errGone {
			t.Errorf("impossible error %v", err)
		}
		return
	}
	defer s.Release()
	if n := running.Add(1); n > stressWorkers {
		t.Errorf("%d run at once", n)
	}
	defer running.Add(-1)
	if random.IntN(8) == 0 {
		s.GiveWay()
	}
	runtime.Gosched() // so that others come in while the slot is held
}

func TestManySlotsLeaveNothing(t *testing.T) {
	const callers, calls, spare = 8, 100_000, 256 << 10
	l := offload.New(2, callers)
	work := func(calls int) {
		var wg sync.WaitGroup
		for range callers {
			wg.Go(func() {
				for i := range calls / callers {
					s, err := l.Acquire(t.Context())
					if err != nil {
						t.Error(err)
						return
					}
					if i%64 == 0 {
						s.GiveWay()
					}
					s.Release()
				}
			})
		}
		wg.Wait()
	}
	work(1000) // so that what the runtime keeps for later is there before
	before, heap := testkit.Holding(), heapInUse()
	work(calls)
	if err := before.Regained(); err != nil {
		t.Error(err)
	}
	if grown := heapInUse() - heap; grown > spare {
		t.Errorf("the heap has grown by %d bytes, want at most %d", grown, spare)
	}
	if s := l.Stats(); s.Active != 0 || s.Queued != 0 || s.Completed != 1000+calls {
		t.Errorf("stats: got %+v, want %d completed", s, 1000+calls)
	}
}

func heapInUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what the first found by its cleanups goes with the second
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestFreeSlotCostsOneAllocation(t *testing.T) {
	l := offload.New(1, 0)
	got := testing.AllocsPerRun(1000, func() {
		s, err := l.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s.GiveWayIfDue()
		s.Release()
	})
	if got > 1 {
		t.Errorf("got %v allocations, want only the slot's", got)
	}
}
