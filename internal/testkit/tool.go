package testkit

import (
	"os"
	"os/exec"
	"testing"
)

// requireTools is set where a test may not be left out for want of a tool.
const requireTools = "SERVERY_REQUIRE_TOOLS"

// Tool returns the path of a program that a test drives. Without it the test is
// skipped, or fails where the environment variable SERVERY_REQUIRE_TOOLS is set.
func Tool(tb testing.TB, name string) string {
	tb.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Lacks(tb, "the program "+name)
	}
	return path
}

// Lacks ends a test that cannot run without what is described: it is skipped, or
// fails where the environment variable SERVERY_REQUIRE_TOOLS is set.
func Lacks(tb testing.TB, what string) {
	tb.Helper()
	if os.Getenv(requireTools) != "" {
		tb.Fatalf("missing: %s; and %s is set", what, requireTools)
	}
	tb.Skipf("missing: %s", what)
}
