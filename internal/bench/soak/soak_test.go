package soak

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"servery/internal/testkit"
)

func TestMain(m *testing.M) { os.Exit(testkit.Main(m)) }

// Everything at once for some seconds: all answers are right, no limit is passed, and
// nothing is held at the end. The long form is cmd/soak.
func TestSoak(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("builds and starts a server, and counts what that holds by /proc")
	}
	config := Config{
		Duration: 3 * time.Second, Every: time.Second, Race: raced, Clients: 8, Slow: 2, Sips: time.Second,
		Cold: 600, Text: 4 << 20, Probes: 20, Seed: 1,
	}
	var out strings.Builder
	if err := Run(t.Context(), config, &out); err != nil {
		t.Error(err)
	}
	t.Logf("\n%s", &out)
	if !strings.Contains(out.String(), "/s hot ") {
		t.Error("no line says what was done")
	}
}
