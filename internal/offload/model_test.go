package offload_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"

	"servery/internal/offload"
)

// model is what a limiter must do, told without any concurrency.
type model struct {
	workers, room   int
	running, queued []*call // queued: the longest waiting first
	ended           map[*call]string
	stats           offload.Stats // but for Active and Queued
}

// asks is a call of Acquire, or of Wait, which has room without end.
func (m *model) asks(c *call, room int) {
	switch {
	case len(m.running) < m.workers:
		m.running = append(m.running, c)
	case len(m.queued) < room:
		m.queued = append(m.queued, c)
	default:
		m.ended[c] = "is refused"
		m.stats.Rejected++
	}
	m.stats.HighWater = max(m.stats.HighWater, len(m.running)+len(m.queued))
}

func (m *model) releases(c *call) {
	m.running = slices.DeleteFunc(m.running, func(r *call) bool { return r == c })
	m.stats.Completed++
	if len(m.queued) > 0 {
		m.running = append(m.running, m.queued[0])
		m.queued = m.queued[1:]
	}
}

func (m *model) leaves(c *call) {
	m.queued = slices.DeleteFunc(m.queued, func(q *call) bool { return q == c })
	m.ended[c] = "is gone"
	m.stats.Cancelled++
}

func (m *model) check(t *testing.T, l *offload.Limiter) {
	t.Helper()
	for _, c := range m.running {
		wantState(t, "running", c, "runs")
	}
	for _, c := range m.queued {
		wantState(t, "queued", c, "waits")
	}
	for c, state := range m.ended {
		wantState(t, "ended", c, state)
	}
	want := m.stats
	want.Active, want.Queued = len(m.running), len(m.queued)
	wantStats(t, l, want)
}

func TestLimiterIsItsModel(t *testing.T) {
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			m := &model{workers: 1 + random.IntN(3), room: random.IntN(4), ended: make(map[*call]string)}
			l := offload.New(m.workers, m.room)
			for range 100 {
				m.step(t, l, random)
				m.check(t, l)
				if t.Failed() {
					t.Fatalf("seed %d, %d workers, room for %d", seed, m.workers, m.room)
				}
			}
			for len(m.running) > 0 {
				m.release(t, random)
			}
			m.check(t, l)
		})
	}
}

// step does one thing at random, to the limiter and to the model.
func (m *model) step(t *testing.T, l *offload.Limiter, random *rand.Rand) {
	switch kind := random.IntN(10); {
	case kind < 4:
		m.asks(start(t.Context(), l.Acquire), m.room)
	case kind < 5:
		m.asks(start(t.Context(), l.Wait), 1<<30)
	case kind < 6:
		ctx, end := context.WithCancelCause(t.Context())
		end(errGone)
		m.leaves(start(ctx, l.Acquire))
	case kind < 7 && len(m.running) > 0:
		m.running[random.IntN(len(m.running))].cancel() // without effect
	case kind < 8 && len(m.queued) > 0:
		c := m.queued[random.IntN(len(m.queued))]
		c.cancel()
		m.leaves(c)
	case len(m.running) > 0:
		m.release(t, random)
	}
}

func (m *model) release(t *testing.T, random *rand.Rand) {
	c := m.running[random.IntN(len(m.running))]
	c.release(t)
	m.releases(c)
}
