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

// next returns how many bytes the next response had. It knows only responses
// whose length is declared, since no static file needs another framing.
func (rr responseReader) next() (int64, error) {
	line, err := rr.r.ReadSlice('\n')
	if err != nil {
		return 0, fmt.Errorf("reading the status line: %w", err)
	}
	n := int64(len(line))
	status, err := parseStatus(line)
	if err != nil {
		return n, err
	}
	length, head, err := rr.fields()
	n += head
	if err != nil {
		return n, err
	}
	if status == 304 {
		return n, nil
	}
	if length < 0 {
		return n, errors.New("a response does not declare its length")
	}
	// Discard takes an int, which holds any length on the machines this runs on.
	body, err := rr.r.Discard(int(length))
	return n + int64(body), err
}

// fields reads up to the end of the head. length is -1 if none is declared.
func (rr responseReader) fields() (length, n int64, err error) {
	length = -1
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
		if !bytes.EqualFold(name, []byte("Content-Length")) {
			continue
		}
		length, err = strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 64)
		if err != nil || length < 0 {
			return length, n, fmt.Errorf("Content-Length %q is no length", value)
		}
	}
}

// parseStatus accepts what wrk accepts: 2xx and 3xx.
func parseStatus(line []byte) (int, error) {
	rest, ok := bytes.CutPrefix(line, []byte("HTTP/1.1 "))
	if !ok || len(rest) < 3 {
		return 0, fmt.Errorf("%q is no status line of HTTP/1.1", line)
	}
	status, err := strconv.Atoi(string(rest[:3]))
	if err != nil || status < 200 || status > 399 {
		return 0, fmt.Errorf("status line %q", bytes.TrimSpace(line))
	}
	return status, nil
}
