//go:build unix

package offload_test

import (
	"syscall"
	"testing"
	"time"

	"servery/internal/offload"
	"servery/internal/testkit"
)

func wantParks(t *testing.T, when string, s *offload.Slot, want bool) {
	t.Helper()
	s.GiveWay()
	if got := s.Parks(); got != want {
		t.Errorf("%s: has a pipe: got %t, want %t", when, got, want)
	}
}

func TestWithoutDescriptorsSlotsGoOnAndRecover(t *testing.T) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	restore := func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
			t.Error(err)
		}
	}
	defer restore()
	none := limit
	none.Cur = 0
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &none); err != nil {
		t.Fatal(err)
	}
	s := mustAcquire(t, offload.New(1, 0))
	defer s.Release()
	wantParks(t, "without descriptors", s, false)
	wantParks(t, "still without", s, false)
	restore()
	wantParks(t, "with descriptors", s, true)
}

// A pipe that does not work delays its slot for a moment, and the next one works.
func TestBrokenPipeIsReplaced(t *testing.T) {
	null, err := syscall.Open("/dev/null", syscall.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(null)
	for _, tt := range []struct {
		name    string
		disturb func(*offload.Slot) (left int)
	}{
		{"the byte is lost", func(s *offload.Slot) int { return s.SwapWriter(dup(t, null)) }},
		{"the writer is gone", func(s *offload.Slot) int { syscall.Close(s.SwapWriter(dup(t, null))); return -1 }},
		{"the byte cannot be sent", func(s *offload.Slot) int { return s.SwapWriter(-1) }},
		{"the byte cannot be received", func(s *offload.Slot) int { s.CloseReader(); return -1 }},
	} {
		before := testkit.Holding()
		s := mustAcquire(t, offload.New(1, 0))
		wantParks(t, tt.name+", before", s, true)
		left := tt.disturb(s)
		wantParks(t, tt.name, s, false)
		syscall.Close(left)
		for range 3 {
			wantParks(t, tt.name+", afterwards", s, true)
		}
		s.Release()
		if after := testkit.Holding(); after.Descriptors > before.Descriptors {
			t.Errorf("%s: held %+v before, %+v after", tt.name, before, after)
		}
	}
}

func dup(t *testing.T, fd int) int {
	t.Helper()
	d, err := syscall.Dup(fd)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// What bounds the wait for a byte must not count the time that the slot worked in between.
func TestPipeWorksAfterAnyTime(t *testing.T) {
	s := mustAcquire(t, offload.New(1, 0))
	defer s.Release()
	wantParks(t, "at first", s, true)
	for passing := time.Microsecond; passing < 10*time.Hour; passing *= 2 {
		if err := s.Rest(passing); err != nil {
			t.Fatal(err)
		}
		wantParks(t, "after "+passing.String(), s, true)
	}
}
