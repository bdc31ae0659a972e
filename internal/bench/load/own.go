package load

import (
	"encoding/json"
	"fmt"
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
	to, requests, err := requestsOf(r)
	if err != nil {
		return Result{}, err
	}
	var turn atomic.Uint64
	next := func() []byte { return requests[(turn.Add(1)-1)%uint64(len(requests))] }
	conns := make([]connection, r.Connections)
	var all sync.WaitGroup
	for i := range conns {
		all.Go(func() { conns[i].open(to) })
	}
	all.Wait()
	start := time.Now()
	deadline := start.Add(r.Duration)
	for i := range conns {
		all.Go(func() { conns[i].run(to, next, deadline) })
	}
	all.Wait()
	return summarize(conns, time.Since(start)), nil
}

// requestsOf returns the requests in the form in which they are sent, one for each
// file.
func requestsOf(r Request) (to target, requests [][]byte, err error) {
	u, err := url.Parse(r.URL)
	if err != nil {
		return target{}, nil, err
	}
	for i := range max(r.Files, 1) {
		head := "GET " + numbered(u.RequestURI(), i) + " HTTP/1.1\r\nHost: " + u.Host + "\r\n"
		if r.Header != "" {
			head += r.Header + "\r\n"
		}
		if r.Churn {
			head += "Connection: close\r\n"
		}
		requests = append(requests, []byte(head+"\r\n"))
	}
	return target{host: u.Host, secure: u.Scheme == "https", churn: r.Churn}, requests, nil
}

func numbered(pattern string, i int) string {
	return strings.Replace(pattern, "*", strconv.Itoa(i), 1)
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
