package testkit

import (
	"fmt"
	"net"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Held is what a process holds: the things that a leak shows in.
type Held struct{ Goroutines, Descriptors int }

// Holding counts. Descriptors are 0 where the system does not list them.
func Holding() Held {
	entries, _ := os.ReadDir("/proc/self/fd")
	return Held{runtime.NumGoroutine(), len(entries)}
}

// Regained waits until the process holds no more than before, and reports what is
// still there if it does not come to that. Goroutines that were told to end need
// a moment, and nothing announces that the last one is gone.
func (before Held) Regained() error {
	deadline := time.Now().Add(Patience)
	for pause := time.Millisecond; ; pause *= 2 {
		now := Holding()
		if now.Goroutines <= before.Goroutines && now.Descriptors <= before.Descriptors {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("held %+v before, %+v now:\n%s\n%s", before, now, descriptors(), stacks())
		}
		<-time.After(pause)
	}
}

// Main runs the tests and fails if they leave a goroutine or a descriptor behind.
// It returns the code to exit with.
func Main(m *testing.M) int {
	startStanding()
	before := Holding()
	code := m.Run()
	if err := before.Regained(); err != nil {
		fmt.Fprintln(os.Stderr, "leak:", err)
		return max(code, 1)
	}
	return code
}

// startStanding starts what stands for good once anybody has used it: the
// descriptors of the network poller, and the goroutine of os/signal, which the
// fuzzing engine uses.
func startStanding() {
	if listener, err := net.Listen("tcp", "127.0.0.1:0"); err == nil {
		listener.Close()
	}
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	signal.Stop(c)
}

func stacks() string {
	buf := make([]byte, 1<<20)
	return string(buf[:runtime.Stack(buf, true)])
}

func descriptors() string {
	var b strings.Builder
	entries, _ := os.ReadDir("/proc/self/fd")
	for _, entry := range entries {
		target, _ := os.Readlink("/proc/self/fd/" + entry.Name())
		fmt.Fprintf(&b, "%s -> %s\n", entry.Name(), target)
	}
	return b.String()
}
