package coded_test

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"servery/internal/codec"
	"servery/internal/coded"
	"servery/internal/identity"
	"servery/internal/offload"
	"servery/internal/testkit"
)

// now is the time of all openings.
var now = testkit.Past.Add(time.Hour)

// countingFS counts what is open and how often it is read. Its files know no inodes.
type countingFS struct {
	fstest.MapFS
	open, reads atomic.Int64
}

type countingFile struct {
	fs.File
	of *countingFS
}

func (c *countingFS) Open(name string) (fs.File, error) {
	f, err := c.MapFS.Open(name)
	if err != nil {
		return nil, err
	}
	c.open.Add(1)
	return countingFile{f, c}, nil
}

func (f countingFile) ReadAt(p []byte, offset int64) (int, error) {
	f.of.reads.Add(1)
	return f.File.(io.ReaderAt).ReadAt(p, offset)
}

func (f countingFile) Close() error {
	f.of.open.Add(-1)
	return f.File.Close()
}

// fixture is a store and all that its jobs need.
type fixture struct {
	tree   identity.Tree
	fsys   *countingFS
	loader *identity.Loader
	store  *coded.Store
	slots  *offload.Limiter
	coder  *coder
	set    *codec.Set
}

// newFixture has two slots and room for all who want to wait. Whatever its test
// did, nothing is open, at work or waiting when it ends.
func newFixture(tb testing.TB, limit int64, files map[string][]byte) *fixture {
	tb.Helper()
	f := &fixture{fsys: &countingFS{MapFS: make(fstest.MapFS)}, store: coded.NewStore(limit), coder: new(coder)}
	for name, content := range files {
		f.fsys.MapFS[name] = &fstest.MapFile{Data: content, ModTime: testkit.Past}
	}
	f.tree = identity.Tree{FS: f.fsys}
	f.loader = identity.NewLoader(16<<10, 0, func() time.Time { return now })
	f.slots = offload.New(2, 1<<20)
	var err error
	if f.set, err = codec.NewSet([]codec.Encoder{f.coder.encoder()}, 0); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		eventually(tb, "everything is at rest", func() bool {
			_, flights := f.store.Stats()
			slots := f.slots.Stats()
			return flights.Active == 0 && slots.Active == 0 && slots.Queued == 0 && f.fsys.open.Load() == 0
		})
	})
	return f
}

// body opens a file and asks for its body, as a request does.
func (f *fixture) body(ctx context.Context, name string, changes ...func(*coded.Job)) (*coded.Body, error) {
	view, err := f.tree.View()
	if err != nil {
		return nil, err
	}
	defer view.Release()
	o, err := f.loader.Open(view, name, identity.Facts)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	job := coded.Job{Key: coded.Key{File: o.Key(), Coding: "fake"}, File: o, Encoders: f.set, Slots: f.slots}
	for _, change := range changes {
		change(&job)
	}
	if body, ok := f.store.Kept(job); ok {
		return body, nil
	}
	body, _, err := f.store.Make(ctx, job)
	return body, err
}

// numbered makes the same file another one.
func numbered(n int) func(*coded.Job) { return func(j *coded.Job) { j.Key.Namespace = uint64(n) } }

func always(j *coded.Job) { j.Key.Always = true }
func digest(j *coded.Job) { j.Digest = true }

// outcome is what a caller got.
type outcome struct {
	body     *coded.Body
	err      error
	panicked any
}

// caller asks for a body in a goroutine of its own.
func (f *fixture) caller(ctx context.Context, name string, changes ...func(*coded.Job)) <-chan outcome {
	got := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			o.panicked = recover()
			got <- o
		}()
		o.body, o.err = f.body(ctx, name, changes...)
	}()
	return got
}

// joined waits until that many callers have joined flights of others.
func (f *fixture) joined(tb testing.TB, want uint64) {
	tb.Helper()
	eventually(tb, fmt.Sprintf("%d callers have joined", want), func() bool {
		_, flights := f.store.Stats()
		return flights.Joined == want
	})
}

// eventually waits for what nothing announces.
func eventually(tb testing.TB, what string, is func() bool) {
	tb.Helper()
	for deadline := time.Now().Add(testkit.Patience); !is(); <-time.After(time.Millisecond) {
		if time.Now().After(deadline) {
			tb.Fatalf("it does not come to it that %s", what)
		}
	}
}
