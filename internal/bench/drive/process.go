package drive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"servery/internal/bench/inputs"
)

// patience is how long a server may take to listen, to end, or to give its port
// back. None of them needs a tenth of it.
const patience = 10 * time.Second

// A server is a process that was started to be measured.
type server struct {
	addr    string
	scratch string
	cmd     *exec.Cmd
	output  bytes.Buffer // complete once exited has been received from
	exited  chan error   // gets what Wait returned, once
}

// start runs a peer on a port of its own and returns when it accepts connections.
func (r *run) start(ctx context.Context, p peer, s inputs.Scenario) (*server, error) {
	addr, err := freeAddr()
	if err != nil {
		return nil, err
	}
	scratch, err := os.MkdirTemp(r.scratch, p.Name+"-")
	if err != nil {
		return nil, err
	}
	to := site{
		dir: r.dir, addr: addr, over: s.Protocol, scratch: scratch,
		procs: r.config.Procs, level: s.Level, streams: r.config.Streams,
	}
	if s.Protocol.Encrypted() {
		to.shows = r.shown
	}
	argv, err := p.command(to)
	if err != nil {
		return nil, err
	}
	argv = append(r.pins.server(), argv...)
	return launch(ctx, argv, addr, scratch, r.config.Procs)
}

func launch(ctx context.Context, argv []string, addr, scratch string, procs int) (*server, error) {
	s := &server{addr: addr, scratch: scratch, exited: make(chan error, 1)}
	s.cmd = exec.Command(argv[0], argv[1:]...)
	// Caddy keeps state in the home directory of whoever starts it.
	s.cmd.Env = append(os.Environ(), "GOMAXPROCS="+strconv.Itoa(procs),
		"HOME="+scratch, "XDG_CONFIG_HOME="+scratch, "XDG_DATA_HOME="+scratch)
	s.cmd.Stdout, s.cmd.Stderr = &s.output, &s.output
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { s.exited <- s.cmd.Wait() }()
	if err := s.awaitListening(ctx); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

func (s *server) awaitListening(ctx context.Context) error {
	return s.poll(func() (bool, error) {
		select {
		case err := <-s.exited:
			s.exited <- err
			return false, errors.New("it ended instead of listening")
		case <-ctx.Done():
			return false, ctx.Err()
		default:
			return s.accepts(), nil
		}
	}, "it does not listen")
}

// stop ends the process by its own id and returns when its port is closed. A
// process that had already ended by itself is an error.
func (s *server) stop() error {
	defer os.RemoveAll(s.scratch)
	select {
	case err := <-s.exited:
		return fmt.Errorf("the server ended by itself (%v)\n%s", err, s.output.Bytes())
	default:
	}
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("ending the server: %w", err)
	}
	select {
	case <-s.exited: // by a signal or with a status of its own: both are as told
	case <-time.After(patience):
		return errors.Join(errors.New("the server does not end when told to"), s.cmd.Process.Kill())
	}
	return s.poll(func() (bool, error) { return !s.accepts(), nil }, "its port stays open")
}

func (s *server) accepts() bool {
	conn, err := net.Dial("tcp", s.addr)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// poll asks until the answer is yes. There is no event to wait for: the servers
// do not tell when they listen.
func (s *server) poll(done func() (bool, error), complaint string) error {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		if yes, err := done(); yes || err != nil {
			return err
		}
	}
	return errors.New(complaint)
}

// freeAddr returns an address on loopback that nobody listens on. Every start
// gets a new one, so that no connection of the server before is in its way.
func freeAddr() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}
