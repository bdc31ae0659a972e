package offload_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"servery/internal/offload"
)

func TestRoom(t *testing.T) {
	r := offload.NewRoom(2)
	for taken := range 2 {
		if !r.Enter() || r.Used() != taken+1 {
			t.Fatalf("%d of two places are taken, want %d", r.Used(), taken+1)
		}
	}
	if r.Enter() || r.Used() != 2 || r.Refused() != 1 {
		t.Errorf("%d of two places are taken, %d calls refused", r.Used(), r.Refused())
	}
	r.Leave()
	if !r.Enter() {
		t.Error("a place that was given back is not to be had")
	}
	if offload.NewRoom(0).Enter() {
		t.Error("there is a place in no room")
	}
}

func TestRoomIsNeverExceeded(t *testing.T) {
	const most = 3
	r := offload.NewRoom(most)
	var inside, entered atomic.Int64
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 2000 {
				if !r.Enter() {
					continue
				}
				if n := inside.Add(1); n > most {
					t.Errorf("%d in room for %d", n, most)
				}
				entered.Add(1)
				inside.Add(-1)
				r.Leave()
			}
		})
	}
	wg.Wait()
	if r.Used() != 0 || entered.Load() == 0 {
		t.Errorf("%d are left of %d", r.Used(), entered.Load())
	}
}
