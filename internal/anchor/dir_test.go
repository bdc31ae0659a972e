//go:build unix

package anchor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// site is two deployments and the link current, which leads to the first.
type site struct {
	base  string
	clock time.Duration
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{base: t.TempDir()}
	for _, name := range []string{"one", "two", "three"} {
		write(t, filepath.Join(mkdir(t, s.base, name), "f"), name)
	}
	s.point(t, "one")
	return s
}

func (s *site) path(name string) string {
	return filepath.Join(s.base, name)
}

// point lets current lead to name, in one step as deployments do it.
func (s *site) point(t *testing.T, name string) {
	t.Helper()
	must(t, os.Symlink(name, s.path("next")), os.Rename(s.path("next"), s.path("current")))
}

func (s *site) world() world {
	w := realWorld()
	w.now = func() time.Duration { return s.clock }
	return w
}

func (s *site) open(t *testing.T) *Dir {
	t.Helper()
	return openDirWith(t, s.path("current"), s.world())
}

// serves returns the content of f in the generation that d gives out now.
func serves(t *testing.T, d *Dir) string {
	t.Helper()
	r, err := d.Acquire()
	must(t, err)
	defer r.Release()
	got, err := read(r, "f")
	must(t, err)
	return got
}

func (s *site) want(t *testing.T, d *Dir, want string) {
	t.Helper()
	if got := serves(t, d); got != want {
		t.Errorf("at %v: got deployment %s, want %s", s.clock, got, want)
	}
}

func TestOpenDirErrors(t *testing.T) {
	base := t.TempDir()
	write(t, filepath.Join(base, "file"), "")
	must(t, syscall.Mkfifo(filepath.Join(base, "fifo"), 0o644))
	for _, test := range []struct {
		path string
		want error
		why  string
	}{
		{"", fs.ErrNotExist, "not the working directory"},
		{filepath.Join(base, "none"), fs.ErrNotExist, "missing"},
		{filepath.Join(base, "file"), syscall.ENOTDIR, "a file"},
		{filepath.Join(base, "fifo"), syscall.ENOTDIR, "a FIFO, without waiting for a writer"},
		{"a\x00b", syscall.EINVAL, "no path"},
	} {
		d, err := OpenDir(test.path)
		var path *fs.PathError
		if d != nil || !errors.Is(err, test.want) || !errors.As(err, &path) || path.Op != "open" {
			t.Errorf("%s: got %v, %v, want %v", test.why, d, err, test.want)
		}
	}
}

func TestOpenDirIsAbsoluteAtOnce(t *testing.T) {
	s := newSite(t)
	t.Chdir(s.base)
	d := openDirWith(t, "current", s.world())
	t.Chdir("/")
	s.point(t, "two")
	s.clock += time.Second
	s.want(t, d, "two")
}

func TestCloseDir(t *testing.T) {
	s := newSite(t)
	d := s.open(t)
	r, err := d.Acquire()
	must(t, err)
	defer r.Release()
	must(t, d.Close())
	if err := d.Close(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("second Close: got %v, want fs.ErrClosed", err)
	}
	s.clock += time.Second
	if _, err := d.Acquire(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Acquire: got %v, want fs.ErrClosed", err)
	}
	if got, err := read(r, "f"); err != nil || got != "one" {
		t.Errorf("a Root acquired before: got %q, %v", got, err)
	}
}

// A Dir that is closed in the middle of a look must not come to life with what the look found.
func TestCloseDirWhileLooking(t *testing.T) {
	s := newSite(t)
	world := s.world()
	var d *Dir
	world.stat = func(path string) (fs.FileInfo, error) {
		must(t, d.Close())
		return os.Stat(path)
	}
	d = openDirWith(t, s.path("current"), world)
	s.point(t, "two")
	s.clock += time.Second
	if _, err := d.Acquire(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("got %v, want fs.ErrClosed", err)
	}
}

func TestReleasedRoot(t *testing.T) {
	s := newSite(t)
	d := s.open(t)
	r, err := d.Acquire()
	must(t, err, d.Close())
	f, err := r.Open("f")
	must(t, err)
	defer f.Close()
	r.Release()
	if _, err := r.Open("f"); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Open: got %v, want fs.ErrClosed", err)
	}
	if _, err := f.Look(); err != nil {
		t.Errorf("a file opened before: %v", err)
	}
	defer func() {
		if text, _ := recover().(string); !strings.HasPrefix(text, "servery: ") {
			t.Errorf("a second Release: got panic %q", text)
		}
	}()
	r.Release()
}
