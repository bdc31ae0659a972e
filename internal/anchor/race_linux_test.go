package anchor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// descriptors counts the open descriptors of the process, but for the one that counts.
func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	must(t, err)
	return len(entries) - 1
}

// wantDescriptors checks at the end of the test that it left no descriptor open.
func wantDescriptors(t *testing.T) {
	t.Helper()
	// The first file that could be polled makes the runtime open descriptors of its own.
	null, err := os.Open(os.DevNull)
	must(t, err, null.Close())
	before := descriptors(t)
	t.Cleanup(func() {
		if after := descriptors(t); after != before {
			t.Errorf("%d descriptors open at the end, %d at the start", after, before)
		}
	})
}

// tally counts what readers saw, so that a test can tell that it tested something.
type tally struct {
	one, two atomic.Int64
}

func (y *tally) both() bool {
	return y.one.Load() > 0 && y.two.Load() > 0
}

func allBoth(tallies []tally) bool {
	for i := range tallies {
		if !tallies[i].both() {
			return false
		}
	}
	return true
}

// wantBoth checks that the readers saw both.
func (y *tally) wantBoth(t *testing.T, one, two string) {
	t.Helper()
	if !y.both() {
		t.Errorf("readers saw %s %d times, %s %d times, want some of both", one, y.one.Load(), two, y.two.Load())
	}
}

// Two files of one Root are of one deployment, however often the path is switched meanwhile.
func TestRootNeverMixesDeployments(t *testing.T) {
	wantDescriptors(t)
	s := newSite(t)
	write(t, s.path("one/g"), "one")
	write(t, s.path("two/g"), "two")
	s.point(t, "one")
	var clock atomic.Int64
	var stopped atomic.Bool
	var readers sync.WaitGroup
	pair := make(chan bool, 1)
	tallies := make([]tally, len(ways()))
	for i, w := range ways() {
		world := s.world()
		world.opener = w.opener(t)
		world.now = func() time.Duration { return time.Duration(clock.Load()) }
		d := openDirWith(t, s.path("current"), world)
		for range 8 / len(ways()) {
			readers.Go(func() { readPairs(t, d, &tallies[i], pair, &stopped) })
		}
	}
	for i := range 2000 {
		s.point(t, []string{"two", "one"}[i%2])
		clock.Add(int64(lookEvery))
		// Switches that nobody reads in between would test nothing.
		if <-pair; t.Failed() {
			break
		}
	}
	stopped.Store(true)
	readers.Wait()
	for i := range tallies {
		tallies[i].wantBoth(t, "the first deployment", "the second")
	}
}

// readPairs reads pairs until it is stopped or the test failed, and tells through done of each.
func readPairs(t *testing.T, d *Dir, y *tally, done chan<- bool, stopped *atomic.Bool) {
	for !stopped.Load() && !t.Failed() {
		deployment, err := readPair(d)
		if err != nil {
			t.Error(err)
		}
		if deployment == "one" {
			y.one.Add(1)
		} else {
			y.two.Add(1)
		}
		select {
		case done <- true:
		default:
		}
		runtime.Gosched() // Whoever switches would wait for its turn behind eight full time slices.
	}
}

// readPair reads f and g through one Root and returns which deployment both are of.
func readPair(d *Dir) (string, error) {
	r, err := d.Acquire()
	if err != nil {
		return "", err
	}
	defer r.Release()
	f, err1 := read(r, "f")
	g, err2 := read(r, "g")
	if f != g {
		return "", fmt.Errorf("%q and %q of one Root", f, g)
	}
	return f, errors.Join(err1, err2)
}

// A link that leads outside every other moment never shows what is there.
func TestOpenNeverFollowsASwappedLinkOut(t *testing.T) {
	swaps := 100_000
	if testing.Short() {
		swaps = 5_000
	}
	wantDescriptors(t)
	base := t.TempDir()
	root := mkdir(t, base, "root")
	write(t, filepath.Join(mkdir(t, root, "inside"), "f"), "inside")
	write(t, filepath.Join(mkdir(t, base, "outside"), "f"), "secret")
	must(t, os.Symlink("inside", filepath.Join(root, "link")))
	must(t, os.Symlink("../outside", filepath.Join(root, "other")))
	must(t, os.Symlink("link/f", filepath.Join(root, "further")))
	var stopped atomic.Bool
	var readers sync.WaitGroup
	tallies := make([]tally, len(ways()))
	for i, w := range ways() {
		r := openRootBy(t, root, w)
		for _, name := range []string{"link/f", "further"} {
			readers.Go(func() { readInside(t, r, name, &tallies[i], &stopped) })
		}
	}
	// A busy machine may keep readers from meeting both links for longer than that.
	for i := 0; i < swaps || i < 100*swaps && !allBoth(tallies); i++ {
		must(t, swap(filepath.Join(root, "link"), filepath.Join(root, "other")))
	}
	stopped.Store(true)
	readers.Wait()
	for i := range tallies {
		tallies[i].wantBoth(t, "the file inside", "nothing")
	}
}

// swap exchanges two names in one step, so that there is always something under both.
func swap(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}

// readInside reads name, which may be there or not, until it is stopped.
func readInside(t *testing.T, r *Root, name string, y *tally, stopped *atomic.Bool) {
	for !stopped.Load() {
		switch got, err := read(r, name); {
		case errors.Is(err, fs.ErrNotExist):
			y.two.Add(1)
		case err != nil || got != "inside":
			t.Errorf("%s: got %q, %v", name, got, err)
			return
		default:
			y.one.Add(1)
		}
	}
}

// Whatever is closed in whatever order, nothing stays open and nobody gets what is closed.
func TestCloseDirInUse(t *testing.T) {
	wantDescriptors(t)
	s := newSite(t)
	for range 100 {
		d := s.open(t)
		var users sync.WaitGroup
		for range 4 {
			users.Go(func() { useUntilClosed(t, d) })
		}
		users.Go(func() {
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
		users.Wait()
	}
}

func useUntilClosed(t *testing.T, d *Dir) {
	for {
		r, err := d.Acquire()
		if errors.Is(err, fs.ErrClosed) {
			return
		}
		if err != nil {
			t.Error(err)
			return
		}
		if got, err := read(r, "f"); err != nil || got != "one" {
			t.Errorf("got %q, %v", got, err)
		}
		r.Release()
	}
}

// Generations that were found but not taken, or taken over, are closed too.
func TestFollowClosesWhatItLeaves(t *testing.T) {
	for name, test := range map[string]func(*testing.T){
		"replaced":         TestFollow,
		"found unchanged":  TestFollowBelievesWhatItOpened,
		"found for nobody": TestCloseDirWhileLooking,
		"not opened":       TestOpenDirErrors,
	} {
		t.Run(name, func(t *testing.T) {
			wantDescriptors(t)
			t.Run("", test)
		})
	}
}
