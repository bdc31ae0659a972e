package testkit

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// Program is a server program that runs within the test.
type Program struct {
	URLs  []string // without a slash at the end, in the order in which the program told them
	tb    testing.TB
	stop  context.CancelFunc
	ended chan error
	once  sync.Once // for End
}

// Start runs a program that tells, in lines that end in " on " and a URL, where it
// serves, and returns when it has told as many. With the test, it is told to end, and
// must do so without an error and serve no more.
func Start(tb testing.TB, servers int, run func(context.Context, []string, io.Writer) error, args ...string) *Program {
	tb.Helper()
	ctx, stop := context.WithCancel(context.Background())
	p := &Program{tb: tb, stop: stop, ended: make(chan error, 1)}
	output, w := io.Pipe()
	go func() {
		err := run(ctx, args, w)
		w.Close()
		p.ended <- err
	}()
	tb.Cleanup(p.End)
	defer func() { go io.Copy(io.Discard, output) }() // nothing that it says later may hold it up
	for lines := bufio.NewScanner(output); len(p.URLs) < servers; {
		if !lines.Scan() {
			tb.Fatalf("the program told of %d servers, want %d", len(p.URLs), servers)
		}
		if at := strings.LastIndex(lines.Text(), " on http"); at >= 0 {
			p.URLs = append(p.URLs, strings.TrimSuffix(lines.Text()[at+len(" on "):], "/"))
		}
	}
	return p
}

// End ends the program before the test ends, and fails if it does not end well.
func (p *Program) End() { p.once.Do(p.end) }

func (p *Program) end() {
	p.tb.Helper()
	p.stop()
	select {
	case err := <-p.ended:
		if err != nil {
			p.tb.Errorf("the program ended with %v", err)
		}
	case <-time.After(Patience):
		p.tb.Fatal("the program does not end")
	}
	for _, address := range p.URLs {
		u, err := url.Parse(address)
		if err != nil {
			p.tb.Fatal(err)
		}
		if conn, err := net.Dial("tcp", u.Host); err == nil {
			conn.Close()
			p.tb.Errorf("%s is still listened on", address)
		}
	}
}
