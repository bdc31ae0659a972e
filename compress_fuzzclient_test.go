package servery_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"
	"testing"
	"time"

	"servery/internal/testkit"
)

// scriptAnswer is what a client got.
type scriptAnswer struct {
	interim    []scriptHead // the 1xx
	scriptHead              // the final one; its status is 0 where there was none
	body       []byte       // as it was sent, without its framing
	plain      []byte       // without the coding that Compress applied
	bad        error        // why that cannot be undone
	trailer    http.Header  //
	whole      bool         // the framing says that the body is complete
	next       bool         // another request on the connection was answered
	raw        []byte       // all that came, where the script hijacks
}

type scriptHead struct {
	status int
	header http.Header
}

// scriptLine is a connection to a server of HTTP/1.
type scriptLine struct {
	net.Conn
	reader *bufio.Reader
}

func (side *scriptSide) hangUp() {
	if side.line != nil {
		side.line.Close()
		side.line = nil
	}
}

func (side *scriptSide) askHTTP1(tb testing.TB, call *scriptCall, fields []scriptField) *scriptAnswer {
	tb.Helper()
	if side.line == nil {
		conn, err := net.Dial("tcp", side.addr)
		if err != nil {
			tb.Fatal(err)
		}
		side.line = &scriptLine{conn, bufio.NewReader(conn)}
	}
	side.line.SetDeadline(time.Now().Add(2 * testkit.Patience))
	if _, err := side.line.Write(call.script.request(fields)); err != nil {
		tb.Fatal(err)
	}
	if !call.script.hijacks {
		return readAnswer(side.line.reader, call)
	}
	raw, _ := io.ReadAll(side.line.reader) // the request says that there is an end
	answer := readAnswer(bufio.NewReader(bytes.NewReader(raw)), call)
	answer.raw = raw
	return answer
}

// request is the request in one piece, small enough for the server to have read all of
// it before it closes the connection: the system would reset it otherwise.
func (s *script) request(fields []scriptField) []byte {
	version, keep, _ := strings.Cut(s.chosen("version"), " ")
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s /script %s\r\nHost: test\r\n", s.chosen("method"), version)
	if s.hijacks {
		keep = "close"
	}
	if keep != "" {
		fmt.Fprintf(&b, "Connection: %s\r\n", keep)
	}
	for _, field := range fields {
		fmt.Fprintf(&b, "%s: %s\r\n", field.name, field.value)
	}
	b.WriteString("\r\n")
	b.Write(s.body())
	return b.Bytes()
}

// next reports whether the connection is good for another request, and closes it if
// not.
func (side *scriptSide) next(answer *scriptAnswer) bool {
	good := answer.whole && answer.raw == nil && answer.header.Get("Connection") != "close"
	if good {
		io.WriteString(side.line, "GET /next HTTP/1.1\r\nHost: test\r\n\r\n")
		head, err := readScriptHead(side.line.reader)
		good = err == nil && head.status == http.StatusNoContent
	}
	if !good {
		side.hangUp()
	}
	return good
}

func readAnswer(r *bufio.Reader, call *scriptCall) *scriptAnswer {
	a := new(scriptAnswer)
	for {
		head, err := readScriptHead(r)
		if err != nil {
			return a
		}
		if head.status >= 200 || head.status == http.StatusSwitchingProtocols {
			a.scriptHead = head
			break
		}
		a.interim = append(a.interim, head)
	}
	call.hasHead.Store(true)
	call.saw(0)
	frame := a.frame(r, call.script.isHead())
	a.receive(frame, call)
	a.body, a.whole, a.trailer = frame.body, frame.err == io.EOF, frame.trailer
	return a
}

func readScriptHead(r *bufio.Reader) (scriptHead, error) {
	lines := textproto.NewReader(r)
	line, err := lines.ReadLine()
	if err != nil {
		return scriptHead{}, err
	}
	version, rest, _ := strings.Cut(line, " ")
	status, err := strconv.Atoi(rest[:min(3, len(rest))])
	if err != nil || !strings.HasPrefix(version, "HTTP/1.") {
		return scriptHead{}, fmt.Errorf("no status line: %q", line)
	}
	header, err := lines.ReadMIMEHeader()
	return scriptHead{status, http.Header(header)}, err
}

// frame reads the body as RFC 9112, section 6.3, says.
func (a *scriptAnswer) frame(r *bufio.Reader, isHead bool) *scriptFrame {
	length, err := strconv.ParseInt(a.header.Get("Content-Length"), 10, 64)
	switch {
	case isHead, a.status < 200, a.status == http.StatusNoContent, a.status == http.StatusNotModified:
		return &scriptFrame{r: r}
	case a.header.Get("Transfer-Encoding") == "chunked":
		return &scriptFrame{r: r, chunked: true}
	case err != nil || length < 0:
		return &scriptFrame{r: r, left: math.MaxInt64, closes: true}
	}
	return &scriptFrame{r: r, left: length}
}
