package codec_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"servery/internal/codec"
)

// use is one lease with all that may happen in it, and what its last call said.
type use func(l *codec.Lease) error

func closes(l *codec.Lease) error {
	_, _ = l.Write([]byte("text"))
	return l.Close()
}

func TestWriterReturnsOnlyAfterACleanClose(t *testing.T) {
	fails := func(io.Writer) error { return errEncoder }
	panics := func(io.Writer) error { panic("encoder") }
	swallows := func(w io.Writer) error {
		for range 2 {
			_, _ = w.Write([]byte("x"))
		}
		return nil
	}
	calls := 0
	refuses := writerFunc(func([]byte) (int, error) { return 0, errDestination })
	loses := writerFunc(func(p []byte) (int, error) { return len(p) - 1, nil })
	refusesOnce := writerFunc(func(p []byte) (int, error) {
		if calls++; calls == 1 {
			return 0, errDestination
		}
		return len(p), nil
	})
	for _, tt := range []struct {
		each   func(*fake)
		w      io.Writer
		use    use
		want   error // nil with again: the last call succeeds
		panics any
		again  bool
		reason string
	}{
		{nil, io.Discard, closes, nil, nil, true, "a clean close"},
		{nil, io.Discard, func(l *codec.Lease) error { return l.Close() }, nil, nil, true, "nothing written"},
		{nil, io.Discard, func(l *codec.Lease) error { _ = l.Flush(); return l.Close() }, nil, nil, true, "flushed"},
		{nil, io.Discard, func(l *codec.Lease) error { defer l.Discard(); return closes(l) }, nil, nil, true, "Discard after Close"},
		{nil, io.Discard, func(l *codec.Lease) error { l.Discard(); return l.Close() }, codec.ErrEnded, nil, false, "discarded"},
		{nil, io.Discard, func(l *codec.Lease) error { defer l.Discard(); panic("user") }, nil, "user", false, "its user panicked"},
		{nil, refuses, closes, errDestination, nil, false, "the destination failed"},
		{nil, loses, closes, io.ErrShortWrite, nil, false, "the destination lost a byte in silence"},
		{func(f *fake) { f.write = fails }, io.Discard, closes, errEncoder, nil, false, "Write failed"},
		{func(f *fake) { f.flush = fails }, io.Discard, func(l *codec.Lease) error { _ = l.Flush(); return l.Close() }, errEncoder,
			nil, false, "Flush failed, and Close says so too"},
		{func(f *fake) { f.close = fails }, io.Discard, closes, errEncoder, nil, false, "Close failed"},
		{func(f *fake) { f.forget = 1 }, io.Discard, closes, io.ErrShortWrite, nil, false, "it did not take all"},
		{func(f *fake) { f.forget = -1 }, io.Discard, closes, io.ErrShortWrite, nil, false, "it took more than there was"},
		{func(f *fake) { f.flush = swallows }, refuses, func(l *codec.Lease) error { return l.Flush() }, errDestination, nil, false,
			"it kept the destination's error to itself"},
		{func(f *fake) { f.flush = swallows }, refusesOnce, func(l *codec.Lease) error { return l.Flush() }, errDestination, nil,
			false, "and went on to write beyond the gap"},
		{func(f *fake) { f.flush = swallows }, loses, func(l *codec.Lease) error { return l.Flush() }, io.ErrShortWrite, nil, false,
			"it did not notice a short write"},
		{func(f *fake) { f.write = panics }, io.Discard, closes, nil, "encoder", false, "Write panicked"},
		{func(f *fake) { f.flush = panics }, io.Discard, func(l *codec.Lease) error { return l.Flush() }, nil, "encoder", false,
			"Flush panicked"},
		{func(f *fake) { f.close = panics }, io.Discard, closes, nil, "encoder", false, "Close panicked"},
		{func(f *fake) { f.write = panics }, io.Discard, func(l *codec.Lease) error {
			defer l.Discard()
			_ = recovered(func() { _, _ = l.Write(nil) })
			return l.Close()
		}, codec.ErrPanicked, nil, false, "Write panicked, and the user went on"},
	} {
		made := 0
		s := set(t, 4, fakes(&made, tt.each))
		var got error
		panicked := recovered(func() { got = tt.use(lease(t, s, tt.w)) })
		if !errors.Is(got, tt.want) || panicked != tt.panics {
			t.Errorf("got error %v, panic %v, want %v, %v: %s", got, panicked, tt.want, tt.panics, tt.reason)
		}
		lease(t, s, io.Discard)
		if again := made == 1; again != tt.again {
			t.Errorf("the writer is used again: %v, want %v: %s", again, tt.again, tt.reason)
		}
	}
}

