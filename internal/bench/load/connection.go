package load

import (
	"crypto/tls"
	"net"
	"time"
)

// A target is where a client connects to.
type target struct {
	host   string
	secure bool // over TLS
	churn  bool // the server closes the connection after each response
}

// dial offers no protocol, so that over TLS a server speaks HTTP/1.1. It looks at no
// certificate, no more than wrk and h2load do: who starts the server knows it.
func (t target) dial() (net.Conn, error) {
	if t.secure {
		return tls.Dial("tcp", t.host, &tls.Config{InsecureSkipVerify: true})
	}
	return net.Dial("tcp", t.host)
}

// A connection is one client's tally, written by its own goroutine only. A client that
// churns has one connection after the other.
type connection struct {
	conn      net.Conn // nil while there is none
	bytes     int64
	latencies []time.Duration
	err       error // ended the run of this client early
}

// grace is how long the response under way at the end may take.
const grace = time.Minute

// open connects a client that does not churn: over TLS that takes so long that it is not
// to be measured with the rest.
func (c *connection) open(to target) {
	if !to.churn {
		c.conn, c.err = to.dial()
	}
}

// run is for a client that has been opened.
func (c *connection) run(to target, next func() []byte, deadline time.Time) {
	responses := newResponseReader(nil)
	for again := true; again && c.err == nil && time.Now().Before(deadline); again = to.churn {
		c.err = c.session(to, responses, next, deadline)
	}
	if c.conn != nil {
		c.conn.Close()
	}
}

// session asks over one connection until the deadline, or once if the client churns. Then
// connecting is part of the time that the response takes.
func (c *connection) session(to target, responses responseReader, next func() []byte, deadline time.Time) (err error) {
	start, conn := time.Now(), c.conn
	if to.churn {
		if conn, err = to.dial(); err != nil {
			return err
		}
		defer conn.Close()
	}
	if err := conn.SetDeadline(deadline.Add(grace)); err != nil {
		return err
	}
	responses.r.Reset(conn)
	if to.churn {
		if _, err := c.exchange(conn, responses, next(), start); err != nil {
			return err
		}
		return responses.end()
	}
	for err == nil && start.Before(deadline) {
		start, err = c.exchange(conn, responses, next(), start)
	}
	return err
}

// exchange sends a request and returns when its response is complete.
func (c *connection) exchange(conn net.Conn, responses responseReader, request []byte, start time.Time) (time.Time, error) {
	if _, err := conn.Write(request); err != nil {
		return start, err
	}
	n, err := responses.next()
	if err != nil {
		return start, err
	}
	end := time.Now()
	c.bytes += n
	c.latencies = append(c.latencies, end.Sub(start))
	return end, nil
}
