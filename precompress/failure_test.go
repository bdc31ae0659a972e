package precompress_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"servery"
	"servery/internal/testkit"
	"servery/precompress"
)

var errBroken = errors.New("broken")

// hooked is gzip with something that happens at each write.
type hooked struct {
	servery.EncoderWriter
	write func() error
}

func (h hooked) Write(p []byte) (int, error) {
	if err := h.write(); err != nil {
		return 0, err
	}
	return h.EncoderWriter.Write(p)
}

func hookedEncoder(write func() error) []servery.Encoder {
	e := servery.Gzip(9)
	inner := e.New
	e.New = func() (servery.EncoderWriter, error) {
		w, err := inner()
		return hooked{w, write}, err
	}
	return []servery.Encoder{e}
}

// TestEndsLeaveNothingBehind: however a run ends, the tree is as it was but for
// complete sidecars.
func TestEndsLeaveNothingBehind(t *testing.T) {
	cause := errors.New("enough")
	for _, tt := range []struct {
		reason string
		write  func(t *testing.T, dir string, cancel context.CancelCauseFunc) error
		want   error
	}{
		{"the context ends", func(t *testing.T, dir string, cancel context.CancelCauseFunc) error {
			cancel(cause)
			return nil
		}, cause},
		{"an encoder fails", func(*testing.T, string, context.CancelCauseFunc) error { return errBroken }, errBroken},
		{"the original grows", func(t *testing.T, dir string, _ context.CancelCauseFunc) error {
			f, err := os.OpenFile(filepath.Join(dir, "a.js"), os.O_APPEND|os.O_WRONLY, 0)
			must(t, err)
			defer f.Close()
			_, err = f.WriteString("more")
			return err
		}, nil},
		{"the original is cut", func(t *testing.T, dir string, _ context.CancelCauseFunc) error {
			return os.Truncate(filepath.Join(dir, "a.js"), 100)
		}, nil},
		{"somebody else writes the sidecar meanwhile", func(t *testing.T, dir string, _ context.CancelCauseFunc) error {
			return os.WriteFile(filepath.Join(dir, "a.js.gz"), []byte("foreign"), 0o644)
		}, nil},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			dir := testkit.Tree(t, map[string]string{"a.js": text(1, 130<<10)})
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			temporaries := 0
			options := &precompress.Options{Encoders: hookedEncoder(func() error {
				found, _ := filepath.Glob(filepath.Join(dir, ".precompress-*"))
				temporaries += len(found)
				return tt.write(t, dir, cancel)
			})}
			stats, err := precompress.Run(ctx, dir, options)
			if err == nil || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
			if errors.Is(tt.want, cause) != (stats.Failed == 0) || stats.Written != 0 {
				t.Errorf("%+v", stats)
			}
			if temporaries == 0 {
				t.Error("there was no temporary file at any time: the test looks for the wrong name")
			}
			for name, content := range state(t, dir) {
				if name != "a.js" && !strings.HasSuffix(content, "\nforeign") {
					t.Errorf("%s is left behind", name)
				}
			}
		})
	}
}

func TestPanicLeavesNothingBehind(t *testing.T) {
	files := map[string]string{}
	for _, name := range strings.Split("abcdefgh", "") {
		files[name+".js"] = text(1, 130<<10)
	}
	dir := testkit.Tree(t, files)
	defer func() {
		if got := recover(); got != errBroken {
			t.Errorf("panic %v, want that of the encoder", got)
		}
		if left := names(state(t, dir), ""); len(left) != len(files) {
			t.Errorf("left: %q", left)
		}
	}()
	precompress.Run(t.Context(), dir, &precompress.Options{Encoders: hookedEncoder(func() error { panic(errBroken) })})
}

// TestPanicOfProgressEndsTheWorkers, although the walk cannot go on either.
func TestPanicOfProgressEndsTheWorkers(t *testing.T) {
	dir := testkit.Tree(t, map[string]string{".hidden": "x", "a.js": text(1, 5000)})
	before := testkit.Holding()
	func() {
		defer func() {
			if got := recover(); got != errBroken {
				t.Errorf("panic %v, want that of Progress", got)
			}
		}()
		precompress.Run(t.Context(), dir, &precompress.Options{
			Workers: 8,
			Progress: func(e precompress.Event) {
				if e.Outcome == precompress.Hidden { // which the walk tells
					panic(errBroken)
				}
			},
		})
	}()
	if err := before.Regained(); err != nil {
		t.Error(err)
	}
}

