package drive_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"servery/internal/bench/drive"
	// The run builds these packages by itself. Named here, they make the test's
	// cached result depend on them.
	_ "servery/internal/bench/peers"
)

// TestRun goes through everything once, with durations too short to say anything.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts servers")
	}
	config := drive.Config{
		Rounds: 2, Duration: 200 * time.Millisecond, Connections: 4, Procs: 1, Client: "own",
		Scenarios: "1k,304", Peers: "ceiling,nethttp", Progress: io.Discard,
	}
	var out strings.Builder
	report, err := drive.Run(t.Context(), config, &out)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := order(report), "ceiling nethttp nethttp ceiling ceiling nethttp nethttp ceiling"; got != want {
		t.Errorf("measured %s, want %s", got, want)
	}
	for _, m := range report.Measurements {
		if m.Requests == 0 || m.PerSecond <= 0 || m.Errors != 0 || (m.Condition != "") != (m.Scenario == "304") {
			t.Errorf("measurement %+v", m)
		}
	}
	if strings.Count(out.String(), "of ceiling") != 2 || !strings.Contains(out.String(), "1.00 (1.00 to 1.00)") {
		t.Errorf("got\n%s\nwant a table for each of two scenarios", out.String())
	}
}

func order(report *drive.Report) string {
	var names []string
	for _, m := range report.Measurements {
		names = append(names, m.Peer)
	}
	return strings.Join(names, " ")
}
