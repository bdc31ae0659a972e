package flight

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
)

// ErrGoexit is the error of work that ended its goroutine (runtime.Goexit) instead of returning.
var ErrGoexit = errors.New("flight: the work ended its goroutine")

// PanicError tells the callers of work that panicked, all but the one in whom the panic goes on.
type PanicError struct {
	Value any    // what the work panicked with
	Stack []byte // the work's stack at the panic, as debug.Stack formats it; callers share it
}

// Error gives the panic's value without the stack, which fits no line of a log.
func (e *PanicError) Error() string { return fmt.Sprintf("flight: the work panicked: %v", e.Value) }

// Unwrap returns the panic's value if it is an error, so that errors.Is recognises http.ErrAbortHandler and the like.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// result is how a work ended.
type result[V any] struct {
	value    V
	err      error
	panicked *PanicError // also err; apart from it because work may return the PanicError of another group
}

// run replaces r by the result of work. It leaves r alone when work ends the goroutine, for then it does not return.
//
// A panic is kept, not passed on: in a goroutine of its own it would end the process, however well the callers are
// guarded. This holds for abandoned work too, whose panic nobody is left to receive: it is counted as failed and
// dropped, since clients who hang up at the right moment must not be able to stop a server that survives the same
// panic while they wait.
func (r *result[V]) run(ctx context.Context, work func(context.Context) (V, error)) {
	defer func() {
		if p := recover(); p != nil {
			r.panicked = &PanicError{Value: p, Stack: debug.Stack()}
			r.err = r.panicked
		}
	}()
	r.value, r.err = work(ctx)
}

// Stats counts what a group did since it came into being. Every flight that was started is either active or has one
// of three outcomes: the successful are Started - Active - Cancelled - Failed.
type Stats struct {
	Started   uint64 // flights
	Joined    uint64 // callers who joined a flight that another had started
	Cancelled uint64 // ended flights whose callers had all left before, unless the work panicked
	Failed    uint64 // ended flights that gave their callers an error, and all that panicked
	Active    uint64 // flights whose work runs now, abandoned ones included
}

// count books the end of a flight. The error of abandoned work is no failure, most often it is the cancellation.
func (s *Stats) count(abandoned, panicked, failed bool) {
	s.Active--
	switch {
	case panicked, failed && !abandoned:
		s.Failed++
	case abandoned:
		s.Cancelled++
	}
}
