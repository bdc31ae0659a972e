package anchor

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// script is an openat2 that answers with errors until they are used up, and then as the kernel does.
type script struct {
	answers []error
	calls   int
}

func (s *script) openat2(dirfd int, name string) (int, error) {
	s.calls++
	if len(s.answers) == 0 {
		return openat2(dirfd, name)
	}
	err := s.answers[0]
	s.answers = s.answers[1:]
	return -1, err
}

func times(n int, err error) []error {
	errs := make([]error, n)
	for i := range errs {
		errs[i] = err
	}
	return errs
}

// openScripted opens a directory with the file a by an openat2 that follows the script from then on.
func openScripted(t *testing.T, answers ...error) (*script, *Root) {
	t.Helper()
	root := t.TempDir()
	write(t, filepath.Join(root, "a"), "a")
	s := &script{answers: answers}
	r := openRootBy(t, root, way{"script", func(*testing.T) *opener { return newOpener() }})
	r.opener.openat2 = s.openat2
	return s, r
}

func TestOpenat2Answers(t *testing.T) {
	for _, test := range []struct {
		why     string
		answers []error
		calls   int  // of openat2 for one Open
		raw     bool // openat2 opened the file, not os.Root
		refused bool // openat2 is not asked again
	}{
		{"at once", nil, 1, true, false},
		{"a signal", times(1, unix.EINTR), 2, true, false},
		{"many signals", times(99, unix.EINTR), 100, true, false},
		{"a rename", times(1, unix.EAGAIN), 2, true, false},
		{"renames up to the bound", times(maxAgain-1, unix.EAGAIN), maxAgain, true, false},
		{"renames without end", times(999, unix.EAGAIN), maxAgain, false, false},
		{"signals do not count as renames", append(times(99, unix.EINTR), times(maxAgain-1, unix.EAGAIN)...), 99 + maxAgain, true, false},
		{"an old kernel", times(999, unix.ENOSYS), 2, false, true},
		{"a seccomp filter", times(999, unix.EPERM), 2, false, true},
		{"one file is refused", times(1, unix.EPERM), 2, false, false},
		{"a refusal, and no answer to the question", []error{unix.EPERM, unix.EMFILE}, 2, false, false},
	} {
		s, r := openScripted(t, test.answers...)
		f, err := r.Open("a")
		if err != nil {
			t.Errorf("%s: %v", test.why, err)
			continue
		}
		if raw := f.handle.file.Load() == nil; raw != test.raw || s.calls != test.calls {
			t.Errorf("%s: opened by openat2 %v after %d calls, want %v after %d", test.why, raw, s.calls, test.raw, test.calls)
		}
		if refused := r.opener.refused.Load(); refused != test.refused {
			t.Errorf("%s: given up %v, want %v", test.why, refused, test.refused)
		}
		must(t, f.Close())
		before := s.calls
		if got, err := read(r, "a"); err != nil || got != "a" {
			t.Errorf("%s: again: got %q, %v", test.why, got, err)
		}
		if test.refused != (s.calls == before) {
			t.Errorf("%s: %d more calls by a second Open", test.why, s.calls-before)
		}
	}
}

// Every error but those of the mechanism is an answer, and none leads to a second way of opening.
func TestOpenat2ErrorsAreAnswers(t *testing.T) {
	for _, errno := range []unix.Errno{unix.ENOENT, unix.EXDEV, unix.ELOOP, unix.EACCES, unix.EMFILE, unix.EIO, unix.EINVAL} {
		s, r := openScripted(t, errno)
		_, err := r.Open("a")
		if !errors.Is(err, errno) || s.calls != 1 {
			t.Errorf("got %v after %d calls, want %v after one", err, s.calls, errno)
		}
	}
}

// A system without openat2 is known when OpenDir returns, and to later generations too.
func TestOpenat2RefusedFromTheStart(t *testing.T) {
	for _, errno := range []unix.Errno{unix.ENOSYS, unix.EPERM} {
		s := &script{answers: times(999, errno)}
		site := newSite(t)
		world := site.world()
		world.opener = &opener{openat2: s.openat2}
		d := openDirWith(t, site.path("current"), world)
		if !world.opener.refused.Load() {
			t.Errorf("%v: not known after OpenDir", errno)
		}
		before := s.calls
		site.point(t, "two")
		site.clock += lookEvery
		site.want(t, d, "two")
		if s.calls != before {
			t.Errorf("%v: openat2 called again", errno)
		}
	}
}

// Looking at an unchanged path costs the one stat.
func TestFollowOpensNothingWithoutAChange(t *testing.T) {
	site := newSite(t)
	world := site.world()
	s := &script{}
	world.opener = &opener{openat2: s.openat2}
	d := openDirWith(t, site.path("current"), world)
	before := s.calls
	for range 3 {
		site.clock += lookEvery
		r, err := d.Acquire()
		must(t, err)
		r.Release()
	}
	if s.calls != before {
		t.Errorf("%d opens", s.calls-before)
	}
}

// The fallback is confined as well: it must not open what openat2 was not asked about.
func TestOpenat2RefusalOpensNoWayOut(t *testing.T) {
	for _, errno := range []unix.Errno{unix.ENOSYS, unix.EPERM, unix.EAGAIN} {
		root := buildTree(t)
		r := openRootBy(t, root, way{"script", func(*testing.T) *opener {
			return &opener{openat2: func(int, string) (int, error) { return -1, errno }}
		}})
		for _, name := range []string{"leaves", "leavesdir/secret", "absolute", "parent", "magic"} {
			f, err := r.Open(name)
			if err == nil {
				f.Close()
				t.Errorf("%v: %q opened", errno, name)
				continue
			}
			wantNotExist(t, name, err)
		}
	}
}

// Closing a second time must not close what has the number by then.
func TestCloseTwice(t *testing.T) {
	for _, w := range ways() {
		for _, through := range []string{"descriptor", "os.File"} {
			f := openFile(t, w, "content")
			if through == "os.File" {
				f.OSFile()
			}
			must(t, f.Close())
			next := openFile(t, w, "foreign")
			if err := f.Close(); err != fs.ErrClosed {
				t.Errorf("%s, %s: got %v, want fs.ErrClosed", w.name, through, err)
			}
			if _, err := next.Look(); err != nil {
				t.Errorf("%s, %s: another file was closed: %v", w.name, through, err)
			}
		}
	}
}
