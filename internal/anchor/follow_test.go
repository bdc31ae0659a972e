//go:build unix

package anchor

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

func TestFollow(t *testing.T) {
	for _, w := range ways() {
		t.Run(w.name, func(t *testing.T) {
			s := newSite(t)
			world := s.world()
			world.opener = w.opener(t)
			d := openDirWith(t, s.path("current"), world)
			before, err := d.Acquire()
			must(t, err)
			defer before.Release()
			s.point(t, "two")
			s.clock = time.Second - 1
			s.want(t, d, "one")
			s.clock = time.Second
			s.want(t, d, "two")
			s.point(t, "three")
			s.clock = 2*time.Second - 1
			s.want(t, d, "two")
			if got, err := read(before, "f"); err != nil || got != "one" {
				t.Errorf("the generation acquired before: got %q, %v, want its own file", got, err)
			}
			s.clock = time.Hour
			s.want(t, d, "three")
		})
	}
}

// A directory that was made anew under its old name is another one.
func TestFollowReplacedDirectory(t *testing.T) {
	s := newSite(t)
	d := openDirWith(t, s.path("one"), s.world())
	must(t, os.RemoveAll(s.path("one")))
	write(t, filepath.Join(mkdir(t, s.path("one")), "f"), "anew")
	s.clock += time.Second
	s.want(t, d, "anew")
}

// While nothing that can be served is at the path, the held directory is.
func TestFollowKeepsTheHeldDirectory(t *testing.T) {
	for _, test := range []struct {
		name  string
		spoil func(*testing.T, *site)
	}{
		{"missing", func(t *testing.T, s *site) { must(t, os.Remove(s.path("current"))) }},
		{"dangling", func(t *testing.T, s *site) { s.point(t, "nothing") }},
		{"file", func(t *testing.T, s *site) { write(t, s.path("file"), ""); s.point(t, "file") }},
		{"FIFO", func(t *testing.T, s *site) { must(t, syscall.Mkfifo(s.path("fifo"), 0o644)); s.point(t, "fifo") }},
		{"circle", func(t *testing.T, s *site) { s.point(t, "current") }},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSite(t)
			d := s.open(t)
			test.spoil(t, s)
			for range 3 {
				s.clock += time.Second
				s.want(t, d, "one")
			}
			s.point(t, "two")
			s.want(t, d, "one")
			s.clock += time.Second
			s.want(t, d, "two")
		})
	}
}

// Which directory a generation is, is known from what was opened: the path may lead elsewhere after every look.
func TestFollowBelievesWhatItOpened(t *testing.T) {
	s := newSite(t)
	world := s.world()
	var spoil func(fs.FileInfo, error) (fs.FileInfo, error)
	world.stat = func(path string) (fs.FileInfo, error) {
		fi, err := os.Stat(path)
		if spoil != nil {
			return spoil(fi, err)
		}
		return fi, err
	}
	d := openDirWith(t, s.path("current"), world)
	held := d.current.Load()

	for _, test := range []struct{ looked, opened, why string }{
		{"two", "one", "back at the held one by the time it is opened"},
		{"two", "three", "a third by the time it is opened"},
		{"one", "two", "and again"},
	} {
		s.point(t, test.looked)
		spoil = func(fi fs.FileInfo, err error) (fs.FileInfo, error) {
			s.point(t, test.opened)
			return fi, err
		}
		s.clock += time.Second
		if got := serves(t, d); got != test.opened {
			t.Errorf("%s: got deployment %s, want %s", test.why, got, test.opened)
		}
		if now := d.current.Load(); (now == held) != (test.opened == "one") {
			t.Errorf("%s: the generation does not fit the directory", test.why)
		}
	}
	spoil = nil
	settled := d.current.Load()
	for range 3 {
		s.clock += time.Second
		s.want(t, d, "two")
	}
	if d.current.Load() != settled {
		t.Error("opened again although nothing changed: the identity is not that of what was opened")
	}
}

// A look that hangs, as on a dead network file system, holds up its own goroutine and nobody else.
func TestFollowOneLooksTheOthersGoOn(t *testing.T) {
	s := newSite(t)
	world := s.world()
	entered, release := make(chan bool), make(chan bool)
	var looked atomic.Bool
	world.stat = func(path string) (fs.FileInfo, error) {
		if looked.Swap(true) {
			t.Error("a second look")
			return nil, fs.ErrInvalid
		}
		entered <- true
		<-release
		return os.Stat(path)
	}
	d := openDirWith(t, s.path("current"), world)
	s.point(t, "two")
	s.clock = time.Second
	looker := make(chan string)
	go func() { looker <- serves(t, d) }()
	<-entered
	for range 3 {
		s.clock += time.Second
		s.want(t, d, "one")
	}
	close(release)
	if got := <-looker; got != "two" {
		t.Errorf("who looked got deployment %s, want two", got)
	}
	// The second starts at the end of the look, so that slow looks do not follow one another without a pause.
	s.want(t, d, "two")
}
