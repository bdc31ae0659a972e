package load

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// Held is what came of responses that were all under way at once.
type Held struct {
	Complete int // the others were not read to their end
	Coded    int // complete or not
	Elapsed  time.Duration
}

// Hold lets all connections ask at once, each for one response. Every other client
// reads no further than the head, so that the server has its response on its hands
// until the others have theirs. They may take as long as the duration.
func Hold(r Request) (Held, error) {
	to, requests, err := requestsOf(r)
	if err != nil {
		return Held{}, err
	}
	start := time.Now()
	holders := make([]holder, r.Connections)
	var all sync.WaitGroup
	for i := range holders {
		h := &holders[i]
		h.slow = i%2 == 0
		all.Go(func() { h.err = h.run(to, requests[i%len(requests)], start.Add(r.Duration)) })
	}
	all.Wait()
	held := Held{Elapsed: time.Since(start)}
	for _, h := range holders {
		err = h.close(err)
		held.Complete += count(!h.slow)
		held.Coded += count(h.coded)
	}
	return held, err
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// A holder is one client. It belongs to the goroutine that runs it until that has
// ended.
type holder struct {
	slow  bool
	conn  net.Conn // stays open when the run has ended
	coded bool
	err   error
}

func (h *holder) run(to target, request []byte, deadline time.Time) (err error) {
	if h.conn, err = dialHeld(to, h.slow); err != nil {
		return err
	}
	if err := h.conn.SetDeadline(deadline); err != nil {
		return err
	}
	if _, err := h.conn.Write(request); err != nil {
		return err
	}
	response, err := http.ReadResponse(bufio.NewReader(h.conn), nil)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", response.StatusCode)
	}
	h.coded = response.Header.Get("Content-Encoding") != ""
	if h.slow {
		return nil
	}
	_, err = io.Copy(io.Discard, response.Body)
	return err
}

// dialHeld gives a slow client a buffer so small that the system does not read ahead for it.
func dialHeld(to target, slow bool) (net.Conn, error) {
	conn, err := to.dial()
	if err != nil || !slow {
		return conn, err
	}
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return conn, errors.New("only a connection without TLS can be read slowly")
	}
	return conn, tcp.SetReadBuffer(4 << 10)
}

// close returns the error of the run unless there is one of another already.
func (h *holder) close(err error) error {
	if h.conn != nil {
		h.conn.Close()
	}
	if err == nil {
		err = h.err
	}
	return err
}
