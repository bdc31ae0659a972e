package flight_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"servery/internal/flight"
)

func TestManyDistinctKeysLeaveAnEmptyTable(t *testing.T) {
	const callers, keys = 8, 100_000
	g := new(group)
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() {
			for k := i; k < keys; k += callers {
				got, _, err := g.Do(t.Context(), strconv.Itoa(k), ready(func(context.Context) (int, error) { return k, nil }))
				if got != k || err != nil {
					t.Errorf("key %d: got %d, %v", k, got, err)
				}
				if n := g.Len(); n > callers {
					t.Errorf("%d flights in the table with %d callers", n, callers)
				}
			}
		})
	}
	wg.Wait()
	wantLen(t, g, 0)
	wantStats(t, g, flight.Stats{Started: keys})
}

// blast is what the works of the stress test panic with, each with one of its own.
type blast struct {
	raised, told atomic.Int64 // callers in whom it was raised, callers who got it as an error
}

// tally is what the callers of the stress test saw.
type tally struct {
	joined, raised atomic.Uint64

	mu     sync.Mutex
	blasts []*blast // protected by mu
}

// TestStress has real goroutines ask for few keys, leave at random moments, and meet every kind of end.
func TestStress(t *testing.T) {
	const callers, rounds, keys = 16, 2000, 4
	g := new(group)
	var seen tally
	var wg sync.WaitGroup
	for i := range callers {
		random := rand.New(rand.NewPCG(1, uint64(i)))
		wg.Go(func() {
			for range rounds {
				ctx, leave := context.WithCancel(t.Context())
				if random.IntN(3) == 0 {
					go leave()
				}
				seen.add(t, do(ctx, g, strconv.Itoa(random.IntN(keys)), seen.work(random.IntN(4), leave)))
				leave()
			}
		})
	}
	wg.Wait()
	if err := g.Shutdown(t.Context()); err != nil {
		t.Errorf("Shutdown: %v", err)
	}
	wantLen(t, g, 0)
	seen.check(t, g.Stats())
}

var errStress = errors.New("stress")

// work ends in a value, an error or a panic, or in a panic at the moment its first caller leaves.
func (c *tally) work(kind int, leave func()) work {
	return func(context.Context) (int, error) {
		switch kind {
		case 0:
			return 7, nil
		case 1:
			return 0, errStress
		case 2:
			leave()
		}
		b := new(blast)
		c.mu.Lock()
		c.blasts = append(c.blasts, b)
		c.mu.Unlock()
		panic(b)
	}
}

func (c *tally) add(t *testing.T, a answer) {
	if a.joined {
		c.joined.Add(1)
	}
	if b, ok := a.panicked.(*blast); ok {
		c.raised.Add(1)
		b.raised.Add(1)
		return
	}
	var p *flight.PanicError
	switch {
	case errors.As(a.err, &p):
		p.Value.(*blast).told.Add(1)
	case a.value == 7 && a.err == nil, a.err == errStress, a.err == context.Canceled:
	default:
		t.Errorf("impossible answer %+v", a)
	}
}

func (c *tally) check(t *testing.T, s flight.Stats) {
	if s.Active != 0 || s.Started < s.Cancelled+s.Failed {
		t.Errorf("stats do not add up: %+v", s)
	}
	// A caller in whom the panic is raised cannot report that it joined.
	if joined := c.joined.Load(); joined > s.Joined || joined+c.raised.Load() < s.Joined {
		t.Errorf("stats say that %d joined, %d callers did", s.Joined, joined)
	}
	for _, b := range c.blasts {
		if raised, told := b.raised.Load(), b.told.Load(); raised > 1 || told > 0 && raised == 0 {
			t.Errorf("a panic was raised in %d callers and told to %d", raised, told)
		}
	}
}