func TestWriterReturnsOnce(t *testing.T) {
	made := 0
	s := set(t, 4, fakes(&made, nil))
	l := lease(t, s, io.Discard)
	for range 3 {
		_ = l.Close()
		l.Discard()
	}
	lease(t, s, io.Discard)
	lease(t, s, io.Discard)
	if made != 2 {
		t.Errorf("%d writers for two leases at a time", made)
	}
}

func TestPanicOfResetLosesTheWriter(t *testing.T) {
	made := 0
	s := set(t, 4, fakes(&made, func(f *fake) {
		if made == 1 {
			f.reset = func() { panic("reset") }
		}
	}))
	if got := recovered(func() { lease(t, s, io.Discard) }); got != "reset" {
		t.Errorf("got panic %v", got)
	}
	if err := lease(t, s, io.Discard).Close(); err != nil || made != 2 {
		t.Errorf("%v with writer %d", err, made)
	}
}

// Whoever holds on to an ended lease can write nowhere, least of all into the body of the next one.
func TestEndedLeaseReachesNothing(t *testing.T) {
	made := 0
	s := set(t, 1, fakes(&made, nil))
	var first, second bytes.Buffer
	old := lease(t, s, &first)
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	current := lease(t, s, &second)
	_, err := old.Write([]byte("late"))
	for name, err := range map[string]error{"Write": err, "Flush": old.Flush(), "Close": old.Close()} {
		if !errors.Is(err, codec.ErrEnded) {
			t.Errorf("%s after the end: %v", name, err)
		}
	}
	old.Discard()
	if err := closes(current); err != nil {
		t.Fatal(err)
	}
	if made != 1 || first.String() != "." || second.String() != "text." {
		t.Errorf("%d writers wrote %q and %q", made, &first, &second)
	}
}

// What an encoder writes on its own after it went back goes nowhere either.
func TestIdleWriterReachesNothing(t *testing.T) {
	var kept *fake
	made := 0
	s := set(t, 1, fakes(&made, func(f *fake) { kept = f }))
	var out bytes.Buffer
	if err := lease(t, s, &out).Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := kept.w.Write([]byte("late")); !errors.Is(err, codec.ErrEnded) || out.String() != "." {
		t.Errorf("got %v, and %q was written", err, &out)
	}
}

// The errors of real encoders, wherever the destination fails.
func TestDestinationFailsAtAnyByte(t *testing.T) {
	text := lines(200_000)
	for coding := range levels {
		s := set(t, 1, encoder(t, coding, 1))
		for _, most := range []int{0, 5, 1000, 20_000} {
			room := most
			err := writeAll(lease(t, s, writerFunc(func(p []byte) (int, error) {
				if room -= len(p); room < 0 {
					return 0, errDestination
				}
				return len(p), nil
			})), text)
			if !errors.Is(err, errDestination) {
				t.Errorf("%s to a destination of %d bytes: %v", coding, most, err)
			}
		}
		var out bytes.Buffer
		if err := writeAll(lease(t, s, &out), text); err != nil {
			t.Errorf("%s afterwards: %v", coding, err)
		}
		wantDecoded(t, coding, out.Bytes(), text)
	}
}

func writeAll(l *codec.Lease, body []byte) error {
	defer l.Discard()
	if _, err := l.Write(body); err != nil {
		return err
	}
	return l.Close()
}
