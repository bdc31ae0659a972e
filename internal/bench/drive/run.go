package drive

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"servery/internal/bench/inputs"
	"servery/internal/bench/load"
)

// A run is the state of one comparison. It is used by one goroutine.
type run struct {
	config    Config
	scratch   string // removed at the end
	dir       string // what the servers serve
	scenarios []inputs.Scenario
	peers     []peer
	client    load.Client
	pins      pins
	report    *Report
}

// large is the size of a body, in bytes, from which the rate is taken from the
// bytes: 64 responses under way matter to the count of those that came in seconds.
const large = 1 << 20

// Run measures every peer in every scenario and writes a table for each to out.
// Any error in any round ends it: a server that fails now and then has no rate
// that could be compared.
func Run(ctx context.Context, config Config, out io.Writer) (*Report, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	scratch, err := os.MkdirTemp("", "servery-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	r := &run{config: config, scratch: scratch, dir: filepath.Join(scratch, "files")}
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	r.report.writeHead(out)
	for _, s := range r.scenarios {
		if err := r.scenario(ctx, s); err != nil {
			return nil, fmt.Errorf("scenario %s: %w", s.Name, err)
		}
		writeTable(out, s, r.report.rows(s.Name))
	}
	return r.report, nil
}

func (r *run) prepare(ctx context.Context) (err error) {
	if r.scenarios, err = inputs.Select(r.config.Scenarios); err != nil {
		return err
	}
	if err := inputs.Write(r.dir, r.scenarios); err != nil {
		return err
	}
	bin := filepath.Join(r.scratch, "bin") + string(filepath.Separator)
	if err := build(ctx, bin); err != nil {
		return err
	}
	all, err := catalog(ctx, bin+"serve")
	if err != nil {
		return err
	}
	if r.peers, err = selectPeers(all, r.config.Peers); err != nil {
		return err
	}
	if r.client, err = r.config.client(bin + "load"); err != nil {
		return err
	}
	r.pins = pin(r.config.Procs)
	r.report = newReport(r.config, r.client.Name, r.pins, r.peers)
	return nil
}

// build makes the programs that run beside the driver. They are processes of
// their own so that each can be pinned to its core.
func build(ctx context.Context, bin string) error {
	const commands = "servery/internal/bench/cmd/"
	cmd := exec.CommandContext(ctx, "go", "build", "-o", bin, commands+"serve", commands+"load")
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building the servers: %w\n%s", err, output)
	}
	return nil
}

func (r *run) scenario(ctx context.Context, s inputs.Scenario) error {
	present := presentOf(r.peers)
	for round := range r.config.Rounds {
		for _, p := range rotate(present, round) {
			m, err := r.measure(ctx, s, p)
			if err != nil {
				return fmt.Errorf("round %d: %s: %w", round+1, p.Name, err)
			}
			m.Scenario, m.Peer, m.Round = s.Name, p.Name, round+1
			r.report.Measurements = append(r.report.Measurements, m)
			fmt.Fprintf(r.config.Progress, "%s, round %d of %d: %s: %.0f requests/s\n",
				s.Name, round+1, r.config.Rounds, p.Name, m.PerSecond)
		}
	}
	return nil
}

// measure starts a server afresh, so that no round profits from the one before,
// and leaves nothing of it behind.
func (r *run) measure(ctx context.Context, s inputs.Scenario, p peer) (m Measurement, err error) {
	server, err := r.start(ctx, p)
	if err != nil {
		return m, err
	}
	defer func() {
		if stopErr := server.stop(); err == nil {
			err = stopErr
		}
	}()
	want, err := expect(filepath.Join(r.dir, filepath.FromSlash(s.Path)), p)
	if err != nil {
		return m, err
	}
	url := "http://" + server.addr + "/" + s.Path
	condition, err := verify(ctx, url, want, s.NotModified)
	if err != nil {
		return m, fmt.Errorf("verifying: %w", err)
	}
	size := s.Size
	if s.NotModified {
		m.Condition, size = condition, 0
	}
	request := load.Request{URL: url, Header: m.Condition, Connections: r.config.Connections}
	request.Duration = r.config.warmUp()
	if _, err := r.generate(ctx, request, size); err != nil {
		return m, fmt.Errorf("warming up: %w", err)
	}
	request.Duration = r.config.Duration
	if m.Result, err = r.generate(ctx, request, size); err == nil && size >= large {
		m.PerSecond = m.RateByBytes(size)
	}
	return m, err
}

// generate runs the load generator once.
func (r *run) generate(ctx context.Context, request load.Request, size int) (load.Result, error) {
	argv := append(r.pins.client(), r.client.Command(request)...)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return load.Result{}, fmt.Errorf("%s: %w: %s%s", r.client.Name, err, stdout.Bytes(), stderr.Bytes())
	}
	result, err := r.client.Parse(stdout.Bytes())
	if err != nil {
		return load.Result{}, err
	}
	return result, result.Err(size)
}
