package drive_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"servery/internal/bench/drive"
	"servery/internal/testkit"
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
		Scenarios: "1k,304,1k-churn,tls-1k,gzip-64k,gzip-64k-distinct,tiny-behind-1-default,json-200,json-1m,compress-behind-1-copy-default",
		Peers:     "ceiling,nethttp,gzhttp,ceiling-compress,gzhttp-compress,chi",
		Progress:  io.Discard,
	}
	var out strings.Builder
	report, err := drive.Run(t.Context(), config, &out)
	if err != nil {
		t.Fatal(err)
	}
	for scenario, want := range map[string]string{
		"1k":                             "ceiling nethttp nethttp ceiling",
		"304":                            "ceiling nethttp nethttp ceiling",
		"1k-churn":                       "ceiling nethttp nethttp ceiling",
		"tls-1k":                         "ceiling nethttp nethttp ceiling",
		"gzip-64k":                       "ceiling gzhttp gzhttp ceiling",
		"gzip-64k-distinct":              "ceiling gzhttp gzhttp ceiling",
		"tiny-behind-1-default":          "gzhttp gzhttp",
		"json-200":                       "ceiling-compress gzhttp-compress chi gzhttp-compress chi ceiling-compress",
		"json-1m":                        "ceiling-compress gzhttp-compress chi gzhttp-compress chi ceiling-compress",
		"compress-behind-1-copy-default": "gzhttp-compress chi chi gzhttp-compress",
	} {
		if got := order(report, scenario); got != want {
			t.Errorf("%s: measured %s, want %s", scenario, got, want)
		}
	}
	for _, m := range report.Measurements {
		if m.Requests == 0 || m.Client != "cmd/load" || m.PerSecond <= 0 || m.Errors != 0 || (m.Condition != "") != (m.Scenario == "304") {
			t.Errorf("measurement %+v", m)
		}
		if (m.Large.Bytes > 0) != strings.Contains(m.Scenario, "-behind-") {
			t.Errorf("measurement %+v", m)
		}
	}
	if strings.Count(out.String(), "of ceiling") != 5 || strings.Count(out.String(), "of gzhttp") != 5 ||
		strings.Count(out.String(), "1.00 (1.00 to 1.00)") != 10 {
		t.Errorf("got\n%s\nwant a table for each of ten scenarios", out.String())
	}
}

// TestRunOverHTTP2 needs a load generator that the module does not have.
func TestRunOverHTTP2(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts servers")
	}
	testkit.Tool(t, "h2load")
	config := drive.Config{
		Rounds: 1, Duration: 200 * time.Millisecond, Connections: 4, Procs: 1, Client: "own",
		Scenarios: "h2-1k,h2-gzip-64k", Peers: "ceiling,nethttp,gzhttp", Progress: io.Discard,
	}
	report, err := drive.Run(t.Context(), config, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	for scenario, want := range map[string]string{"h2-1k": "ceiling nethttp", "h2-gzip-64k": "ceiling gzhttp"} {
		if got := order(report, scenario); got != want {
			t.Errorf("%s: measured %s, want %s", scenario, got, want)
		}
	}
	for _, m := range report.Measurements {
		if m.Client != "h2load" || m.Requests == 0 || m.P50 <= 0 || m.P99 < m.P50 {
			t.Errorf("measurement %+v", m)
		}
	}
}

func order(report *drive.Report, scenario string) string {
	var names []string
	for _, m := range report.Measurements {
		if m.Scenario == scenario {
			names = append(names, m.Peer)
		}
	}
	return strings.Join(names, " ")
}
