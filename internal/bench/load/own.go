package load

import (
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// ParseOwn reads what cmd/load prints.
func ParseOwn(stdout []byte) (Result, error) {
	var r Result
	if err := json.Unmarshal(stdout, &r); err != nil {
		return Result{}, fmt.Errorf("not the output of cmd/load: %w:\n%s", err, stdout)
	}
	return r, nil
}

// Run puts the load on the server from within this process. Each connection
// sends its next request when the response to the last one is complete.
func Run(r Request) (Result, error) {
	if r.Behind > 0 {
		return runBehind(r)
	}
	host, requests, err := requestsOf(r)
	if err != nil {
		return Result{}, err
	}
	var turn atomic.Uint64
	next := func() []byte { return requests[(turn.Add(1)-1)%uint64(len(requests))] }
	conns := make([]connection, r.Connections)
	start := time.Now()
	deadline := start.Add(r.Duration)
	var all sync.WaitGroup
	for i := range conns {
		all.Go(func() { conns[i].run(host, next, deadline) })
	}
	all.Wait()
	return summarize(conns, time.Since(start)), nil
}

// requestsOf returns the requests in the form in which they are sent, one for each
// file.
func requestsOf(r Request) (host string, requests [][]byte, err error) {
	u, err := url.Parse(r.URL)
	if err != nil {
		return "", nil, err
	}
	for i := range max(r.Files, 1) {
		head := "GET " + numbered(u.RequestURI(), i) + " HTTP/1.1\r\nHost: " + u.Host + "\r\n"
		if r.Header != "" {
			head += r.Header + "\r\n"
		}
		requests = append(requests, []byte(head+"\r\n"))
	}
	return u.Host, requests, nil
}

func numbered(pattern string, i int) string {
	return strings.Replace(pattern, "*", strconv.Itoa(i), 1)
}

// A connection is one client's tally, written by its own goroutine only.
type connection struct {
	bytes     int64
	latencies []time.Duration
	err       error // ended the run of this connection early
}

// grace is how long the response under way at the end may take.
const grace = time.Minute

func (c *connection) run(host string, next func() []byte, deadline time.Time) {
	conn, err := net.Dial("tcp", host)
	if err != nil {
		c.err = err
		return
	}
	defer conn.Close()
	if c.err = conn.SetDeadline(deadline.Add(grace)); c.err != nil {
		return
	}
	responses := newResponseReader(conn)
	for start := time.Now(); start.Before(deadline); {
		if _, c.err = conn.Write(next()); c.err != nil {
			return
		}
		n, err := responses.next()
		if err != nil {
			c.err = err
			return
		}
		end := time.Now()
		c.bytes += n
		c.latencies = append(c.latencies, end.Sub(start))
		start = end
	}
}

// summarize counts the last responses, which end after the deadline, and the
// time that they took, so the rate is right however long one takes.
func summarize(conns []connection, elapsed time.Duration) Result {
	r := Result{Elapsed: elapsed}
	var latencies []time.Duration
	for _, c := range conns {
		r.Bytes += c.bytes
		latencies = append(latencies, c.latencies...)
		if c.err != nil {
			r.Errors++
			r.Failure = c.err.Error()
		}
	}
	slices.Sort(latencies)
	r.Requests = len(latencies)
	r.PerSecond = float64(r.Requests) / elapsed.Seconds()
	r.P50, r.P99 = percentile(latencies, 50), percentile(latencies, 99)
	return r
}

// percentile returns the smallest value that p percent of the sorted values do
// not exceed, 0 of none.
func percentile(sorted []time.Duration, p int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	rank := (len(sorted)*p + 99) / 100
	return sorted[max(rank, 1)-1]
}
