package flight_test

import (
	"context"
	"testing"

	"servery/internal/flight"
)

type (
	group = flight.Group[string, int]
	work  = func(context.Context) (int, error)
)

// answer is everything a call of Do gave to its caller.
type answer struct {
	value    int
	joined   bool
	err      error
	panicked any
}

// do is Do with the panic made a value.
func do(ctx context.Context, g *group, key string, w work) (a answer) {
	defer func() {
		if p := recover(); p != nil {
			a.panicked = p
		}
	}()
	a.value, a.joined, a.err = g.Do(ctx, key, ready(w))
	return a
}

// ready is work that needs no preparation.
func ready(w work) func() work { return func() work { return w } }

// call is do in a goroutine of its own.
func call(ctx context.Context, g *group, key string, w work) <-chan answer {
	c := make(chan answer, 1)
	go func() { c <- do(ctx, g, key, w) }()
	return c
}

// gated is work that reports its context, waits for the gate whatever happens to that context, and then ends as end
// says.
type gated struct {
	ctx  chan context.Context
	gate chan struct{}
}

func newGated() *gated {
	return &gated{ctx: make(chan context.Context, 1), gate: make(chan struct{})}
}

func (w *gated) then(end func() (int, error)) work {
	return func(ctx context.Context) (int, error) {
		w.ctx <- ctx
		<-w.gate
		return end()
	}
}

func (w *gated) returns(v int, err error) work {
	return w.then(func() (int, error) { return v, err })
}

func (w *gated) open() { close(w.gate) }

// never is work for calls that must not start any.
func never(t *testing.T) work {
	return func(context.Context) (int, error) {
		t.Error("work was started that must not be")
		return 0, nil
	}
}

func wantAnswer(t *testing.T, who string, got, want answer) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %+v, want %+v", who, got, want)
	}
}

func wantStats(t *testing.T, g *group, want flight.Stats) {
	t.Helper()
	if got := g.Stats(); got != want {
		t.Errorf("stats: got %+v, want %+v", got, want)
	}
}

func wantLen(t *testing.T, g *group, want int) {
	t.Helper()
	if got := g.Len(); got != want {
		t.Errorf("flights in the table: got %d, want %d", got, want)
	}
}
