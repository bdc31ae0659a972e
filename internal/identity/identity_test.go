package identity

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"servery/internal/byterange"
	"servery/internal/etag"
)

// countingFS counts what is open, and lets a test act whenever a file is read.
type countingFS struct {
	fstest.MapFS
	open   atomic.Int64
	reads  atomic.Int64
	onRead func()
	bare   bool // files can only be read on
}

type countingFile struct {
	fs.File
	of *countingFS
}

// readerAtFile is a countingFile that reads at offsets.
type readerAtFile struct{ *countingFile }

func (c *countingFS) Open(name string) (fs.File, error) {
	f, err := c.MapFS.Open(name)
	if err != nil {
		return nil, err
	}
	c.open.Add(1)
	counting := &countingFile{File: f, of: c}
	if _, ok := f.(io.ReaderAt); ok && !c.bare {
		return readerAtFile{counting}, nil
	}
	return counting, nil
}

func (f *countingFile) Read(p []byte) (int, error) {
	f.of.read()
	return f.File.Read(p)
}

func (f readerAtFile) ReadAt(p []byte, offset int64) (int, error) {
	f.of.read()
	return f.File.(io.ReaderAt).ReadAt(p, offset)
}

func (c *countingFS) read() {
	c.reads.Add(1)
	if c.onRead != nil {
		c.onRead()
	}
}

func (f *countingFile) Close() error {
	f.of.open.Add(-1)
	return f.File.Close()
}

func tagOf(content []byte) etag.Tag {
	sum := sha256.Sum256(content)
	return etag.Strong(hex.EncodeToString(sum[:16]))
}

func past() time.Time { return time.Now().Add(-time.Hour) }

// fixture is one file in a countingFS, and what opens it.
type fixture struct {
	fsys   *countingFS
	view   View
	loader *Loader
	tags   *Tags
}

func newFixture(content []byte, bare bool) *fixture {
	fsys := &countingFS{MapFS: fstest.MapFS{"file": {Data: content, ModTime: past()}}, bare: bare}
	view, _ := Tree{FS: fsys}.View()
	return &fixture{fsys, view, NewLoader(16<<10, 0, time.Now), NewTags(1 << 20)}
}

func (f *fixture) tag(ctx context.Context, t *testing.T) (etag.Tag, error) {
	t.Helper()
	o, err := f.loader.Open(f.view, "file", Facts)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	return f.tags.Of(ctx, o)
}

func TestHandleIsClosedByItsLastOwner(t *testing.T) {
	f := newFixture([]byte("content"), false)
	h, err := f.view.Open("file")
	if err != nil {
		t.Fatal(err)
	}
	h.Retain()
	h.Release()
	if n, err := h.ReadFull(make([]byte, 7), 0); n != 7 || err != nil {
		t.Errorf("the second owner reads %d bytes, error %v", n, err)
	}
	h.Release()
	if open := f.fsys.open.Load(); open != 0 {
		t.Errorf("%d files open, want 0", open)
	}
	for name, misuse := range map[string]func(){"Release": h.Release, "Retain": h.Retain} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s of a closed file goes unnoticed", name)
				}
			}()
			misuse()
		}()
	}
}

func TestContentTagIsMadeOnce(t *testing.T) {
	for _, bare := range []bool{false, true} {
		content := bytes.Repeat([]byte("content "), 10_000)
		f := newFixture(content, bare)
		for i := range 3 {
			before := f.fsys.reads.Load()
			tag, err := f.tag(t.Context(), t)
			if tag != tagOf(content) || err != nil {
				t.Errorf("tag %s, error %v", tag, err)
			}
			if read := f.fsys.reads.Load() != before; read != (i == 0) {
				t.Errorf("request %d read the file: %v", i, read)
			}
		}
		if open := f.fsys.open.Load(); open != 0 {
			t.Errorf("%d files open, want 0", open)
		}
	}
}

