package coded_test

import (
	"context"
	"errors"
	"testing"

	"servery/internal/codec"
	"servery/internal/flight"
	"servery/internal/offload"
)

// gate blocks all who pass until it is opened.
type gate struct{ reached, open chan struct{} }

func newGate() *gate { return &gate{make(chan struct{}, 1000), make(chan struct{})} }

func (g *gate) pass() error {
	g.reached <- struct{}{}
	<-g.open
	return nil
}

func TestQueuedWorkOfWhoLeftNeverRuns(t *testing.T) {
	f := newFixture(t, mib, map[string][]byte{"file": text(50_000)})
	f.slots = offload.New(1, 10)
	g := newGate()
	f.coder.act = at("New", g.pass)
	running := f.caller(t.Context(), "file", numbered(0))
	<-g.reached

	ctx, leave := context.WithCancel(t.Context())
	queued := []<-chan outcome{f.caller(ctx, "file", numbered(1)), f.caller(ctx, "file", numbered(2))}
	stays := f.caller(t.Context(), "file", numbered(2))
	f.joined(t, 1)
	eventually(t, "two wait", func() bool { return f.slots.Stats().Queued == 2 })
	leave()
	for _, caller := range queued {
		if got := <-caller; !errors.Is(got.err, context.Canceled) {
			t.Errorf("who left got %+v", got)
		}
	}
	eventually(t, "the one whom nobody awaits is withdrawn", func() bool { return f.slots.Stats().Queued == 1 })
	close(g.open)
	for _, caller := range []<-chan outcome{running, stays} {
		if got := <-caller; got.err != nil || !got.body.Worth {
			t.Errorf("who stayed got %+v, want a body", got)
		}
	}
	if made := f.coder.made.Load(); made != 2 {
		t.Errorf("%d encoders, want 2: nobody waits for the third", made)
	}
	if _, flights := f.store.Stats(); flights.Cancelled != 1 || flights.Failed != 0 {
		t.Errorf("flights %+v, want one that was cancelled", flights)
	}
}

func TestRunningWorkStopsWhenTheLastOneLeaves(t *testing.T) {
	f := newFixture(t, mib, map[string][]byte{"file": text(2 * mib)})
	g := newGate()
	f.coder.act = at("first Write", g.pass)
	first, leaveFirst := context.WithCancel(t.Context())
	second, leaveSecond := context.WithCancel(t.Context())
	callers := []<-chan outcome{f.caller(first, "file"), f.caller(second, "file")}
	<-g.reached
	f.joined(t, 1)
	leaveFirst()
	leaveSecond()
	for _, caller := range callers {
		if got := <-caller; !errors.Is(got.err, context.Canceled) {
			t.Errorf("who left got %+v", got)
		}
	}
	close(g.open)
	eventually(t, "the work has ended", func() bool { _, flights := f.store.Stats(); return flights.Active == 0 })
	if writes := f.coder.writes.Load(); writes != 1 {
		t.Errorf("%d slices, want an end after the one that was at work", writes)
	}
	if kept, flights := f.store.Stats(); kept.Entries != 0 || flights.Cancelled != 1 {
		t.Errorf("kept %+v, flights %+v, want nothing but one that was cancelled", kept, flights)
	}
	if got, err := f.body(t.Context(), "file"); err != nil || !got.Worth {
		t.Errorf("the next one gets %+v, %v", got, err)
	}
}

// The one that started the work may leave, and its handle with it.
func TestWorkOutlivesWhoStartedIt(t *testing.T) {
	content := text(200_000)
	f := newFixture(t, mib, map[string][]byte{"file": content})
	g := newGate()
	f.coder.act = at("first Write", g.pass)
	ctx, leave := context.WithCancel(t.Context())
	first := f.caller(ctx, "file")
	<-g.reached
	second := f.caller(t.Context(), "file")
	f.joined(t, 1)
	leave()
	<-first
	close(g.open)
	if got := <-second; got.err != nil || string(got.body.Bytes) != codedForm(content) {
		t.Errorf("who stayed got %+v, want the body", got)
	}
}

