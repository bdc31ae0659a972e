package drive

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

func TestParseProcessorTime(t *testing.T) {
	for _, test := range []struct {
		stat   string
		want   time.Duration
		fails  bool
		reason string
	}{
		{"7 (serve) S 1 7 7 0 -1 4194560 100 0 0 0 120 30 0 0 20 0 1 0 5", 1500 * time.Millisecond, false, "in itself and in the kernel"},
		{"7 (a ) b) S 1 7 7 0 -1 4194560 100 0 0 0 1 0 0 0 20 0 1 0 5", 10 * time.Millisecond, false, "the name may look like the end of it"},
		{"7 (serve) S 1 7", 0, true, "too short"},
		{"7 (serve) S 1 7 7 0 -1 4194560 100 0 0 0 x 30 0", 0, true, "no number"},
		{"", 0, true, "nothing"},
	} {
		got, err := parseProcessorTime(test.stat)
		if got != test.want || (err != nil) != test.fails {
			t.Errorf("%q: got %v, %v, want %v: %s", test.stat, got, err, test.want, test.reason)
		}
	}
}

// A process and its children count together.
func TestOfAll(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("the system says nothing of its processes")
	}
	cmd := exec.Command("sh", "-c", "read line")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	child, err := mostResident(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	own, err := mostResident(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if all, err := sumOfAll(os.Getpid(), func(int) (int64, error) { return 1, nil }); err != nil || all < 2 {
		t.Errorf("%d processes, %v, want this one and its child", all, err)
	}
	if all, err := mostResidentOfAll(os.Getpid()); err != nil || all < own+child/2 {
		t.Errorf("%d bytes, %v, want %d and %d", all, err, own, child)
	}
	// Any program has taken that at last.
	for used := time.Duration(0); used == 0; {
		if used, err = processorTimeOfAll(os.Getpid()); err != nil {
			t.Fatal(err)
		}
	}
	in.Close()
	if err := cmd.Wait(); err != nil && cmd.ProcessState.ExitCode() != 1 {
		t.Error(err)
	}
}
