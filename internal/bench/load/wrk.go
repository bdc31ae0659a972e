package load

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The lines of wrk's output that matter. Its --latency must be on. Units are padded
// with blanks to the width of "ms".
var (
	wrkTotal   = regexp.MustCompile(`(?m)^\s*(\d+) requests in ([\d.]+(?:us|ms|s|m|h)), ([\d.]+)([KMGTP]?)B read$`)
	wrkRate    = regexp.MustCompile(`(?m)^Requests/sec:\s+([\d.]+)$`)
	wrkP50     = regexp.MustCompile(`(?m)^\s+50%\s+([\d.]+(?:us|ms|s|m|h))\s*$`)
	wrkP99     = regexp.MustCompile(`(?m)^\s+99%\s+([\d.]+(?:us|ms|s|m|h))\s*$`)
	wrkSockets = regexp.MustCompile(`(?m)^\s*Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)$`)
	wrkStatus  = regexp.MustCompile(`(?m)^\s*Non-2xx or 3xx responses: (\d+)$`)
)

// ParseWrk reads what wrk prints. Lines of errors appear only where there were
// some; all other lines have to be there.
func ParseWrk(stdout []byte) (Result, error) {
	total := wrkTotal.FindSubmatch(stdout)
	rate := wrkRate.FindSubmatch(stdout)
	p50, p99 := wrkP50.FindSubmatch(stdout), wrkP99.FindSubmatch(stdout)
	if total == nil || rate == nil || p50 == nil || p99 == nil {
		return Result{}, fmt.Errorf("not the output of wrk --latency:\n%s", stdout)
	}
	var r Result
	var errs [6]error
	r.Requests, errs[0] = strconv.Atoi(string(total[1]))
	r.Elapsed, errs[1] = time.ParseDuration(string(total[2]))
	r.Bytes, errs[2] = wrkBytes(string(total[3]), string(total[4]))
	r.PerSecond, errs[3] = strconv.ParseFloat(string(rate[1]), 64)
	r.P50, errs[4] = time.ParseDuration(string(p50[1]))
	r.P99, errs[5] = time.ParseDuration(string(p99[1]))
	countWrkErrors(&r, stdout)
	return r, errors.Join(errs[:]...)
}

// wrkBytes undoes wrk's units, which are powers of 1024.
func wrkBytes(number, unit string) (int64, error) {
	n, err := strconv.ParseFloat(number, 64)
	exponent := 0
	if unit != "" {
		exponent = 1 + strings.Index("KMGTP", unit)
	}
	for range exponent {
		n *= 1024
	}
	return int64(n), err
}

func countWrkErrors(r *Result, stdout []byte) {
	var lines []string
	for _, re := range []*regexp.Regexp{wrkSockets, wrkStatus} {
		match := re.FindSubmatch(stdout)
		if match == nil {
			continue
		}
		lines = append(lines, string(bytes.TrimSpace(match[0])))
		for _, count := range match[1:] {
			n, err := strconv.Atoi(string(count))
			if err != nil {
				n = 1 // too large for an int is still an error
			}
			r.Errors += n
		}
	}
	r.Failure = strings.Join(lines, "; ")
}
