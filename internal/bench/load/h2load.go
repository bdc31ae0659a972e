package load

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// streams is how many requests are under way at once on each connection of HTTP/2. As
// many requests are under way altogether as with one to a connection.
const streams = 8

// H2Load is nghttp2's h2load, the program at the given path, which speaks HTTP/2. It
// writes how long each request took to a file in the directory scratch, which is read
// by Parse: what it prints has no percentiles.
func H2Load(path, scratch string) Client {
	log := filepath.Join(scratch, "h2load.log")
	command := func(r Request) ([]string, error) {
		if r.Files > 0 || r.Churn || r.Behind > 0 {
			return nil, errors.New("h2load is used for one URL on connections that stay open")
		}
		args := []string{
			path, "--threads=1", "--clients=" + strconv.Itoa(max(r.Connections/streams, 1)),
			"--max-concurrent-streams=" + strconv.Itoa(streams),
			"--duration=" + strconv.FormatInt(r.Duration.Milliseconds(), 10) + "ms", "--log-file=" + log,
		}
		if r.Header != "" {
			args = append(args, "--header="+r.Header)
		}
		// It would append to a file that is there.
		return append(args, r.URL), os.RemoveAll(log)
	}
	return Client{Name: "h2load", Command: command, Parse: func(stdout []byte) (Result, error) {
		times, err := os.ReadFile(log)
		if err != nil {
			return Result{}, err
		}
		return ParseH2Load(stdout, times)
	}}
}

// The lines of h2load's output that matter.
var (
	h2Rate     = regexp.MustCompile(`(?m)^finished in ([\d.]+(?:us|ms|s)), ([\d.]+) req/s, .*$`)
	h2Requests = regexp.MustCompile(`(?m)^requests: .* (\d+) done, \d+ succeeded, (\d+) failed, \d+ errored, \d+ timeout$`)
	h2Statuses = regexp.MustCompile(`(?m)^status codes: \d+ 2xx, \d+ 3xx, \d+ 4xx, \d+ 5xx$`)
	h2Traffic  = regexp.MustCompile(`(?m)^traffic: \S+ \((\d+)\) total, .*$`)
	h2Protocol = regexp.MustCompile(`(?m)^Application protocol: h2$`)
)

// ParseH2Load reads what h2load prints, and its log of requests.
func ParseH2Load(stdout, log []byte) (Result, error) {
	rate, requests := h2Rate.FindSubmatch(stdout), h2Requests.FindSubmatch(stdout)
	statuses, traffic := h2Statuses.FindSubmatch(stdout), h2Traffic.FindSubmatch(stdout)
	if rate == nil || requests == nil || statuses == nil || traffic == nil {
		return Result{}, fmt.Errorf("not the output of h2load:\n%s", stdout)
	}
	latencies, err := h2Latencies(log)
	if err != nil {
		return Result{}, err
	}
	r := Result{P50: percentile(latencies, 50), P99: percentile(latencies, 99)}
	var errs [5]error
	r.Elapsed, errs[0] = time.ParseDuration(string(rate[1]))
	r.PerSecond, errs[1] = strconv.ParseFloat(string(rate[2]), 64)
	r.Requests, errs[2] = strconv.Atoi(string(requests[1]))
	r.Bytes, errs[3] = strconv.ParseInt(string(traffic[1]), 10, 64)
	r.Errors, errs[4] = strconv.Atoi(string(requests[2])) // those that it calls errored are among them
	switch {
	case r.Errors > 0:
		r.Failure = string(requests[0]) + "; " + string(statuses[0])
	case r.Requests > 0 && !h2Protocol.Match(stdout):
		r.Errors, r.Failure = r.Requests, "the server does not speak HTTP/2"
	}
	return r, errors.Join(errs[:]...)
}

// h2Latencies returns the times of the log, sorted. The columns are when a request
// began, its status, and the microseconds that it took.
func h2Latencies(log []byte) ([]time.Duration, error) {
	var latencies []time.Duration
	for line := range bytes.Lines(log) {
		columns := bytes.Fields(line)
		if len(columns) < 3 {
			return nil, fmt.Errorf("%q is no line of the log of h2load", line)
		}
		microseconds, err := strconv.ParseInt(string(columns[2]), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("the log of h2load: %w", err)
		}
		latencies = append(latencies, time.Duration(microseconds)*time.Microsecond)
	}
	slices.Sort(latencies)
	return latencies, nil
}
