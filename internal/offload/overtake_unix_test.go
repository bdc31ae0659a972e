//go:build unix

package offload_test

import (
	"io"
	"net"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"servery/internal/offload"
)

// TestSmallAnswersOvertakeLongWork counts the slices of work that pass between a byte being sent and its echo being
// received, both over a connection in the same process that has a single processor. Slices and not time, since time
// passes as it likes on a busy machine; the median, since such a machine may deliver a byte late.
//
// The client and the server both wait in the poller, so two of its turns are needed, and every slot in use may run a
// slice before each of them. What happens without turns of the poller is logged for comparison.
func TestSmallAnswersOvertakeLongWork(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, slots := range []int{1, 3} {
		got := slicesUntilAnswered(t, slots, 51, (*offload.Slot).GiveWay)
		other := slicesUntilAnswered(t, slots, 11, func(*offload.Slot) { runtime.Gosched() })
		t.Logf("%d slots: slices until a byte is answered: median %d, most %d; with runtime.Gosched %d and %d",
			slots, median(got), slices.Max(got), median(other), slices.Max(other))
		if want := 4 * int64(slots); median(got) > want {
			t.Errorf("%d slots: the median is %d slices, want at most %d: %d", slots, median(got), want, got)
		}
	}
}

func median(counts []int64) int64 { return slices.Sorted(slices.Values(counts))[len(counts)/2] }

// slicesUntilAnswered makes exchanges while slots are worked in, and returns the slices that passed during each.
func slicesUntilAnswered(t *testing.T, slots, exchanges int, giveWay func(*offload.Slot)) []int64 {
	client, hangUp := dialEcho(t)
	defer hangUp()
	var passed atomic.Int64
	var stop atomic.Bool
	var workers sync.WaitGroup
	defer workers.Wait()
	defer stop.Store(true)
	l := offload.New(slots, 0)
	for range slots {
		workers.Go(func() {
			s, err := l.Acquire(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Release()
			for !stop.Load() {
				for begin := time.Now(); time.Since(begin) < offload.Slice; {
				}
				passed.Add(1)
				giveWay(s)
			}
		})
	}
	counts := make([]int64, exchanges)
	for i := range counts {
		before := passed.Load()
		exchange(t, client)
		counts[i] = passed.Load() - before
	}
	return counts
}

func exchange(t *testing.T, client net.Conn) {
	t.Helper()
	var b [1]byte
	if _, err := client.Write(b[:]); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(client, b[:]); err != nil {
		t.Fatal(err)
	}
}

// dialEcho returns a connection to a goroutine that sends back what it receives. hangUp returns when both are gone.
func dialEcho(t *testing.T) (client net.Conn, hangUp func()) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	client, err = net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	server, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	var echo sync.WaitGroup
	echo.Go(func() {
		defer server.Close()
		io.Copy(server, server)
	})
	return client, func() {
		client.Close()
		echo.Wait()
	}
}