// The one whose handle is read may leave: the others get the tag all the same.
func TestContentTagOutlivesItsFirstCaller(t *testing.T) {
	content := bytes.Repeat([]byte("content "), 10_000)
	f := newFixture(content, false)
	reading, proceed := make(chan struct{}), make(chan struct{})
	var once sync.Once
	f.fsys.onRead = func() {
		once.Do(func() { close(reading); <-proceed })
	}
	ctx, leave := context.WithCancel(t.Context())
	first, second := make(chan error, 1), make(chan etag.Tag, 1)
	go func() {
		_, err := f.tag(ctx, t)
		first <- err
	}()
	<-reading
	go func() {
		tag, _ := f.tag(t.Context(), t)
		second <- tag
	}()
	for f.tags.reading.Stats().Joined == 0 {
		<-time.After(time.Millisecond)
	}
	leave()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("the one who left: %v, want context.Canceled", err)
	}
	close(proceed)
	if tag := <-second; tag != tagOf(content) {
		t.Errorf("the one who stayed: tag %q, want the content's", tag)
	}
	if err := f.tags.reading.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if open := f.fsys.open.Load(); open != 0 {
		t.Errorf("%d files open, want 0", open)
	}
}

func TestContentTagStopsWhenAllHaveLeft(t *testing.T) {
	f := newFixture(bytes.Repeat([]byte("content "), 100_000), false)
	ctx, leave := context.WithCancel(t.Context())
	reads, left := 0, make(chan struct{}) // reads is of one goroutine at a time
	f.fsys.onRead = func() {
		reads++
		leave()
		<-left // the one caller has noticed
	}
	if _, err := f.tag(ctx, t); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	close(left)
	if err := f.tags.reading.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if most := 800_000 / copyBuffer; reads >= most {
		t.Errorf("%d reads, want fewer than the whole file's %d", reads, most)
	}
	if open := f.fsys.open.Load(); open != 0 {
		t.Errorf("%d files open, want 0", open)
	}
}

func TestChangeWhileReadIsNotRemembered(t *testing.T) {
	for name, size := range map[string]int{"small": 1000, "large": 100_000} {
		for _, change := range []struct {
			name string
			to   []byte
		}{{"truncated", []byte("x")}, {"grown", make([]byte, size*2)}, {"rewritten", make([]byte, size)}} {
			f := newFixture(bytes.Repeat([]byte("y"), size), false)
			file := f.fsys.MapFS["file"]
			f.fsys.onRead = func() {
				f.fsys.MapFS["file"] = &fstest.MapFile{Data: change.to, ModTime: past().Add(-time.Minute)}
				*file = *f.fsys.MapFS["file"] // what is open changes too
			}
			tag, err := f.tag(t.Context(), t)
			// What is in memory is of one size; tag and body are made of the same bytes.
			served := name == "small" && change.name == "rewritten"
			if served != (err == nil && tag == tagOf(change.to)) || !served && !errors.Is(err, ErrChanged) {
				t.Errorf("%s %s: tag %s, error %v, want ErrChanged: %v", name, change.name, tag, err, !served)
			}
			if n := f.tags.known.Stats().Entries; n != 0 {
				t.Errorf("%s %s: %d tags remembered, want 0", name, change.name, n)
			}
		}
	}
}

func TestUnsettledIsNotRemembered(t *testing.T) {
	for _, tt := range []struct {
		size int
		need Need
	}{{1000, Whole}, {1000, Facts}, {100_000, Whole}, {100_000, Facts}} {
		size := tt.size
		content := bytes.Repeat([]byte("z"), size)
		f := newFixture(content, false)
		f.fsys.MapFS["file"].ModTime = time.Now()
		f.loader.now = f.fsys.MapFS["file"].ModTime.Local // the very moment
		o, err := f.loader.Open(f.view, "file", tt.need)
		if err != nil {
			t.Fatal(err)
		}
		tag, err := f.tags.Of(t.Context(), o)
		if small := size < 16<<10; err != nil || small != (tag == tagOf(content)) || small == strings.HasPrefix(string(tag), "W/") {
			t.Errorf("%d bytes: tag %s, error %v", size, tag, err)
		}
		if n := f.tags.known.Stats().Entries; n != 0 {
			t.Errorf("%d bytes: %d tags remembered, want 0", size, n)
		}
		o.Close()
	}
}

