package drive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"servery/internal/bench/inputs"
	"servery/internal/bench/load"
)

// A run is the state of one comparison. It is used by one goroutine.
type run struct {
	config    Config
	scratch   string // removed at the end
	dir       string // what the servers serve: the files of one scenario at a time
	scenarios []inputs.Scenario
	peers     []peer
	client    load.Client
	own       load.Client // the only one that can pull large responses beside, and reconnect
	h2        load.Client // the only one that speaks HTTP/2; without a name if it is not installed
	shown     certificate // by servers over TLS
	pins      pins
	report    *Report
}

// large is the size of a file, in bytes, from which the rate is taken from the
// bytes: 64 responses under way matter to the count of those that came in seconds.
const large = 1 << 20

// Run measures every peer in every scenario and writes a table for each to out.
// Any error in any round ends it: a server that fails now and then has no rate
// that could be compared.
func Run(ctx context.Context, config Config, out io.Writer) (report *Report, err error) {
	err = within(ctx, config, func(r *run) error {
		r.report.writeHead(out)
		for _, s := range r.scenarios {
			if err := r.scenario(ctx, s); err != nil {
				return fmt.Errorf("scenario %s: %w", s.Name, err)
			}
			r.report.write(out, s)
		}
		report = r.report
		return nil
	})
	return report, err
}

// within prepares a run, does something with it, and removes what it has left.
func within(ctx context.Context, config Config, do func(*run) error) error {
	if err := config.validate(); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "servery-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	r := &run{config: config, scratch: scratch, dir: filepath.Join(scratch, "files")}
	if err := r.prepare(ctx); err != nil {
		return err
	}
	return do(r)
}

func (r *run) prepare(ctx context.Context) (err error) {
	if r.scenarios, err = inputs.Select(r.config.Scenarios); err != nil {
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
	if r.client, err = r.config.client(bin+"load", r.scratch); err != nil {
		return err
	}
	r.own = load.Own(bin + "load")
	if path, err := exec.LookPath("h2load"); err == nil {
		r.h2 = load.H2Load(path, r.scratch)
	}
	if r.shown, err = newCertificate(r.scratch); err != nil {
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

// scenario makes the files, which others have no use for and which may be many.
func (r *run) scenario(ctx context.Context, s inputs.Scenario) error {
	present := r.presentIn(s)
	if len(present) == 0 {
		return nil
	}
	if r.clientOf(s).Command == nil {
		r.report.Skipped[s.Name] = "no h2load on PATH"
		return nil
	}
	if err := inputs.Write(r.dir, s); err != nil {
		return err
	}
	defer os.RemoveAll(r.dir)
	for round := range r.config.Rounds {
		for _, p := range rotate(present, round) {
			m, err := r.measure(ctx, s, p)
			if err != nil {
				return fmt.Errorf("round %d: %s: %w", round+1, p.Name, err)
			}
			m.Scenario, m.Peer, m.Client, m.Round = s.Name, p.Name, r.clientOf(s).Name, round+1
			r.report.Measurements = append(r.report.Measurements, m)
			fmt.Fprintf(r.config.Progress, "%s, round %d of %d: %s: %.0f requests/s\n",
				s.Name, round+1, r.config.Rounds, p.Name, m.PerSecond)
		}
	}
	return nil
}

// presentIn lists the servers that are there and take part.
func (r *run) presentIn(s inputs.Scenario) []peer {
	return slices.DeleteFunc(presentOf(r.peers, s.Protocol), func(p peer) bool { return !slices.Contains(s.Peers, p.Name) })
}

// against starts a server afresh, so that no round profits from the one before,
// checks it, and leaves nothing of it behind when the function has done with it.
func (r *run) against(ctx context.Context, s inputs.Scenario, p peer, do func(server *server, base string, found findings) error) (err error) {
	server, err := r.start(ctx, p, s)
	if err != nil {
		return err
	}
	defer func() {
		if stopErr := server.stop(); err == nil {
			err = stopErr
		}
	}()
	base := "http://" + server.addr + "/"
	if s.Protocol.Encrypted() {
		base = "https://" + server.addr + "/"
	}
	found, err := r.check(ctx, base, s, p)
	if err != nil {
		return fmt.Errorf("verifying: %w", err)
	}
	return do(server, base, found)
}

func (r *run) measure(ctx context.Context, s inputs.Scenario, p peer) (m Measurement, err error) {
	err = r.against(ctx, s, p, func(server *server, base string, found findings) error {
		m.Condition = found.condition
		request := load.Request{
			URL: base + s.Path, Files: s.Files, Header: found.field, Churn: s.Churn, Connections: r.config.Connections,
		}
		if err := r.warmUp(ctx, s, &request, base); err != nil {
			return fmt.Errorf("warming up: %w", err)
		}
		pid := server.cmd.Process.Pid
		before, cpuErr := processorTimeOfAll(pid)
		var err error
		if m.Result, err = r.generate(ctx, r.clientOf(s), request); err != nil {
			return err
		}
		// What the system does not tell is left open.
		if after, err := processorTimeOfAll(pid); err == nil && cpuErr == nil {
			m.Processor = after - before
		}
		m.Resident, _ = mostResidentOfAll(pid)
		if s.Size >= large && found.size > 0 {
			m.PerSecond = m.RateByBytes(found.size)
		}
		return m.Err(found.size)
	})
	return m, err
}

// warmUp puts the server under load for a while, and completes the request for the load
// that counts. Beside large responses nothing is to be warmed up: the check has been the
// first to ask for each kind.
func (r *run) warmUp(ctx context.Context, s inputs.Scenario, request *load.Request, base string) error {
	if s.Behind > 0 {
		request.Behind, request.LargeURL = s.Behind, base+s.LargePath
		request.Duration = r.config.Duration
		return nil
	}
	request.Duration = r.config.warmUp()
	warm, err := r.generate(ctx, r.clientOf(s), *request)
	request.Duration = r.config.Duration
	return errors.Join(err, warm.Failed())
}

// clientOf returns the load generator for a scenario, the same for all its servers.
func (r *run) clientOf(s inputs.Scenario) load.Client {
	switch {
	case s.Protocol == inputs.HTTP2:
		return r.h2
	case s.Behind > 0 || s.Churn:
		return r.own
	}
	return r.client
}

// generate runs the load generator once.
func (r *run) generate(ctx context.Context, client load.Client, request load.Request) (load.Result, error) {
	argv, err := client.Command(request)
	if err != nil {
		return load.Result{}, err
	}
	argv = append(r.pins.client(), argv...)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return load.Result{}, fmt.Errorf("%s: %w: %s%s", client.Name, err, stdout.Bytes(), stderr.Bytes())
	}
	return client.Parse(stdout.Bytes())
}
