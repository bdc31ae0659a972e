// Package load puts one URL under load and says what came of it, with wrk, with
// h2load or with a client of its own.
package load

import (
	"errors"
	"fmt"
	"time"
)

// A Request says what is asked for, by how many and for how long.
type Request struct {
	URL         string // by its scheme over TLS or not; a "*" in it stands for the numbers from 0 to Files-1, in turn
	Files       int    // 0 if the URL has no number
	Header      string // one field as "Name: value", or nothing
	Connections int
	Duration    time.Duration

	// Churn gives each request a connection of its own. Only [Own] can.
	Churn bool

	// Behind is how many clients pull LargeURL, each with its own number for the
	// "*", while the URL is asked for on a single connection. Only [Own] can.
	Behind   int
	LargeURL string
}

// A Result is one measurement.
type Result struct {
	Requests  int           `json:"requests"`
	Bytes     int64         `json:"bytes"` // heads included; wrk rounds them to three or four digits
	Elapsed   time.Duration `json:"elapsed_ns"`
	PerSecond float64       `json:"requests_per_second"`
	P50       time.Duration `json:"p50_ns"`
	P99       time.Duration `json:"p99_ns"`
	Errors    int           `json:"errors"`            // of sockets, statuses and framing
	Failure   string        `json:"failure,omitempty"` // one of the errors in words
	Large     Large         `json:"large,omitzero"`    // what came of the load beside
}

// Failed reports the errors, if there were any. It is all that can be asked of a
// time too short for one large response on each connection.
func (r Result) Failed() error {
	if r.Errors > 0 {
		return fmt.Errorf("%d errors among %d requests: %s", r.Errors, r.Requests, r.Failure)
	}
	return nil
}

// Err reports why the measurement counts for nothing, or nil if it is sound.
// size is that of the body which every response had to have, 0 for none.
//
// The bytes are checked because statuses are not enough: 200 where 304 was meant,
// or a body cut short, would be fast for the wrong reason.
func (r Result) Err(size int) error {
	if err := r.Failed(); err != nil {
		return err
	}
	if r.Requests == 0 {
		return errors.New("not one request was answered")
	}
	const (
		rounding = 0.99 // of the total in wrk's output
		head     = 1000 // more than any compared server sends before a body
	)
	each := float64(r.Bytes) / float64(r.Requests)
	if each < float64(size)*rounding {
		return fmt.Errorf("%.0f bytes a response are fewer than the body of %d", each, size)
	}
	if size == 0 && each > head {
		return fmt.Errorf("%.0f bytes a response are more than a head", each)
	}
	return nil
}

// RateByBytes returns the rate at which bodies of the given size came, parts of
// bodies included. Where bodies are large it is the truer rate: wrk counts none of
// the responses that are under way when the time is up, one on each connection.
func (r Result) RateByBytes(size int) float64 {
	return float64(r.Bytes) / float64(size) / r.Elapsed.Seconds()
}
