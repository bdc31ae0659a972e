package soak

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// json asks a handler within Compress. It always gets the bytes; which coding they are in
// depends on the load.
func (c *client) json(ctx context.Context, size int64) error {
	name := fmt.Sprint("n", c.rand.IntN(100))
	response, err := c.do(ctx, http.MethodGet, fmt.Sprintf("/json/%s/%d", name, size), "Accept-Encoding: "+c.coding())
	if err != nil {
		return err
	}
	return c.document(response, c.files.text.document(name, 0, size))
}

func (c *client) coding() string { return []string{"gzip", "zstd"}[c.rand.IntN(2)] }

func (c *client) events(ctx context.Context) error { return c.pieces(ctx, "/events", "data: %d\n\n") }
func (c *client) lines(ctx context.Context) error  { return c.pieces(ctx, "/lines", "{\"line\":%d}\n") }

// pieces reads what is flushed piece by piece, in order.
func (c *client) pieces(ctx context.Context, target, format string) error {
	response, err := c.do(ctx, http.MethodGet, target, "Accept-Encoding: "+c.coding())
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := c.plain(response.Header.Get("Content-Encoding"), response.Body)
	if err != nil {
		return err
	}
	for i := range pieceCount {
		want := fmt.Sprintf(format, i)
		got := make([]byte, len(want))
		if _, err := io.ReadFull(body, got); err != nil || string(got) != want {
			return fmt.Errorf("piece %d is %q (%v), want %q", i, got, err, want)
		}
	}
	if n, err := io.Copy(io.Discard, body); n > 0 || err != nil {
		return fmt.Errorf("%d bytes after the last piece (%v)", n, err)
	}
	return nil
}

// raw opens a connection of its own and asks for one thing over it. The system reads
// ahead on it as little as it can be told to.
func (c *client) raw(ctx context.Context, target, accept string) (net.Conn, *http.Response, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", c.addr)
	if err != nil {
		return nil, nil, err
	}
	err = firstOf(conn.(*net.TCPConn).SetReadBuffer(4<<10), conn.SetDeadline(time.Now().Add(patience)))
	if err == nil {
		_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nAccept-Encoding: %s\r\n\r\n", target, c.addr, accept)
	}
	if err != nil {
		conn.Close()
		return nil, nil, err
	}
	response, err := http.ReadResponse(bufio.NewReaderSize(conn, 512), nil)
	if err != nil {
		conn.Close()
		return nil, nil, err
	}
	return conn, response, nil
}

// longTarget is one whose answer is under way for a while.
func (c *client) longTarget() string {
	return []string{
		"/files/" + c.files.largest.name, "/files/" + c.pick(c.files.large).name, "/json/aborted/900000", "/lines", "/events",
	}[c.rand.IntN(5)]
}

// abort leaves in the middle of a body, or before it.
func (c *client) abort(ctx context.Context) error {
	conn, response, err := c.raw(ctx, c.longTarget(), c.coding())
	if err != nil {
		return err
	}
	defer conn.Close()
	if response.StatusCode == http.StatusServiceUnavailable {
		return errRefused
	}
	_, err = io.CopyN(io.Discard, response.Body, c.rand.Int64N(2000))
	if err == io.EOF {
		err = nil
	}
	return err
}

// slow reads some bytes at a time for some seconds, verifies them, and leaves.
func (c *client) slow(ctx context.Context, last time.Duration) error {
	const size = 1 << 19
	target, d := "/files/"+c.files.largest.name, []document(nil)
	from := c.files.largest.current.Load()
	if c.rand.IntN(2) == 0 {
		target, d = fmt.Sprintf("/json/slow/%d", size), []document{c.files.text.document("slow", 0, size)}
	}
	conn, response, err := c.raw(ctx, target, c.coding())
	if err != nil {
		return err
	}
	defer conn.Close()
	if d == nil {
		d = c.files.largest.documents(c.files.text, from, c.files.largest.next.Load())
	}
	body, err := c.plain(response.Header.Get("Content-Encoding"), response.Body)
	if err != nil {
		return err
	}
	return sip(ctx, &matcher{documents: d}, body, last)
}

func sip(ctx context.Context, m *matcher, body io.Reader, last time.Duration) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(last); time.Now().Before(end) && ctx.Err() == nil; <-tick.C {
		if _, err := io.CopyN(m, body, 64); err != nil && err != io.EOF {
			return err
		}
	}
	return nil
}
