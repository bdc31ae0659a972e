package coded_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"runtime"
	"sync/atomic"
	"testing"

	"servery/internal/codec"
	"servery/internal/coded"
	"servery/internal/identity"
)

var errBroken = errors.New("the encoder is broken")

func TestFailuresReachEveryCaller(t *testing.T) {
	for _, call := range []string{"New", "first Write", "later Write", "Close"} {
		for _, tt := range []struct {
			how  string
			fail func() error
		}{
			{"error", func() error { return errBroken }},
			{"panic", func() error { panic(errBroken) }},
			{"end of the goroutine", func() error { runtime.Goexit(); return nil }},
			{"end of input", func() error { return io.EOF }},
		} {
			t.Run(call+"/"+tt.how, func(t *testing.T) { failsAt(t, call, tt.how == "panic", tt.fail) })
		}
	}
}

func failsAt(t *testing.T, call string, panics bool, fail func() error) {
	content := text(50_000)
	f := newFixture(t, mib, map[string][]byte{"file": content})
	var healed atomic.Bool
	proceed := make(chan struct{})
	f.coder.act = at(call, func() error {
		if healed.Load() {
			return nil
		}
		<-proceed
		return fail()
	})
	var callers []<-chan outcome
	for range 3 {
		callers = append(callers, f.caller(t.Context(), "file"))
	}
	f.joined(t, 2)
	close(proceed)
	panicked := 0
	for _, caller := range callers {
		got := <-caller
		if got.body != nil || got.err == nil && got.panicked == nil {
			t.Errorf("a caller got %+v, want an error", got)
		}
		if got.err != nil && identity.StatusOf(got.err) != http.StatusInternalServerError {
			t.Errorf("error %v has the status %d, want 500", got.err, identity.StatusOf(got.err))
		}
		if got.panicked != nil {
			panicked++
		}
	}
	if panics != (panicked == 1) {
		t.Errorf("the panic %v goes on in %d callers", panics, panicked)
	}
	kept, flights := f.store.Stats()
	slots := f.slots.Stats()
	if kept.Entries != 0 || flights.Active != 0 || flights.Failed != 1 || slots.Active != 0 || f.fsys.open.Load() != 0 {
		t.Errorf("kept %+v, flights %+v, slots %+v, %d files open, want nothing held", kept, flights, slots, f.fsys.open.Load())
	}
	healed.Store(true)
	if got, err := f.body(t.Context(), "file"); err != nil || string(got.Bytes) != codedForm(content) {
		t.Errorf("the next one gets %+v, %v, want the body", got, err)
	}
}

// Whatever an encoder calls its failure, nothing is the matter with the file.
func TestFailuresAreNotMistakenForOthers(t *testing.T) {
	for _, err := range []error{identity.ErrChanged, context.Canceled, fs.ErrNotExist, fs.ErrPermission, fs.ErrClosed} {
		f := newFixture(t, mib, map[string][]byte{"file": text(50_000)})
		f.coder.act = at("Close", func() error { return err })
		_, got := f.body(t.Context(), "file")
		if got == nil || errors.Is(got, identity.ErrChanged) || identity.StatusOf(got) != http.StatusInternalServerError {
			t.Errorf("an encoder that fails with %v: %v, want a failure that is nothing but that", err, got)
		}
	}
}

func TestUnknownCoding(t *testing.T) {
	f := newFixture(t, mib, map[string][]byte{"file": text(50_000)})
	if got, err := f.body(t.Context(), "file", func(j *coded.Job) { j.Key.Coding = "other" }); err == nil {
		t.Errorf("a coding that is not there: %+v, want an error", got)
	}
	f.set, _ = codec.NewSet([]codec.Encoder{{Coding: "fake", Suffix: "fake", New: func() (codec.Writer, error) { return nil, nil }}}, 0)
	if got, err := f.body(t.Context(), "file"); err == nil {
		t.Errorf("an encoder that is none: %+v, want an error", got)
	}
}