func TestTableOfTagsIsBounded(t *testing.T) {
	f := newFixture([]byte("content"), false)
	for i := range remembered + 100 {
		f.fsys.MapFS["file"].ModTime = past().Add(-time.Duration(i) * time.Second)
		if _, err := f.tag(t.Context(), t); err != nil {
			t.Fatal(err)
		}
	}
	if n := f.tags.known.Stats().Entries; n != remembered {
		t.Errorf("%d tags remembered, want %d", n, remembered)
	}
}

func TestWriteRange(t *testing.T) {
	content := []byte(strings.Repeat("0123456789", 5000))
	for _, bare := range []bool{false, true} {
		f := newFixture(content, bare)
		o, err := f.loader.Open(f.view, "file", Facts)
		if err != nil {
			t.Fatal(err)
		}
		ahead, err := o.Peek()
		if err != nil || !bytes.Equal(ahead, content[:peekMost]) {
			t.Errorf("peeked %d bytes, error %v", len(ahead), err)
		}
		var got bytes.Buffer
		if err := o.WriteRange(&got, byterange.Range{Start: 0, Length: 50_000}); err != nil || !bytes.Equal(got.Bytes(), content) {
			t.Errorf("wrote %d bytes, error %v, want all", got.Len(), err)
		}
		if err := o.WriteRange(io.Discard, byterange.Range{Start: 49_990, Length: 20}); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("beyond the end: error %v, want io.ErrUnexpectedEOF", err)
		}
		o.Close()
	}
}

// A disk that hangs, or somebody who asks for files that take for ever to read, must
// not keep the others from their tags.
func TestTagsOfOthersDoNotWaitForLongReading(t *testing.T) {
	f := newFixture(bytes.Repeat([]byte("long "), 1<<20), false)
	f.fsys.MapFS["file"].ModTime = time.Unix(0, 0) // above the limit, and without a date
	f.fsys.MapFS["other"] = &fstest.MapFile{Data: bytes.Repeat([]byte("other "), 10_000), ModTime: past()}
	reading, proceed := make(chan struct{}), make(chan struct{})
	f.fsys.onRead = func() {
		if f.fsys.reads.Load() == 1 {
			close(reading)
			<-proceed
		}
	}
	long := make(chan error, 1)
	go func() {
		_, err := f.tag(t.Context(), t)
		long <- err
	}()
	<-reading
	for range cap(f.tags.slots) + 1 {
		o, err := f.loader.Open(f.view, "other", Facts)
		if err != nil {
			t.Fatal(err)
		}
		if tag, err := f.tags.Of(t.Context(), o); err != nil || tag != tagOf(f.fsys.MapFS["other"].Data) {
			t.Errorf("tag %s, error %v, want the content's", tag, err)
		}
		o.Close()
	}
	close(proceed)
	if err := <-long; err != nil {
		t.Errorf("the long one: %v", err)
	}
}

func TestTagWithoutASlotIsWeak(t *testing.T) {
	f := newFixture(bytes.Repeat([]byte("content "), 10_000), false)
	for range cap(f.tags.slots) {
		f.tags.slots <- struct{}{}
	}
	if tag, err := f.tag(t.Context(), t); err != nil || !tag.IsWeak() {
		t.Errorf("tag %s, error %v, want a weak one", tag, err)
	}
	if n := f.tags.known.Stats().Entries; n != 0 {
		t.Errorf("%d tags remembered, want 0", n)
	}
}
