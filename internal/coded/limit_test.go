package coded_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"servery/internal/coded"
)

// Whatever happens at the same time, what is kept is within the limit, and what it
// is said to be.
func TestLimitHoldsAtEveryInstant(t *testing.T) {
	const limit, keys = 20_000, 60
	f := newFixture(t, limit, map[string][]byte{"small": text(100), "medium": text(5000), "large": text(25_000)})
	f.fsys.MapFS["young"] = &fstest.MapFile{Data: text(3000), ModTime: now.Add(-time.Millisecond - 1)}
	f.coder.swell = 1
	names := []string{"small", "medium", "large", "young"}
	check := func() {
		if kept, _ := f.store.Stats(); kept.Cost > limit || kept.Cost < int64(kept.Entries)*512 {
			t.Errorf("kept %+v, limit %d", kept, limit)
		}
	}
	var clients sync.WaitGroup
	for seed := range uint64(8) {
		random := rand.New(rand.NewPCG(1, seed))
		clients.Go(func() {
			for range 1500 {
				ctx, leave := context.WithCancel(t.Context())
				name, number := names[random.IntN(len(names))], numbered(random.IntN(keys))
				switch random.IntN(20) {
				case 0:
					f.store.Purge()
				case 1: // leaves, and with luck so that two make the same
					got := f.caller(ctx, name, number, always)
					leave()
					<-got
				case 2:
					f.body(ctx, name, number) // a verdict
				default:
					if body, err := f.body(ctx, name, number, always); err != nil || len(body.Bytes) != len(f.fsys.MapFS[name].Data) {
						t.Errorf("%s: %+v, %v", name, body, err)
					}
				}
				leave()
				check()
			}
		})
	}
	clients.Wait()
	eventually(t, "those who left are forgotten", func() bool { _, flights := f.store.Stats(); return flights.Active == 0 })
	f.checkCost(t, names, keys)
	f.store.Purge()
	if kept, _ := f.store.Stats(); kept.Cost != 0 || kept.Entries != 0 {
		t.Errorf("after Purge: kept %+v", kept)
	}
}

// checkCost compares what the store says with what it has. A caller that has left
// finds what is kept and changes nothing.
func (f *fixture) checkCost(t *testing.T, names []string, keys int) {
	t.Helper()
	gone, leave := context.WithCancel(t.Context())
	leave()
	var cost int64
	entries := 0
	for _, name := range names {
		for n := range keys {
			for _, change := range []func(*coded.Job){always, func(*coded.Job) {}} {
				if body, err := f.body(gone, name, numbered(n), change); err == nil {
					cost += int64(len(body.Bytes) + len(name) + 512)
					entries++
				}
			}
		}
	}
	if kept, _ := f.store.Stats(); kept.Cost != cost || kept.Entries != entries || entries == 0 {
		t.Errorf("kept %+v, found %d entries of cost %d", kept, entries, cost)
	}
}

func TestDistinctKeysLeaveNothingInTheTable(t *testing.T) {
	const keys = 100_000
	f := newFixture(t, 100*1024, map[string][]byte{"file": text(100)})
	var clients sync.WaitGroup
	for i := range 4 {
		clients.Go(func() {
			for n := i; n < keys; n += 4 {
				if _, err := f.body(t.Context(), "file", numbered(n)); err != nil {
					t.Errorf("key %d: %v", n, err)
					return
				}
			}
		})
	}
	clients.Wait()
	kept, flights := f.store.Stats()
	if flights.Active != 0 || flights.Started != keys || flights.Failed+flights.Cancelled+flights.Joined != 0 {
		t.Errorf("flights %+v, want %d that have ended", flights, keys)
	}
	if kept.Cost > 100*1024 || kept.Entries > 200 || kept.Evictions+uint64(kept.Entries) != keys {
		t.Errorf("kept %+v, want what the limit allows", kept)
	}
}

func TestNoEncoderWithoutASlot(t *testing.T) {
	f := newFixture(t, 0, map[string][]byte{"file": text(100_000)})
	f.coder.act = func(string) error {
		if active := int64(f.slots.Stats().Active); active < f.coder.alive.Load() || active == 0 {
			t.Errorf("%d encoders at work with %d slots taken", f.coder.alive.Load(), active)
		}
		return nil
	}
	start := make(chan struct{})
	var clients sync.WaitGroup
	for n := range 200 {
		clients.Go(func() {
			<-start
			if _, err := f.body(t.Context(), "file", numbered(n)); err != nil {
				t.Error(err)
			}
		})
	}
	close(start)
	clients.Wait()
	if most := f.coder.most.Load(); most > 2 || f.coder.made.Load() != 200 {
		t.Errorf("%d encoders, %d at one moment, want 200 and as many as there are slots, 2", f.coder.made.Load(), most)
	}
}
