package codec_test

import (
	"errors"
	"io"
	"testing"

	"servery/internal/codec"
)

var (
	errEncoder     = errors.New("encoder failed")
	errDestination = errors.New("destination failed")
)

// fake is a Writer that passes its input on, and misbehaves where one of its functions says so.
type fake struct {
	w                   io.Writer
	write, flush, close func(w io.Writer) error
	reset               func()
	forget              int // bytes of each Write that it does not report
}

func (f *fake) Write(p []byte) (int, error) {
	if f.write != nil {
		return 0, f.write(f.w)
	}
	n, err := f.w.Write(p)
	return max(n-f.forget, 0), err
}

func (f *fake) Flush() error {
	if f.flush != nil {
		return f.flush(f.w)
	}
	return nil
}

func (f *fake) Close() error {
	if f.close != nil {
		return f.close(f.w)
	}
	_, err := f.w.Write([]byte("."))
	return err
}

func (f *fake) Reset(w io.Writer) {
	if f.w = w; f.reset != nil {
		f.reset()
	}
}

// fakes is an Encoder of fakes that counts how many were made.
func fakes(made *int, each func(*fake)) codec.Encoder {
	return codec.Encoder{Coding: "fake", Suffix: "fake", New: func() (codec.Writer, error) {
		*made++
		f := new(fake)
		if each != nil {
			each(f)
		}
		return f, nil
	}}
}

func lease(tb testing.TB, s *codec.Set, w io.Writer) *codec.Lease {
	tb.Helper()
	l, err := s.Get(s.Codings()[0], w)
	if err != nil {
		tb.Fatal(err)
	}
	return l
}

// recovered is what f panicked with.
func recovered(f func()) (p any) {
	defer func() { p = recover() }()
	f()
	return nil
}

// writerFunc is a destination.
type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
