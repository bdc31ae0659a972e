package drive

import (
	"os/exec"
	"strings"
	"testing"
)

func TestLaunchReportsAServerThatEnds(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	addr, err := freeAddr()
	if err != nil {
		t.Fatal(err)
	}
	_, err = launch(t.Context(), []string{shell, "-c", "echo its reason; exit 3"}, addr, t.TempDir(), 1)
	if err == nil || !strings.Contains(err.Error(), "its reason") || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("error %v, want one with the output and the status", err)
	}
}

func TestPins(t *testing.T) {
	tests := []struct {
		pins           pins
		server, client string
	}{
		{pins{taskset: "taskset", procs: 1}, "taskset -c 0", "taskset -c 1"},
		{pins{taskset: "taskset", procs: 3}, "taskset -c 0-2", "taskset -c 3"},
		{pins{why: "no reason"}, "", ""},
	}
	for _, test := range tests {
		server, client := strings.Join(test.pins.server(), " "), strings.Join(test.pins.client(), " ")
		if server != test.server || client != test.client {
			t.Errorf("%v: got %q and %q, want %q and %q", test.pins, server, client, test.server, test.client)
		}
	}
}
