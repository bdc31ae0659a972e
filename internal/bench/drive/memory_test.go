package drive

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

func TestParseMostResident(t *testing.T) {
	for _, test := range []struct {
		status string
		want   int64
		reason string
	}{
		{"Name:\tserve\nVmHWM:\t   12345 kB\nVmRSS:\t     1 kB\n", 12345 << 10, "as Linux writes it"},
		{"Name:\tserve\nVmRSS:\t     1 kB\n", 0, "it is not there"},
		{"VmHWM:\tmuch kB\n", 0, "no number"},
	} {
		got, err := parseMostResident(test.status)
		if got != test.want || (err == nil) != (test.want > 0) {
			t.Errorf("%q: got %d, %v, want %d: %s", test.status, got, err, test.want, test.reason)
		}
	}
}

func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts servers")
	}
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("this system does not say how much memory a process takes")
	}
	config := Config{
		Rounds: 1, Duration: time.Minute, Connections: 4, Procs: 1, Client: "own", Streams: 1,
		Scenarios: "compress-behind-1-write-default", Peers: "servery-compress,gzhttp-compress", Progress: io.Discard,
	}
	var out strings.Builder
	if err := Memory(t.Context(), config, &out); err != nil {
		t.Fatal(err)
	}
	coded := make(map[string]string)
	for line := range strings.Lines(out.String()) {
		if words := strings.Fields(line); len(words) > 1 {
			coded[words[0]] = words[1]
		}
	}
	if coded["servery-compress"] != "1" || coded["gzhttp-compress"] != "4" {
		t.Errorf("got\n%s\nwant one and four responses to be coded", out.String())
	}
	config.Scenarios = "1k"
	if err := Memory(t.Context(), config, io.Discard); err == nil {
		t.Error("a scenario without large files is accepted")
	}
}
