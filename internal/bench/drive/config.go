// Package drive starts servers one after the other, checks what they send, puts
// the same load on each and sets the figures side by side.
package drive

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"

	"servery/internal/bench/load"
)

// A Config says what to compare and for how long.
type Config struct {
	Rounds      int           // every server is started and measured once in each
	Duration    time.Duration // of one measurement
	Connections int           // of the load generator at once; an eighth of them where each carries eight requests at once
	Scenarios   string        // as inputs.Select reads it
	Peers       string        // comma-separated names, all if empty
	Procs       int           // GOMAXPROCS, worker processes and cores of a server
	Streams     int           // that servery's middleware may encode at once; 0 is its default
	Client      string        // "wrk", "own", or "auto": wrk where it can be used; for HTTP/2 it is h2load

	Progress io.Writer // a line for each measurement
}

func (c Config) validate() error {
	if c.Rounds < 1 || c.Duration <= 0 || c.Connections < 1 || c.Procs < 1 {
		return errors.New("rounds, duration, connections and procs must be positive")
	}
	return nil
}

// client chooses the load generator. One table never mixes two: their own costs
// differ, and they share the machine with the server.
func (c Config) client(ownPath, scratch string) (load.Client, error) {
	wrk, err := exec.LookPath("wrk")
	whole := c.Duration%time.Second == 0
	switch {
	case c.Client == "own":
		return load.Own(ownPath), nil
	case c.Client == "auto" && (err != nil || !whole):
		return load.Own(ownPath), nil
	case c.Client != "auto" && c.Client != "wrk":
		return load.Client{}, fmt.Errorf("no load generator is called %q", c.Client)
	case err != nil:
		return load.Client{}, err
	case !whole:
		return load.Client{}, errors.New("wrk measures whole seconds only")
	}
	return load.Wrk(wrk, scratch), nil
}

// warmUp is long enough for connections, caches and buffers to be there.
func (c Config) warmUp() time.Duration {
	return min(c.Duration, time.Second)
}
