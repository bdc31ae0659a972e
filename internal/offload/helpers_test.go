package offload_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"servery/internal/offload"
)

var errGone = errors.New("gone")

// take is Acquire or Wait of some limiter.
type take func(context.Context) (*offload.Slot, error)

// call is one call of take in a goroutine of its own, in a bubble.
type call struct {
	leave context.CancelCauseFunc
	slot  *offload.Slot // the fields below are written before done is closed
	err   error
	done  chan struct{}
}

// start returns once the call has its answer or waits.
func start(ctx context.Context, take take) *call {
	c := &call{done: make(chan struct{})}
	ctx, c.leave = context.WithCancelCause(ctx)
	go func() {
		defer close(c.done)
		c.slot, c.err = take(ctx)
	}()
	synctest.Wait()
	return c
}

// release gives back the slot of the call and returns once that has had its effect.
func (c *call) release(t *testing.T) {
	t.Helper()
	if state := c.state(); state != "runs" {
		t.Fatalf("the call whose slot is to be released %s", state)
	}
	c.slot.Release()
	synctest.Wait()
}

// cancel ends the context of the call and returns once that has had its effect.
func (c *call) cancel() {
	c.leave(errGone)
	synctest.Wait()
}

// state says what became of a call so far.
func (c *call) state() string {
	select {
	case <-c.done:
	default:
		return "waits"
	}
	switch {
	case c.slot != nil && c.err == nil:
		return "runs"
	case c.slot != nil:
		return "runs with an error"
	case c.err == errGone:
		return "is gone"
	case c.err == offload.ErrSaturated:
		return "is refused"
	}
	return "failed otherwise"
}

func wantState(t *testing.T, name string, c *call, want string) {
	t.Helper()
	if got := c.state(); got != want {
		t.Errorf("%s %s, want: %s", name, got, want)
	}
}

func wantStats(t *testing.T, l *offload.Limiter, want offload.Stats) {
	t.Helper()
	if got := l.Stats(); got != want {
		t.Errorf("stats:\n got %+v\nwant %+v", got, want)
	}
}

// mustAcquire takes a slot that is free, in the goroutine of the test.
func mustAcquire(t testing.TB, l *offload.Limiter) *offload.Slot {
	t.Helper()
	s, err := l.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func wantPanic(t *testing.T, name string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if s, _ := recover().(string); len(s) < 9 || s[:9] != "servery: " {
			t.Errorf("%s: got panic %q, want one that begins with %q", name, s, "servery: ")
		}
	}()
	f()
}
