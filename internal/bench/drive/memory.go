package drive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"servery/internal/bench/inputs"
	"servery/internal/bench/load"
)

// Memory lets the connections of the config ask each server for a large file at once,
// half of which stop reading, and writes how much memory the servers took. Scenarios
// have to have large files; the duration is how long all of it may take.
func Memory(ctx context.Context, config Config, out io.Writer) error {
	return within(ctx, config, func(r *run) error {
		r.report.writeMachine(out)
		for _, s := range r.scenarios {
			if s.Behind == 0 {
				return fmt.Errorf("scenario %s has no large files", s.Name)
			}
			if err := r.memory(ctx, s, out); err != nil {
				return fmt.Errorf("scenario %s: %w", s.Name, err)
			}
		}
		return nil
	})
}

func (r *run) memory(ctx context.Context, s inputs.Scenario, out io.Writer) error {
	if err := inputs.Write(r.dir, s); err != nil {
		return err
	}
	defer os.RemoveAll(r.dir)
	clients := r.config.Connections
	fmt.Fprintf(out, "\n%s: %d clients ask for a /%s each at once, %d bytes in %s at level %d, and half of them stop reading\n",
		s.Name, clients, s.LargePath, s.LargeSize, s.Coding, s.Level)
	const columns = "%-16s %8s %10s %12s %10s %14s  %s\n"
	fmt.Fprintf(out, columns, "peer", "coded", "seconds", "MiB before", "MiB most", "KiB a client", "version")
	for _, p := range r.presentIn(s) {
		m, err := r.hold(ctx, s, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		fmt.Fprintf(out, columns, p.Name, strconv.Itoa(m.Coded), fmt.Sprintf("%.1f", m.Elapsed.Seconds()),
			mebibytesText(m.before), mebibytesText(m.most), strconv.FormatInt((m.most-m.before)/int64(clients)>>10, 10), p.Version)
	}
	return nil
}

// A footprint is the memory of a server, in bytes, with what it was taken for.
type footprint struct {
	load.Held
	before, most int64
}

// hold looks at the memory after the check, which has been the first to ask for each
// kind, and while the slow clients still wait.
func (r *run) hold(ctx context.Context, s inputs.Scenario, p peer) (f footprint, err error) {
	err = r.against(ctx, s, p, func(server *server, base string, found findings) (err error) {
		pid := server.cmd.Process.Pid
		if f.before, err = mostResident(pid); err != nil {
			return err
		}
		f.Held, err = load.Hold(load.Request{
			URL: base + s.LargePath, Files: s.Behind, Header: found.field,
			Connections: r.config.Connections, Duration: r.config.Duration,
		})
		if err != nil {
			return err
		}
		f.most, err = mostResident(pid)
		return err
	})
	return f, err
}

// mostResident returns how many bytes of memory a process had at the most. Only Linux
// says so while the process runs.
func mostResident(pid int) (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	return parseMostResident(string(status))
}

func parseMostResident(status string) (int64, error) {
	for line := range strings.Lines(status) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kibibytes, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
			return kibibytes << 10, err
		}
	}
	return 0, errors.New("the status of the process says nothing of its memory")
}

func mebibytesText(bytes int64) string { return fmt.Sprintf("%.1f", float64(bytes)/(1<<20)) }
