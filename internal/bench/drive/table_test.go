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
	return Measurement{Scenario: "304", Peer: peer, Client: "wrk", Round: round, Condition: condition, Processor: time.Duration(round) * 1000 * time.Microsecond, Resident: int64(round) << 20, Result: load.Result{
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

// named returns the scenario of that name.
func named(t *testing.T, name string) inputs.Scenario {
	t.Helper()
	selected, err := inputs.Select(name)
	if err != nil {
		t.Fatal(err)
	}
	return selected[0]
}

func TestTable(t *testing.T) {
	scenario := named(t, "304")
	var out strings.Builder
	writeTable(&out, scenario, madeReport().rows(scenario))
	checkGolden(t, "table.txt", out.String())
}

// madeBehind returns a measurement of tiny responses beside large ones.
func madeBehind(peer string, round int, large float64, p50 time.Duration, refused int) Measurement {
	m := made(peer, round, 1000, p50, "")
	m.Scenario = "tiny-behind-8"
	m.Large = load.Large{Bytes: 1000, PerSecond: large, Complete: 5, Refused: refused}
	return m
}

func TestTableOfLoadBeside(t *testing.T) {
	report := &Report{
		Peers: []PeerInfo{{Name: "ceiling"}, {Name: "servery-0"}, {Name: "gzhttp"}},
		Measurements: []Measurement{
			madeBehind("servery-0", 1, 3e6, 2*time.Millisecond, 0),
			madeBehind("gzhttp", 1, 4e6, 20*time.Millisecond, 0),
			madeBehind("servery-0", 2, 2.5e6, 3*time.Millisecond, 7),
			madeBehind("gzhttp", 2, 2.5e6, 30*time.Millisecond, 0),
		},
	}
	scenario := named(t, "tiny-behind-8")
	var out strings.Builder
	writeTable(&out, scenario, report.rows(scenario))
	checkGolden(t, "table-behind.txt", out.String())
}

func checkGolden(t *testing.T, name, got string) {
	t.Helper()
	golden := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestRatiosAreTakenWithinRounds(t *testing.T) {
	rows := madeReport().rows(named(t, "304"))
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
	writeTable(&out, named(t, "304"), report.rows(named(t, "304")))
	if lines := strings.Split(strings.TrimSpace(out.String()), "\n"); !strings.HasSuffix(lines[len(lines)-1], "  -") {
		t.Errorf("got\n%s\nwant a dash for the ratio", out.String())
	}
}

// TestTableOfASkippedScenario: nobody has started a server or written a file for it.
func TestTableOfASkippedScenario(t *testing.T) {
	scenario := named(t, "h2-1k")
	r := &run{peers: []peer{{PeerInfo: PeerInfo{Name: "ceiling"}}}, report: &Report{Skipped: make(map[string]string)}}
	if err := r.scenario(t.Context(), scenario); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	r.report.write(&out, scenario)
	if want := "not measured: no h2load on PATH"; !strings.Contains(out.String(), want) {
		t.Errorf("got\n%s\nwant %q", out.String(), want)
	}
}

func TestTableWithoutPeers(t *testing.T) {
	report := &Report{Peers: []PeerInfo{{Name: "nginx"}}}
	var out strings.Builder
	writeTable(&out, named(t, "tiny-behind-1"), report.rows(named(t, "tiny-behind-1")))
	if !strings.Contains(out.String(), "none of the selected peers") {
		t.Errorf("got\n%s\nwant it to say why there is no row", out.String())
	}
}
