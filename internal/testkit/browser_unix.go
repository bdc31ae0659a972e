//go:build unix

package testkit

import (
	"bytes"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// Browse opens url in a headless Chromium, which is ended with the test, with all
// of its processes.
func Browse(tb testing.TB, url string) {
	tb.Helper()
	home, err := os.MkdirTemp("", "browser") // a short path: Chromium makes a socket in it
	mustDo(tb, err)
	cmd := exec.Command(Tool(tb, "chromium"),
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-dev-shm-usage", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-breakpad",
		"--no-proxy-server", "--log-level=3", "--user-data-dir="+home, url)
	cmd.Env = append(os.Environ(), "HOME="+home, "TMPDIR="+home, "XDG_CONFIG_HOME="+home, "XDG_CACHE_HOME="+home)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var output bytes.Buffer // each of the processes holds the pipe to it, so that Wait waits for them all
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.WaitDelay = Patience
	mustDo(tb, cmd.Start())
	tb.Cleanup(func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		if err := cmd.Wait(); err != nil && cmd.ProcessState == nil {
			tb.Errorf("chromium: %v", err)
		}
		mustDo(tb, os.RemoveAll(home))
		if tb.Failed() {
			tb.Logf("chromium wrote:\n%s", &output)
		}
	})
}
