package load

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// A responseReader reads the responses on one connection and keeps none of them.
// net/http's client costs more than the servers that are measured, and would be
// what is measured.
type responseReader struct {
	r *bufio.Reader
}

func newResponseReader(r io.Reader) responseReader {
	return responseReader{r: bufio.NewReaderSize(r, 64<<10)}
}

// next returns how many bytes the next response had, whose status has to be one
// that wrk accepts: 2xx or 3xx.
func (rr responseReader) next() (int64, error) {
	status, n, err := rr.response()
	if err == nil && (status < 200 || status > 399) {
		err = fmt.Errorf("status %d", status)
	}
	return n, err
}

// response reads a response whose length is declared or whose body is chunked;
// others are of no use on a connection that is to stay open.
func (rr responseReader) response() (status int, n int64, err error) {
	line, err := rr.r.ReadSlice('\n')
	if err != nil {
		return 0, 0, fmt.Errorf("reading the status line: %w", err)
	}
	n = int64(len(line))
	if status, err = parseStatus(line); err != nil {
		return 0, n, err
	}
	length, head, err := rr.fields()
	n += head
	switch {
	case err != nil || status == 304:
		return status, n, err
	case length == chunked:
		body, err := rr.chunks()
		return status, n + body, err
	case length == undeclared:
		return status, n, errors.New("a response does not declare its length")
	}
	// Discard takes an int, which holds any length on the machines this runs on.
	body, err := rr.r.Discard(int(length))
	return status, n + int64(body), err
}

// What fields returns in place of a length.
const (
	undeclared = -1
	chunked    = -2
)

// fields reads up to the end of the head.
func (rr responseReader) fields() (length, n int64, err error) {
	length = undeclared
	for {
		line, err := rr.r.ReadSlice('\n')
		n += int64(len(line))
		if err != nil {
			return length, n, fmt.Errorf("reading a header field: %w", err)
		}
		if len(bytes.TrimRight(line, "\r\n")) == 0 {
			return length, n, nil
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		switch value = bytes.TrimSpace(value); {
		case bytes.EqualFold(name, []byte("Transfer-Encoding")) && bytes.EqualFold(value, []byte("chunked")):
			length = chunked
		case bytes.EqualFold(name, []byte("Content-Length")):
			length, err = strconv.ParseInt(string(value), 10, 64)
			if err != nil || length < 0 {
				return length, n, fmt.Errorf("Content-Length %q is no length", value)
			}
		}
	}
}

// chunks reads a chunked body (RFC 9112, section 7.1). No server here sends
// trailers or extensions.
func (rr responseReader) chunks() (n int64, err error) {
	for {
		line, err := rr.r.ReadSlice('\n')
		n += int64(len(line))
		if err != nil {
			return n, fmt.Errorf("reading the size of a chunk: %w", err)
		}
		size, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 16, 32)
		if err != nil || size < 0 {
			return n, fmt.Errorf("%q is no size of a chunk", line)
		}
		body, err := rr.r.Discard(int(size) + len("\r\n"))
		n += int64(body)
		if err != nil || size == 0 {
			return n, err
		}
	}
}

// end waits until the server has closed the connection. If the client were the first to,
// its ports would stay taken for a minute, and there are not enough of them.
func (rr responseReader) end() error {
	switch _, err := rr.r.ReadByte(); {
	case err == nil:
		return errors.New("bytes after a response that is to be the last one")
	case errors.Is(err, io.EOF):
		return nil
	default:
		return err
	}
}

func parseStatus(line []byte) (int, error) {
	rest, ok := bytes.CutPrefix(line, []byte("HTTP/1.1 "))
	if !ok || len(rest) < 3 {
		return 0, fmt.Errorf("%q is no status line of HTTP/1.1", line)
	}
	status, err := strconv.Atoi(string(rest[:3]))
	if err != nil {
		return 0, fmt.Errorf("status line %q", bytes.TrimSpace(line))
	}
	return status, nil
}
