package identity

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"servery/internal/anchor"
)

// hotFixture is a directory with a file, docs/file, and a clock that is late enough for
// everything in it to be settled.
type hotFixture struct {
	*Loader
	tb   testing.TB
	base string // holds the root, "root", and what is outside
	view View
	time time.Time
}

const hotContent = "some text"

func newHotFixture(tb testing.TB, small int, limit int64) *hotFixture {
	tb.Helper()
	f := &hotFixture{tb: tb, base: tb.TempDir(), time: time.Now().Add(time.Hour)}
	f.write("root/docs/file", hotContent)
	dir, err := anchor.OpenDir(filepath.Join(f.base, "root"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { dir.Close() })
	if f.view, err = (Tree{Dir: dir}).View(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(f.view.Release)
	f.Loader = NewLoader(small, limit, func() time.Time { return f.time })
	return f
}

func (f *hotFixture) path(name string) string { return filepath.Join(f.base, name) }

func (f *hotFixture) must(err error) {
	f.tb.Helper()
	if err != nil {
		f.tb.Fatal(err)
	}
}

func (f *hotFixture) write(name, content string) {
	f.tb.Helper()
	f.must(os.MkdirAll(filepath.Dir(f.path(name)), 0o755))
	f.must(os.WriteFile(f.path(name), []byte(content), 0o644))
}

// remember opens a file as a request would that sends it.
func (f *hotFixture) remember(name string) {
	f.tb.Helper()
	o, err := f.Open(f.view, name, Whole)
	f.must(err)
	defer o.Close()
	o.Remember("tag", func() any { return "memo of " + name })
}

func TestRememberedFile(t *testing.T) {
	f := newHotFixture(t, 1<<10, 1<<20)
	if o := f.Remembered(f.view, "docs/file", Facts); o != nil {
		t.Fatal("remembered before it was opened")
	}
	f.remember("docs/file")
	for _, need := range []Need{Facts, Bytes, Whole} {
		o, err := f.Open(f.view, "docs/file", need)
		f.must(err)
		if o.Handle != nil || !o.Settled || string(o.plain) != hotContent || o.Memo() != "memo of docs/file" {
			t.Errorf("for %d: got %+v", need, o)
		}
		if tag, err := NewTags(1<<20).Of(t.Context(), o); tag != "tag" || err != nil {
			t.Errorf("tag %q, error %v", tag, err)
		}
		fresh, err := NewLoader(0, 0, f.now).Open(f.view, "docs/file", Facts)
		f.must(err)
		if o.Info != fresh.Info || o.ModTime != fresh.ModTime || o.Key() != fresh.Key() || o.Seekable() != fresh.Seekable() {
			t.Errorf("got %+v, want what opening tells: %+v", o, fresh)
		}
		fresh.Close()
		o.Close()
	}
}

// Whatever happens to what the name leads to, it is seen by the next request.
func TestRememberedFileThatChanged(t *testing.T) {
	for name, change := range map[string]func(f *hotFixture) error{
		"rewritten": func(f *hotFixture) error {
			return os.WriteFile(f.path("root/docs/file"), []byte("something else"), 0o644)
		},
		"same size":  func(f *hotFixture) error { return f.rewriteUnseen("root/docs/file", strings.ToUpper(hotContent)) },
		"appended":   func(f *hotFixture) error { return os.Truncate(f.path("root/docs/file"), 100) },
		"truncated":  func(f *hotFixture) error { return os.Truncate(f.path("root/docs/file"), 3) },
		"forbidden":  func(f *hotFixture) error { return os.Chmod(f.path("root/docs/file"), 0) },
		"linked":     func(f *hotFixture) error { return os.Link(f.path("root/docs/file"), f.path("second")) },
		"removed":    func(f *hotFixture) error { return os.Remove(f.path("root/docs/file")) },
		"moved out":  func(f *hotFixture) error { return os.Rename(f.path("root/docs/file"), f.path("file")) },
		"replaced":   func(f *hotFixture) error { return f.replace("root/docs/file", hotContent) },
		"now a link": func(f *hotFixture) error { return f.linkInstead("root/docs/file") },
		"folder gone": func(f *hotFixture) error {
			return os.Rename(f.path("root/docs"), f.path("elsewhere"))
		},
		"folder is now a link": func(f *hotFixture) error {
			f.write("other/file", hotContent)
			return errors.Join(os.Rename(f.path("root/docs"), f.path("gone")), os.Symlink(f.path("other"), f.path("root/docs")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newHotFixture(t, 1<<10, 1<<20)
			f.remember("docs/file")
			f.must(change(f))
			if o := f.Remembered(f.view, "docs/file", Facts); o != nil {
				t.Errorf("still remembered as %+v", o.Info)
			}
			if n := f.hot.files.Stats().Entries; n != 0 {
				t.Errorf("%d files are kept", n)
			}
		})
	}
}

// rewriteUnseen changes the content and puts the modification time back.
func (f *hotFixture) rewriteUnseen(name, content string) error {
	before, err := os.Stat(f.path(name))
	f.must(err)
	f.write(name, content)
	return os.Chtimes(f.path(name), before.ModTime(), before.ModTime())
}

func (f *hotFixture) replace(name, content string) error {
	f.write("new", content)
	return os.Rename(f.path("new"), f.path(name))
}

// linkInstead moves the file out and leaves a link to it.
func (f *hotFixture) linkInstead(name string) error {
	return errors.Join(os.Rename(f.path(name), f.path("moved")), os.Symlink(f.path("moved"), f.path(name)))
}

// The one thing that looking at the name cannot see is found out after a second.
func TestFolderThatMovedOutAndIsLinked(t *testing.T) {
	f := newHotFixture(t, 1<<10, 1<<20)
	f.remember("docs/file")
	f.must(os.Rename(f.path("root/docs"), f.path("docs")))
	f.must(os.Symlink(f.path("docs"), f.path("root/docs")))
	f.time = f.time.Add(verifiedFor - 1)
	if o := f.Remembered(f.view, "docs/file", Whole); o != nil && string(o.plain) != hotContent {
		t.Errorf("before: got %q", o.plain)
	}
	f.time = f.time.Add(1)
	if o, err := f.Open(f.view, "docs/file", Whole); !IsMissing(err) {
		t.Errorf("a second later: %+v, %v, want nothing", o, err)
	}
}

func TestWhatIsNotRemembered(t *testing.T) {
	f := newHotFixture(t, 4, 1<<20)
	f.write("root/small", "abc")
	f.remember("docs/file") // too large for its bytes
	if f.Remembered(f.view, "docs/file", Whole) != nil || f.Remembered(f.view, "docs/file", Bytes) != nil {
		t.Error("a file without its bytes is of no use to who needs them")
	}
	if o := f.Remembered(f.view, "docs/file", Facts); o == nil || o.plain != nil {
		t.Errorf("got %+v, want it without its bytes", o)
	}
	f.remember("docs")
	if f.Remembered(f.view, "docs", Facts) != nil {
		t.Error("a directory is remembered")
	}
	f.time = time.Now() // everything was written just now
	f.write("root/fresh", "abc")
	f.remember("fresh")
	if f.Remembered(f.view, "fresh", Facts) != nil {
		t.Error("an unsettled file is remembered")
	}
	off := newHotFixture(t, 1<<10, 0)
	off.remember("docs/file")
	if off.Remembered(off.view, "docs/file", Facts) != nil {
		t.Error("it is remembered although that is switched off")
	}
}

func TestRememberedFilesAreBounded(t *testing.T) {
	const limit = 20 << 10
	f := newHotFixture(t, 1<<10, limit)
	for i := range 100 {
		name := fmt.Sprint("f", i)
		f.write("root/"+name, strings.Repeat("x", 1000))
		f.remember(name)
		if cost := f.hot.files.Stats().Cost; cost > limit {
			t.Fatalf("%d bytes are kept", cost)
		}
	}
	if n := f.hot.files.Stats().Entries; n != limit/(1000+3+hotOverhead) {
		t.Errorf("%d files are kept", n)
	}
}

// A file whose description was remembered has to be the same still when its bytes are
// needed.
func TestHandleOfRememberedFile(t *testing.T) {
	f := newHotFixture(t, 4, 1<<20)
	f.remember("docs/file")
	same, changed := f.Remembered(f.view, "docs/file", Facts), f.Remembered(f.view, "docs/file", Facts)
	defer same.Close()
	defer changed.Close()
	if ahead, err := same.Peek(); string(ahead) != hotContent || err != nil {
		t.Errorf("peeked %q, %v", ahead, err)
	}
	handle, err := same.Another()
	f.must(err)
	handle.Release()
	f.must(f.replace("root/docs/file", hotContent))
	if _, err := changed.Peek(); !errors.Is(err, ErrChanged) {
		t.Errorf("Peek: %v, want ErrChanged", err)
	}
	if _, err := changed.Another(); !errors.Is(err, ErrChanged) {
		t.Errorf("Another: %v, want ErrChanged", err)
	}
	f.must(os.Remove(f.path("root/docs/file")))
	if _, err := changed.Peek(); !IsMissing(err) {
		t.Errorf("removed: %v, want that it is missing", err)
	}
}
