package soak

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// patience is how long anything may take that should happen at once.
const patience = 30 * time.Second

// A child is a process that ends when its input does.
type child struct {
	cmd    *exec.Cmd
	input  io.Closer
	stdout io.Reader
	stderr bytes.Buffer
}

func startChild(bin string, args ...string) (*child, error) {
	ch := &child{cmd: exec.Command(bin, args...)}
	ch.cmd.Stderr = &ch.stderr
	input, err := ch.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	ch.input = input
	if ch.stdout, err = ch.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	return ch, ch.cmd.Start()
}

// stop ends the process and returns whatever it had to complain about: a panic, a data
// race, or that it could not come to rest. All of its output has to be read before.
func (ch *child) stop() error {
	ch.input.Close()
	kill := time.AfterFunc(2*patience, func() { ch.cmd.Process.Kill() })
	defer kill.Stop()
	if err := ch.cmd.Wait(); err != nil || ch.stderr.Len() > 0 {
		const most = 20_000
		return fmt.Errorf("%s ended (%v) and had said\n%.*s", filepath.Base(ch.cmd.Path), err, most, ch.stderr.Bytes())
	}
	return nil
}

// build makes the program of the children in dir and returns its path.
func build(ctx context.Context, dir string, race bool) (string, error) {
	bin := filepath.Join(dir, "soakchild")
	args := []string{"build", "-o", bin}
	if race {
		args = append(args, "-race")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "servery/internal/bench/cmd/soakchild")...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the server: %w\n%s", err, out)
	}
	return bin, nil
}

// A server is in a process of its own, so that its memory, goroutines and descriptors are
// nobody else's.
type server struct {
	*child
	Served
	asks http.Client
}

func startServer(bin string, c Config, dir string) (*server, error) {
	ch, err := startChild(bin, "-dir", dir, "-text", strconv.Itoa(c.Text), "-seed", strconv.FormatUint(c.Seed, 10))
	if err != nil {
		return nil, err
	}
	s := &server{child: ch, asks: http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}, Timeout: patience}}
	if err := json.NewDecoder(ch.stdout).Decode(&s.Served); err != nil {
		return nil, errors.Join(fmt.Errorf("the server does not say where it listens: %w", err), ch.stop())
	}
	return s, nil
}

// stats asks over a connection that stays open, so that it is among what is held from the
// beginning.
func (s *server) stats() (held Stats, err error) {
	response, err := s.asks.Get("http://" + s.Stats)
	if err != nil {
		return held, err
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&held); err != nil {
		return held, err
	}
	_, err = io.Copy(io.Discard, response.Body)
	return held, err
}

// atRest waits until the server holds no more than at the beginning: nothing announces
// that the last goroutine of a closed connection is gone.
func (s *server) atRest(before Stats) (Stats, error) {
	deadline := time.Now().Add(patience)
	for {
		now, err := s.stats()
		if err != nil {
			return now, err
		}
		err = restless(before, now)
		if err == nil || time.Now().After(deadline) {
			return now, err
		}
		<-time.After(10 * time.Millisecond)
	}
}

func (s *server) stop() error {
	s.asks.CloseIdleConnections()
	return s.child.stop()
}