// TestProgressEndsItsGoroutine, as a test that fails in it does: that is the caller's own
// where Progress is told by the walk.
func TestProgressEndsItsGoroutine(t *testing.T) {
	dir := testkit.Tree(t, map[string]string{"a.js": text(1, 5000), "b.js": text(2, 5000), "c.js": text(3, 5000)})
	before := testkit.Holding()
	for _, workers := range []int{1, 8} {
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, err := precompress.Run(t.Context(), dir, &precompress.Options{
				Workers: workers, Progress: func(precompress.Event) { runtime.Goexit() },
			})
			if err == nil {
				t.Errorf("%d workers: no error", workers)
			}
		}()
		<-ended
	}
	if err := before.Regained(); err != nil {
		t.Error(err)
	}
}

// TestProgressHoldsNobodyUp: while it takes its time over one file, another is encoded.
func TestProgressHoldsNobodyUp(t *testing.T) {
	dir := testkit.Tree(t, map[string]string{"a.js": "small", "b.js": text(1, 5000)})
	encoded := make(chan struct{})
	run(t, dir, &precompress.Options{
		Workers:  2,
		Encoders: hookedEncoder(func() error { close(encoded); return nil }),
		Progress: func(e precompress.Event) {
			if e.Outcome != precompress.Small {
				return
			}
			select {
			case <-encoded:
			case <-time.After(testkit.Patience):
				t.Error("b.js is not encoded before Progress returns")
			}
		},
	})
}

// TestErrorsQuoteNames, which may hold what a terminal obeys.
func TestErrorsQuoteNames(t *testing.T) {
	name := "\u009b31m" + strings.Repeat("x", 246) + ".js" // there is no room for an extension
	_, err := precompress.Run(t.Context(), testkit.Tree(t, map[string]string{name: text(1, 5000)}), quick())
	if err == nil || strings.Contains(err.Error(), "\u009b") || !strings.Contains(err.Error(), `"\u009b31mxxx`) {
		t.Errorf("a file: %q", err)
	}
	_, err = precompress.Run(t.Context(), filepath.Join(t.TempDir(), "\u009b31m"), nil)
	if !errors.Is(err, os.ErrNotExist) || strings.Contains(err.Error(), "\u009b") || !strings.Contains(err.Error(), `\u009b31m"`) {
		t.Errorf("the directory: %q", err)
	}
}

// TestOneFailureDoesNotEndTheRun and it is told with the name of the file.
func TestOneFailureDoesNotEndTheRun(t *testing.T) {
	dir := testkit.Tree(t, map[string]string{"a.js": text(1, 5000), "b.js": text(2, 5000), "c.js": text(3, 5000)})
	calls := 0
	var told []string
	stats, err := precompress.Run(t.Context(), dir, &precompress.Options{
		Workers: 1,
		Encoders: hookedEncoder(func() error {
			if calls++; calls == 2 {
				return errBroken
			}
			return nil
		}),
		Progress: func(e precompress.Event) { told = append(told, e.Outcome.String()+" "+e.Name) },
	})
	if stats.Written != 2 || stats.Failed != 1 || !errors.Is(err, errBroken) || !strings.Contains(err.Error(), "b.js") {
		t.Errorf("%+v, %v", stats, err)
	}
	if diff := cmp.Diff([]string{"written a.js.gz", "failed b.js.gz", "written c.js.gz"}, told); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestNothingOfAnEncoderIsTrusted: errors that it keeps to itself, a short write, an
// empty form, a header that has no room for the mark.
func TestNothingOfAnEncoderIsTrusted(t *testing.T) {
	for _, tt := range []struct {
		writes []string
		reason string
	}{
		{nil, "it writes nothing"},
		{[]string{"\x1f\x8b"}, "less than a header"},
		{[]string{"\x1f\x8b\x08\x08", "\x00\x00\x00\x00\x00\xff", "name\x00"}, "a header with a name"},
	} {
		encoder := servery.Encoder{Coding: "gzip", Suffix: "gz", New: func() (servery.EncoderWriter, error) {
			return &scripted{writes: tt.writes}, nil
		}}
		dir := testkit.Tree(t, map[string]string{"a.js": text(1, 5000)})
		stats, err := precompress.Run(t.Context(), dir, &precompress.Options{Encoders: []servery.Encoder{encoder}})
		if err == nil || stats.Failed != 1 || len(state(t, dir)) != 1 {
			t.Errorf("%s: %+v, %v", tt.reason, stats, err)
		}
	}
}

// scripted writes what it is told and keeps errors to itself.
type scripted struct {
	w      io.Writer
	writes []string
}

func (s *scripted) Reset(w io.Writer)           { s.w = w }
func (s *scripted) Write(p []byte) (int, error) { return len(p), nil }
func (s *scripted) Flush() error                { return nil }

func (s *scripted) Close() error {
	for _, p := range s.writes {
		io.WriteString(s.w, p)
	}
	return nil
}
