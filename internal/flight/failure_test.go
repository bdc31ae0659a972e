package flight_test

import (
	"context"
	"errors"
	"io/fs"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"servery/internal/flight"
)

// waiting starts callers of one key and returns their answers once the work has ended as end says.
func waiting(t *testing.T, g *group, callers int, end func() (int, error)) []answer {
	w := newGated()
	var calls []<-chan answer
	for range callers {
		calls = append(calls, call(t.Context(), g, "k", w.then(end)))
	}
	synctest.Wait()
	w.open()
	var answers []answer
	for _, c := range calls {
		answers = append(answers, <-c)
	}
	wantLen(t, g, 0)
	return answers
}

func TestErrorReachesEveryCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := new(group)
		failed := errors.New("failed")
		for _, a := range waiting(t, g, 5, func() (int, error) { return 3, failed }) {
			wantAnswer(t, "caller", a, answer{value: 3, joined: a.joined, err: failed})
		}
		wantStats(t, g, flight.Stats{Started: 1, Joined: 4, Failed: 1})
	})
}

func TestPanicIsRaisedInOneCallerAndAnErrorInTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := new(group)
		raised := 0
		for _, a := range waiting(t, g, 5, func() (int, error) { panic(fs.ErrInvalid) }) {
			if a.panicked != nil {
				raised++
				if a.panicked != fs.ErrInvalid {
					t.Errorf("raised: got %v, want the work's own value", a.panicked)
				}
				continue
			}
			var p *flight.PanicError
			if !errors.As(a.err, &p) || p.Value != fs.ErrInvalid || !errors.Is(p, fs.ErrInvalid) {
				t.Fatalf("other caller: got %+v, want a PanicError with the work's own value", a)
			}
			if !strings.Contains(string(p.Stack), "TestPanicIsRaised") {
				t.Errorf("the stack does not show where the panic began:\n%s", p.Stack)
			}
		}
		if raised != 1 {
			t.Errorf("the panic was raised in %d callers, want 1", raised)
		}
		wantStats(t, g, flight.Stats{Started: 1, Joined: 4, Failed: 1})
	})
}

func TestPanicErrorAsAResultIsNotRaised(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		theirs := &flight.PanicError{Value: "of another group"}
		for _, a := range waiting(t, new(group), 2, func() (int, error) { return 0, theirs }) {
			wantAnswer(t, "caller", a, answer{joined: a.joined, err: theirs})
		}
	})
}

func TestPanicErrorOfAValueThatIsNoError(t *testing.T) {
	err := &flight.PanicError{Value: 42}
	if got, want := err.Error(), "flight: the work panicked: 42"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := errors.Unwrap(err); got != nil {
		t.Errorf("unwrapped: got %v, want nil", got)
	}
}

func TestGoexitOfTheWorkHangsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := new(group)
		answers := waiting(t, g, 5, func() (int, error) {
			runtime.Goexit()
			return 0, nil
		})
		for _, a := range answers {
			wantAnswer(t, "caller", a, answer{joined: a.joined, err: flight.ErrGoexit})
		}
		wantStats(t, g, flight.Stats{Started: 1, Joined: 4, Failed: 1})
	})
}

func TestOutcomeOfAbandonedWork(t *testing.T) {
	tests := map[string]struct {
		reason string
		end    func() (int, error)
		want   flight.Stats
	}{
		"value": {
			"it came too late for anybody",
			func() (int, error) { return 7, nil },
			flight.Stats{Started: 1, Cancelled: 1},
		},
		"error": {
			"as a rule it only says that the work was cancelled",
			func() (int, error) { return 0, context.Canceled },
			flight.Stats{Started: 1, Cancelled: 1},
		},
		"panic": {
			"a defect stays visible, and the process goes on",
			func() (int, error) { panic("too late") },
			flight.Stats{Started: 1, Failed: 1},
		},
		"goexit": {
			"it reaches nobody, like an error",
			func() (int, error) { runtime.Goexit(); return 0, nil },
			flight.Stats{Started: 1, Cancelled: 1},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g, w := new(group), newGated()
				ctx, leave := context.WithCancel(t.Context())
				c := call(ctx, g, "k", w.then(tt.end))
				<-w.ctx
				leave()
				wantAnswer(t, "leaving caller", <-c, answer{err: context.Canceled})
				w.open()
				synctest.Wait()
				t.Log(tt.reason)
				wantStats(t, g, tt.want)
			})
		})
	}
}
