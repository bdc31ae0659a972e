package drive

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"servery/internal/bench/inputs"
	"servery/internal/bench/load"
)

// A Report is everything that a run found out, in the form that is written as
// JSON.
type Report struct {
	Environment  Environment   `json:"environment"`
	Peers        []PeerInfo    `json:"peers"`
	Measurements []Measurement `json:"measurements"`

	// Skipped says of scenarios why nothing could be measured.
	Skipped map[string]string `json:"skipped,omitempty"`
}

// An Environment is what absolute figures depend on.
type Environment struct {
	Start       time.Time `json:"start"`
	CPU         string    `json:"cpu"`
	Cores       int       `json:"cores"`
	Platform    string    `json:"platform"` // in Go's words
	Kernel      string    `json:"kernel"`
	Go          string    `json:"go"`
	LoadAverage string    `json:"load_average"` // before the run: others at work make noise
	Pinning     string    `json:"pinning"`
	Client      string    `json:"client"` // but for the scenarios for which it is another
	Rounds      int       `json:"rounds"`
	Duration    string    `json:"duration"`
	Connections int       `json:"connections"`
	Procs       int       `json:"procs"`
}

// A Measurement is one server under load in one round.
type Measurement struct {
	Scenario  string        `json:"scenario"`
	Peer      string        `json:"peer"`
	Client    string        `json:"client"`                 // the load generator
	Round     int           `json:"round"`                  // from 1
	Condition string        `json:"condition,omitempty"`    // the field that made the request conditional
	Processor time.Duration `json:"processor_ns,omitempty"` // that the server took; 0 if the system does not tell
	Resident  int64         `json:"resident,omitempty"`     // the server's memory at the most, in bytes; 0 if the system does not tell
	load.Result
}

func newReport(c Config, client string, p pins, peers []peer) *Report {
	return &Report{
		Environment: Environment{
			Start: time.Now().UTC().Truncate(time.Second), CPU: cpuModel(), Cores: runtime.NumCPU(),
			Platform: runtime.GOOS + "/" + runtime.GOARCH,
			Kernel:   firstLine("/proc/sys/kernel/osrelease"), Go: runtime.Version(),
			LoadAverage: firstLine("/proc/loadavg"), Pinning: p.String(), Client: client, Rounds: c.Rounds,
			Duration: c.Duration.String(), Connections: c.Connections, Procs: c.Procs,
		},
		Peers:   collect(peers, func(p peer) PeerInfo { return p.PeerInfo }),
		Skipped: make(map[string]string),
	}
}

func (r *Report) writeHead(out io.Writer) {
	e := r.Environment
	r.writeMachine(out)
	fmt.Fprintf(out, "%s; %d rounds of %s, %d connections by %s, GOMAXPROCS=%d\n",
		e.Pinning, e.Rounds, e.Duration, e.Connections, e.Client, e.Procs)
	for _, p := range r.Peers {
		fmt.Fprintf(out, "  %-16s %s\n", p.Name, p.Version+p.absence(inputs.HTTP1))
	}
}

func (r *Report) writeMachine(out io.Writer) {
	e := r.Environment
	fmt.Fprintf(out, "%s, %d cores, Linux %s, %s %s; load average %s\n",
		e.CPU, e.Cores, e.Kernel, e.Go, e.Platform, e.LoadAverage)
}

// cpuModel is what Linux calls the processor, or at least its architecture.
func cpuModel() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	for line := range strings.Lines(string(info)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

func firstLine(file string) string {
	content, err := os.ReadFile(file)
	if err != nil {
		return "unknown"
	}
	line, _, _ := strings.Cut(string(content), "\n")
	return line
}