func TestShutdownOfTheStore(t *testing.T) {
	f := newFixture(t, mib, map[string][]byte{"file": text(50_000)})
	g := newGate()
	f.coder.act = at("later Write", g.pass)
	running := f.caller(t.Context(), "file")
	<-g.reached

	gone, leave := context.WithCancel(t.Context())
	leave()
	if err := f.store.Shutdown(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("Shutdown with work that runs: %v, want the cause of its end", err)
	}
	if got, err := f.body(t.Context(), "file", numbered(1)); !errors.Is(err, flight.ErrShutdown) {
		t.Errorf("new work after Shutdown: %+v, %v, want flight.ErrShutdown", got, err)
	}
	joins := f.caller(t.Context(), "file")
	f.joined(t, 1)
	ended := make(chan error, 1)
	go func() { ended <- f.store.Shutdown(t.Context()) }()
	close(g.open)
	if err := <-ended; err != nil {
		t.Errorf("Shutdown: %v", err)
	}
	if alive := f.coder.alive.Load(); alive != 0 {
		t.Errorf("after Shutdown %d encoders are at work", alive)
	}
	for _, caller := range []<-chan outcome{running, joins} {
		if got := <-caller; got.err != nil || !got.body.Worth {
			t.Errorf("work that ran gave %+v, want its body", got)
		}
	}
	kept, flights := f.store.Stats()
	if kept.Entries != 0 || kept.Cost != 0 || flights.Active != 0 || f.slots.Stats().Active != 0 {
		t.Errorf("after Shutdown: kept %+v, flights %+v, slots %+v", kept, flights, f.slots.Stats())
	}
	if _, err := f.body(t.Context(), "file"); !errors.Is(err, flight.ErrShutdown) {
		t.Errorf("what was made before Shutdown: %v, want flight.ErrShutdown", err)
	}
}

// Work that was still running when a Shutdown gave up has nowhere to put its body.
func TestNothingIsKeptAfterShutdownGaveUp(t *testing.T) {
	f := newFixture(t, mib, map[string][]byte{"file": text(50_000)})
	g := newGate()
	f.coder.act = at("first Write", g.pass)
	running := f.caller(t.Context(), "file")
	<-g.reached
	gone, leave := context.WithCancel(t.Context())
	leave()
	if err := f.store.Shutdown(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("Shutdown: %v, want the cause of its end", err)
	}
	close(g.open)
	if got := <-running; got.err != nil || !got.body.Worth {
		t.Errorf("work that ran gave %+v, want its body", got)
	}
	if kept, _ := f.store.Stats(); kept.Entries != 0 {
		t.Errorf("kept %+v, want nothing", kept)
	}
}

func TestShutdownForgetsWhatIsKept(t *testing.T) {
	f := newFixture(t, mib, map[string][]byte{"file": text(50_000)})
	if _, err := f.body(t.Context(), "file"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := f.store.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if kept, _ := f.store.Stats(); kept.Cost != 0 {
		t.Errorf("kept %+v after Shutdown", kept)
	}
}

// With the queue full the next one is turned away at once, and nothing is made.
func TestSaturation(t *testing.T) {
	f := newFixture(t, mib, map[string][]byte{"file": text(50_000)})
	if _, err := f.body(t.Context(), "file", numbered(9)); err != nil {
		t.Fatal(err)
	}
	f.slots = offload.New(1, 1)
	f.coder = new(coder)
	g := newGate()
	f.coder.act = at("first Write", g.pass)
	f.set, _ = codec.NewSet([]codec.Encoder{f.coder.encoder()}, 0)
	callers := []<-chan outcome{f.caller(t.Context(), "file", numbered(0))}
	<-g.reached
	callers = append(callers, f.caller(t.Context(), "file", numbered(1)))
	eventually(t, "one waits", func() bool { return f.slots.Stats().Queued == 1 })
	if got, err := f.body(t.Context(), "file", numbered(2)); !errors.Is(err, offload.ErrSaturated) {
		t.Errorf("got %+v, %v, want offload.ErrSaturated", got, err)
	}
	if got, err := f.body(t.Context(), "file", numbered(9)); err != nil || !got.Worth {
		t.Errorf("what is kept: %+v, %v, want the body", got, err)
	}
	callers = append(callers, f.caller(t.Context(), "file", numbered(1)))
	f.joined(t, 1)
	close(g.open)
	for _, caller := range callers {
		if got := <-caller; got.err != nil || !got.body.Worth {
			t.Errorf("who runs, waits or joins gets %+v, want a body", got)
		}
	}
	if got, err := f.body(t.Context(), "file", numbered(2)); err != nil || !got.Worth {
		t.Errorf("afterwards: %+v, %v, want a body", got, err)
	}
}
