package anchor

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"servery/internal/testkit"
)

// way is one way of opening beneath a directory. Whatever a test says of opening must hold for each.
type way struct {
	name   string
	opener func(*testing.T) *opener
}

func ways() []way {
	return []way{
		{"openat2", withOpenat2},
		{"os.Root", func(*testing.T) *opener {
			o := newOpener()
			o.refused.Store(true)
			return o
		}},
	}
}

// withOpenat2 fails a test that ended with the fallback without having asked for it: the same table twice through
// os.Root would prove nothing of openat2.
func withOpenat2(t *testing.T) *opener {
	t.Helper()
	fd, err := openat2(unix.AT_FDCWD, ".")
	if err == unix.ENOSYS || err == unix.EPERM {
		testkit.Lacks(t, "openat2: "+err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	unix.Close(fd)
	o := newOpener()
	t.Cleanup(func() {
		if o.refused.Load() {
			t.Error("openat2 was given up on the way")
		}
	})
	return o
}

// asStranger runs f without the rights of root and of the owner of the files. Only the thread of f changes.
func asStranger(t *testing.T, f func()) {
	t.Helper()
	if unix.Geteuid() != 0 {
		testkit.Lacks(t, "the right of root to open files as someone else")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Setfsuid(65534); err != nil {
		t.Fatal(err)
	}
	defer unix.Setfsuid(0)
	f()
}
