package drive

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"servery/internal/bench/inputs"
	"servery/internal/bench/load"
)

var update = flag.Bool("update", false, "rewrite the golden table")

// made returns a measurement with a p99 of ten times the p50.
func made(peer string, round int, perSecond float64, p50 time.Duration, condition string) Measurement {
	return Measurement{Scenario: "304", Peer: peer, Round: round, Condition: condition, Result: load.Result{
		Requests: 100, PerSecond: perSecond, P50: p50, P99: 10 * p50,
	}}
}

func madeReport() *Report {
	const tag, date = `If-None-Match: "a"`, "If-Modified-Since: Fri, 17 May 2024 08:30:00 GMT"
	return &Report{
		Peers: []PeerInfo{
			{Name: "ceiling"}, {Name: "servery"}, {Name: "nethttp"},
			{Name: "nginx", Absent: "no nginx on PATH"},
		},
		Measurements: []Measurement{
			made("ceiling", 1, 40000, time.Millisecond, tag),
			made("servery", 1, 36000, 1100*time.Microsecond, tag),
			made("nethttp", 1, 900, 50*time.Millisecond, date),
			made("servery", 2, 20000, 1300*time.Microsecond, tag),
			made("nethttp", 2, 800, 60*time.Millisecond, date),
			made("ceiling", 2, 20000, 2*time.Millisecond, tag),
			made("ceiling", 3, 30000, 3*time.Millisecond, tag),
			made("servery", 3, 24000, 1200*time.Microsecond, tag),
			made("nethttp", 3, 999.9, 70*time.Millisecond, date),
			{Scenario: "1k", Peer: "nethttp", Round: 1, Result: load.Result{PerSecond: 1e9}},
		},
	}
}

func TestTable(t *testing.T) {
	scenario := inputs.Scenario{Name: "304", Path: "1k.txt", Size: 1024, NotModified: true}
	var out strings.Builder
	writeTable(&out, scenario, madeReport().rows("304"))
	golden := filepath.Join("testdata", "table.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestRatiosAreTakenWithinRounds(t *testing.T) {
	rows := madeReport().rows("304")
	if got, want := rows[0].ratio, (spread{median: 1, min: 1, max: 1}); got != want {
		t.Errorf("ceiling: got %+v, want %+v", got, want)
	}
	// The ratio of the medians would be 24000/30000 = 0.8.
	if got, want := rows[1].ratio, (spread{median: 0.9, min: 0.8, max: 1}); got != want {
		t.Errorf("servery: got %+v, want %+v", got, want)
	}
}

func TestTableWithoutCeiling(t *testing.T) {
	report := &Report{
		Peers:        []PeerInfo{{Name: "servery"}},
		Measurements: []Measurement{made("servery", 1, 36000, time.Millisecond, "")},
	}
	var out strings.Builder
	writeTable(&out, inputs.Scenario{Name: "304"}, report.rows("304"))
	if lines := strings.Split(strings.TrimSpace(out.String()), "\n"); !strings.HasSuffix(lines[len(lines)-1], "  -") {
		t.Errorf("got\n%s\nwant a dash for the ratio", out.String())
	}
}
