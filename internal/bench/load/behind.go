package load

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// Large is what came of the load of large responses beside a tiny one.
type Large struct {
	Bytes     int64   `json:"bytes"`            // as sent, heads included
	PerSecond float64 `json:"bytes_per_second"` // until the last byte came
	Complete  int     `json:"complete"`         // responses
	Refused   int     `json:"refused"`          // 503, which is an answer of a server that has enough to do
}

const (
	// lead is how long the large ones run alone, so that each has been asked for.
	lead = 200 * time.Millisecond

	// again is how long a client that was refused waits, which is what servery's
	// Retry-After says: to ask at once would be a load of its own.
	again = time.Second
)

// runBehind measures the tiny response from the moment when the large ones are
// under way until the time is up, and the large ones all the time.
func runBehind(r Request) (Result, error) {
	to, tiny, err := requestsOf(r)
	if err != nil {
		return Result{}, err
	}
	_, large, err := requestsOf(Request{URL: r.LargeURL, Header: r.Header, Files: r.Behind})
	if err != nil {
		return Result{}, err
	}
	pulls, err := dialAll(to, r.Behind)
	if err != nil {
		return Result{}, err
	}
	start := time.Now()
	var all sync.WaitGroup
	for i, p := range pulls {
		all.Go(func() { p.run(large[i]) })
	}
	time.Sleep(lead)
	conns := make([]connection, 1)
	conns[0].open(to)
	begin := time.Now()
	conns[0].run(to, func() []byte { return tiny[0] }, begin.Add(r.Duration))
	elapsed := time.Since(begin)
	for _, p := range pulls {
		p.stop()
	}
	all.Wait()
	result := summarize(conns, elapsed)
	result.addLarge(pulls, start)
	return result, nil
}

// addLarge counts a load without a byte as an error: the tiny response then waited
// for nothing that was measured.
//
// The rate is taken over the time until the last byte came. Servers that send a body
// when it is complete have nothing to show for what is under way at the end; over
// the whole time, that would count against them by up to a body.
func (r *Result) addLarge(pulls []*puller, start time.Time) {
	last := start
	for _, p := range pulls {
		r.Large.Bytes += p.bytes
		r.Large.Complete += p.complete
		r.Large.Refused += p.refused
		if p.last.After(last) {
			last = p.last
		}
		if p.err != nil {
			r.Errors++
			r.Failure = p.err.Error()
		}
	}
	switch {
	case r.Large.Bytes > 0:
		r.Large.PerSecond = float64(r.Large.Bytes) / last.Sub(start).Seconds()
	case r.Errors == 0:
		r.Errors, r.Failure = 1, "nothing came of the large responses: the time is too short for one"
	}
}

// A puller is one client of large responses. All but conn belongs to the goroutine
// that runs it, until that has ended.
type puller struct {
	conn     net.Conn
	bytes    int64     // of responses that were not refused
	last     time.Time // when the last of them came
	complete int
	refused  int
	err      error
}

func dialAll(to target, clients int) ([]*puller, error) {
	var all []*puller
	for range clients {
		conn, err := to.dial()
		if err != nil {
			return nil, err // the process ends, and what was dialled with it
		}
		all = append(all, &puller{conn: conn})
	}
	return all, nil
}

func (p *puller) run(request []byte) {
	defer p.conn.Close()
	for responses := newResponseReader(p); p.err == nil; {
		p.err = p.pull(responses, request)
	}
	if errors.Is(p.err, os.ErrDeadlineExceeded) {
		p.err = nil // it was stopped
	}
}

// stop ends the run. On a connection that has ended by itself it has no effect.
func (p *puller) stop() { _ = p.conn.SetDeadline(time.Now()) }

func (p *puller) pull(responses responseReader, request []byte) error {
	if _, err := p.conn.Write(request); err != nil {
		return err
	}
	bytes, last := p.bytes, p.last
	status, _, err := responses.response()
	switch {
	case err != nil:
		return err
	case status == http.StatusServiceUnavailable:
		p.refused++
		p.bytes, p.last = bytes, last
		time.Sleep(again)
	case status != http.StatusOK:
		return fmt.Errorf("status %d of a large response", status)
	default:
		p.complete++
	}
	return nil
}

// Read counts what arrives on its way to the reader of responses.
func (p *puller) Read(b []byte) (int, error) {
	n, err := p.conn.Read(b)
	if n > 0 {
		p.bytes += int64(n)
		p.last = time.Now()
	}
	return n, err
}
