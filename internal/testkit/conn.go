package testkit

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Conn is one connection to a Server. It sends bytes as they are and reads
// answers by the framing of RFC 9112 alone.
type Conn struct {
	net.Conn
	server *Server
	tb     testing.TB
	reader *bufio.Reader
	sent   []sent // what is not answered yet
}

// sent is a request.
type sent struct {
	method, target string
	fields         []string
}

// Response is an answer as it came over the wire.
type Response struct {
	Status int
	Head   string      // the status line and the fields, with their line ends
	Header http.Header // the fields
	Body   []byte      // without its framing
	Err    error       // how the body broke off, if it did
}

// Dial opens a connection, which is closed when the test ends.
func (s *Server) Dial() *Conn {
	s.tb.Helper()
	c, err := net.DialTimeout("tcp", s.Addr, Patience)
	if err != nil {
		s.tb.Fatal(err)
	}
	s.tb.Cleanup(func() { c.Close() })
	return &Conn{Conn: c, server: s, tb: s.tb, reader: bufio.NewReader(c)}
}

// Get sends one request on a connection of its own and returns the answer, whose
// framing it has verified by asking a second time on the same connection. fields
// are lines such as "Range: bytes=0-1".
func (s *Server) Get(target string, fields ...string) Response {
	s.tb.Helper()
	return s.Do("GET", target, fields...)
}

// Do is Get for any method.
func (s *Server) Do(method, target string, fields ...string) Response {
	s.tb.Helper()
	c := s.Dial()
	defer c.Close()
	response := c.Do(method, target, fields...)
	if response.Err != nil || response.Header.Get("Connection") == "close" {
		return response
	}
	if second := c.Do("OPTIONS", "/"); second.Status != http.StatusNoContent {
		s.tb.Errorf("%s %s %q: the next answer on the connection is broken:\n%s", method, target, fields, second.Head)
	}
	return response
}

// Do sends one request and reads its answer.
func (c *Conn) Do(method, target string, fields ...string) Response {
	c.tb.Helper()
	c.Send(method, target, fields...)
	return c.read(method, Lint)
}

// Send sends a request without a body.
func (c *Conn) Send(method, target string, fields ...string) {
	c.tb.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: test\r\n", method, target)
	for _, field := range fields {
		b.WriteString(field + "\r\n")
	}
	b.WriteString("\r\n")
	c.sent = append(c.sent, sent{method, target, fields})
	c.SetDeadline(time.Now().Add(Patience))
	if _, err := io.WriteString(c, b.String()); err != nil {
		c.tb.Fatalf("%s %s: %v", method, target, err)
	}
}

// Read reads the answer to a request with this method, and fails the test if the
// server's rules find a fault with it.
func (c *Conn) Read(method string) Response {
	c.tb.Helper()
	return c.read(method, LintFraming)
}

func (c *Conn) read(method string, rules Rules) Response {
	c.tb.Helper()
	response, err := readHead(c.reader)
	if err != nil {
		c.tb.Fatalf("%s: no answer: %v", method, err)
	}
	if method != "HEAD" && response.Status >= 200 && response.Status != http.StatusNoContent && response.Status != http.StatusNotModified {
		response.Body, response.Err = readBody(c.reader, response.Header)
	}
	if len(c.sent) > 0 { // or else the test wrote the request by itself
		c.server.lint(c.sent[0], response, rules)
		if response.Status >= 200 {
			c.sent = c.sent[1:]
		}
	}
	return response
}

func readHead(r *bufio.Reader) (Response, error) {
	var head bytes.Buffer
	lines := textproto.NewReader(bufio.NewReader(io.TeeReader(oneByte{r}, &head)))
	status, err := lines.ReadLine()
	if err != nil {
		return Response{}, err
	}
	_, rest, _ := strings.Cut(status, " ")
	code, err := strconv.Atoi(rest[:min(3, len(rest))])
	if err != nil {
		return Response{}, fmt.Errorf("status line %q", status)
	}
	header, err := lines.ReadMIMEHeader()
	return Response{Status: code, Head: head.String(), Header: http.Header(header)}, err
}

func readBody(r *bufio.Reader, header http.Header) ([]byte, error) {
	if strings.EqualFold(header.Get("Transfer-Encoding"), "chunked") {
		return readChunks(r)
	}
	length, err := strconv.ParseInt(header.Get("Content-Length"), 10, 64)
	if err != nil {
		return io.ReadAll(r) // until the connection closes
	}
	var body bytes.Buffer
	_, err = io.CopyN(&body, r, length)
	return body.Bytes(), err
}

func readChunks(r *bufio.Reader) ([]byte, error) {
	var body bytes.Buffer
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return body.Bytes(), err
		}
		size, err := strconv.ParseInt(strings.TrimSpace(line), 16, 64)
		if err != nil {
			return body.Bytes(), err
		}
		if _, err := io.CopyN(&body, r, size); err != nil {
			return body.Bytes(), err
		}
		if _, err := r.Discard(len("\r\n")); err != nil || size == 0 {
			return body.Bytes(), err
		}
	}
}

// oneByte keeps a buffering reader from taking more than the head.
type oneByte struct{ r io.Reader }

func (o oneByte) Read(p []byte) (int, error) { return o.r.Read(p[:min(1, len(p))]) }
