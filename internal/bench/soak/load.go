package soak

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A load is what all clients of one run have in common.
type load struct {
	config    Config
	files     *files
	server    *server
	transport *http.Transport
	out       io.Writer

	counts   [32]atomic.Uint64 // answers by kind
	refused  atomic.Uint64
	smalls   atomic.Uint64
	failures atomic.Uint64

	mu     sync.Mutex // guards errors
	errors []error    // the first ones

	small   []time.Duration // of the probe, written while that runs by who reads it alone
	samples []Sample        // written by watch alone
}

// one makes one request of any kind. It may take as long as the patience, however short
// the rest of the run is.
func (l *load) one(c *client) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	i := c.next()
	err := kinds[i].named(kinds[i].run(c, ctx))
	if errors.Is(err, errRefused) {
		l.refused.Add(1)
		return nil
	}
	if err == nil {
		l.counts[i].Add(1)
	}
	return err
}

func (l *load) fail(err error) {
	if err == nil {
		return
	}
	l.failures.Add(1)
	l.mu.Lock()
	defer l.mu.Unlock()
	const most = 20
	if len(l.errors) < most {
		l.errors = append(l.errors, err)
	}
}

// watch looks at the server once a second, and prints now and then.
func (l *load) watch(ctx context.Context) error {
	second := time.NewTicker(time.Second)
	defer second.Stop()
	start, printed := time.Now(), time.Now()
	last, lastPrinted := l.now(), l.now()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-second.C:
		}
		stats, err := l.server.stats()
		if err != nil {
			return err
		}
		now := l.now()
		l.samples = append(l.samples, Sample{stats, now.sum() - last.sum(), now.smalls - last.smalls})
		last = now
		if elapsed := time.Since(printed); elapsed >= l.config.Every {
			fmt.Fprintln(l.out, line(time.Since(start), elapsed, lastPrinted, now, stats))
			printed, lastPrinted = time.Now(), now
		}
	}
}

// tally is what was counted up to a moment.
type tally struct {
	counts          [len(load{}.counts)]uint64
	refused, smalls uint64
}

func (l *load) now() (t tally) {
	for i := range t.counts {
		t.counts[i] = l.counts[i].Load()
	}
	t.refused, t.smalls = l.refused.Load(), l.smalls.Load()
	return t
}

func (t tally) sum() (n uint64) {
	for _, count := range t.counts {
		n += count
	}
	return n
}

// line is the answers per second, in all and by kind, and what the server holds.
func line(at, elapsed time.Duration, before, now tally, s Stats) string {
	rate := func(n uint64) string { return fmt.Sprintf("%.0f", float64(n)/elapsed.Seconds()) }
	var b strings.Builder
	fmt.Fprintf(&b, "%7s %6s/s", at.Round(time.Second), rate(now.sum()-before.sum()))
	for i, k := range kinds {
		fmt.Fprintf(&b, " %s %s", k.name, rate(now.counts[i]-before.counts[i]))
	}
	fmt.Fprintf(&b, " refused %s | %d MiB, %d goroutines, %d descriptors, cache %d KiB, flights %d, slots %d+%d, streams %d",
		rate(now.refused-before.refused), s.Resident>>20, s.Goroutines, s.Descriptors, s.Cache.Bytes>>10,
		s.Cache.Flights, s.Limiter.Active, s.Limiter.Queued, s.Limiter.Streams)
	return b.String()
}
