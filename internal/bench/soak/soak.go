// Package soak puts a server with all of servery under everything at once, for as long
// as it is told to, verifies every byte, and judges what the server takes meanwhile and
// holds afterwards.
package soak

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// Config says how a run is. All fields are needed but for Race, Timing and Slack.
type Config struct {
	Duration time.Duration
	Every    time.Duration // between two lines of output
	Race     bool          // the server is built with the race detector
	Timing   bool          // judge what depends on the machine as well
	Slack    time.Duration // by how much small answers may be later beside the load, beyond twice as late
	Clients  int           // that ask as fast as they can
	Slow     int           // that read slowly
	Sips     time.Duration // how long a slow one reads at the most
	Cold     int           // files that are asked for seldom
	Text     int           // bytes that all answers are cut from; the largest is half of it
	Probes   int           // small answers that are timed before the load
	Seed     uint64
}

// Run does all of it and returns what is wrong. out gets a line now and then.
func Run(ctx context.Context, c Config, out io.Writer) (err error) {
	scratch, err := os.MkdirTemp("", "soak-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	dir := filepath.Join(scratch, "files")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	fs, err := writeFiles(dir, c, newText(c.Text, c.Seed))
	if err != nil {
		return err
	}
	bin, err := build(ctx, scratch, c.Race)
	if err != nil {
		return err
	}
	server, err := startServer(bin, c, dir)
	if err != nil {
		return err
	}
	record, err := against(ctx, c, server, fs, out)
	return errors.Join(Judge(record, c), err, server.stop())
}

// against puts the load on a server and waits until that is at rest again.
func against(ctx context.Context, c Config, s *server, fs *files, out io.Writer) (Record, error) {
	before, err := s.stats()
	if err != nil {
		return Record{}, err
	}
	l := &load{config: c, files: fs, server: s, out: out}
	l.transport = &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: c.Clients, ResponseHeaderTimeout: patience}
	if err := l.beside(ctx, func() { l.run(ctx) }); err != nil {
		return Record{}, err
	}
	l.transport.CloseIdleConnections()
	after, err := s.atRest(before)
	r := Record{l.samples, l.small[:c.Probes], l.small[c.Probes:], l.errors, l.failures.Load()}
	slices.Sort(r.Idle)
	slices.Sort(r.Loaded)
	fmt.Fprintf(out, "small answers: before p50 %v, p99 %v of %d; beside the load p50 %v, p99 %v of %d\n",
		percentile(r.Idle, 50), percentile(r.Idle, 99), len(r.Idle), percentile(r.Loaded, 50), percentile(r.Loaded, 99), len(r.Loaded))
	fmt.Fprintf(out, "when all had left: %d MiB, %d goroutines, %d descriptors; before: %d MiB, %d, %d; %d failures\n",
		after.Resident>>20, after.Goroutines, after.Descriptors, before.Resident>>20, before.Goroutines, before.Descriptors, r.Failures)
	return r, err
}

// beside lets a process take the time of small answers, runs load when it has had enough
// of them without, and ends it when load returns.
func (l *load) beside(ctx context.Context, load func()) error {
	probe, err := startChild(l.server.cmd.Path, "-probe", "http://"+l.server.Addr+"/files/"+l.files.hot[0].name)
	if err != nil {
		return err
	}
	enough, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- readProbe(probe.stdout, func(d time.Duration) {
			l.small = append(l.small, d)
			l.smalls.Add(1)
			if len(l.small) == l.config.Probes {
				close(enough)
			}
		})
	}()
	select {
	case <-enough:
		load()
		probe.input.Close()
		return errors.Join(<-ended, probe.stop())
	case err := <-ended:
		return errors.Join(errors.New("no answers before the load"), err, probe.stop())
	case <-ctx.Done():
		probe.input.Close()
		return errors.Join(ctx.Err(), <-ended, probe.stop())
	}
}

// run lets everything loose until the time is up, and then waits for the last answers.
func (l *load) run(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, l.config.Duration)
	defer cancel()
	var all sync.WaitGroup
	start := func(number int, body func(c *client) error) {
		c, err := newClient(l.server.Addr, l.files, l.transport, l.config.Seed, uint64(number))
		if err != nil {
			l.fail(err)
			return
		}
		all.Go(func() {
			defer c.zstd.Close()
			for ctx.Err() == nil {
				l.fail(body(c))
			}
		})
	}
	for i := range l.config.Clients {
		start(i, l.one)
	}
	for i := range l.config.Slow {
		start(1_000_000+i, func(c *client) error {
			err := c.slow(ctx, l.config.Sips)
			if ctx.Err() != nil {
				return nil // it was told to leave
			}
			return kind{name: "slow"}.named(err)
		})
	}
	all.Go(func() { l.fail(l.files.replace(ctx)) })
	all.Go(func() { l.fail(l.watch(ctx)) })
	all.Wait()
}
