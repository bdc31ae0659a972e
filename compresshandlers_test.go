package servery_test

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"servery/internal/testkit"
)

const acceptZstd = "Accept-Encoding: zstd"

const textType = "Content-Type: text/plain; charset=utf-8"

// says returns a handler that answers with fields, which are lines, and a body.
func says(status int, body string, fields ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		setFields(w.Header(), fields)
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

func setFields(header http.Header, fields []string) {
	for _, line := range fields {
		name, value, _ := strings.Cut(line, ":")
		header.Add(name, strings.TrimSpace(value))
	}
}

// writeStyle is how a handler writes a body.
type writeStyle struct {
	name  string
	write func(w http.ResponseWriter, body string) (int64, error)
}

// writeStyles are all those that end in the same bytes.
func writeStyles(tb testing.TB) []writeStyle {
	dir := tb.TempDir()
	return []writeStyle{
		{"one Write", func(w http.ResponseWriter, body string) (int64, error) {
			n, err := w.Write([]byte(body))
			return int64(n), err
		}},
		{"one WriteString", func(w http.ResponseWriter, body string) (int64, error) {
			n, err := io.WriteString(w, body)
			return int64(n), err
		}},
		{"Writes from one buffer", func(w http.ResponseWriter, body string) (int64, error) {
			return io.CopyBuffer(onlyWriter{w}, strings.NewReader(body), nil)
		}},
		{"small Writes from one buffer that is overwritten", func(w http.ResponseWriter, body string) (int64, error) {
			return writePieces(w, body, 100)
		}},
		{"Writes around the buffer's edge", func(w http.ResponseWriter, body string) (int64, error) {
			return writePieces(w, body, 1023)
		}},
		{"io.Copy of an unknown length", func(w http.ResponseWriter, body string) (int64, error) {
			return io.Copy(w, onlyReader{strings.NewReader(body)})
		}},
		{"io.Copy in halves", func(w http.ResponseWriter, body string) (int64, error) {
			return io.Copy(w, iotest.HalfReader(onlyReader{strings.NewReader(body)}))
		}},
		{"a Write, then io.Copy", func(w http.ResponseWriter, body string) (int64, error) {
			first, err := w.Write([]byte(body[:len(body)/3]))
			if err != nil {
				return int64(first), err
			}
			n, err := io.Copy(w, bytes.NewReader([]byte(body[len(body)/3:])))
			return int64(first) + n, err
		}},
		{"io.Copy of a file", func(w http.ResponseWriter, body string) (int64, error) {
			path := filepath.Join(dir, "body")
			if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
				return 0, err
			}
			f, err := os.Open(path)
			if err != nil {
				return 0, err
			}
			defer f.Close()
			return io.Copy(w, f)
		}},
	}
}

// writePieces writes from one buffer, which holds something else after each Write.
func writePieces(w io.Writer, body string, size int) (written int64, err error) {
	buf := make([]byte, size)
	for body != "" && err == nil {
		n := copy(buf, body)
		var accepted int
		accepted, err = w.Write(buf[:n])
		written += int64(accepted)
		body = body[n:]
		clear(buf)
	}
	return written, err
}

type onlyWriter struct{ io.Writer }

type onlyReader struct{ io.Reader }

// serveLoosely serves a handler that may panic or write what net/http refuses.
func serveLoosely(tb testing.TB, handler http.Handler) *testkit.Server {
	tb.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()
	tb.Cleanup(server.Close)
	return testkit.Connect(tb, server.Listener.Addr().String())
}

// raw sends a request as it stands and returns all that comes until the server
// closes the connection, and how that ended.
func raw(tb testing.TB, server *testkit.Server, request string) (string, error) {
	tb.Helper()
	c := server.Dial()
	defer c.Close()
	c.SetDeadline(time.Now().Add(testkit.Patience))
	if _, err := io.WriteString(c, request); err != nil {
		tb.Fatal(err)
	}
	got, err := io.ReadAll(c.Conn)
	return string(got), err
}

// receive returns what a handler reports, and fails a test that would wait for ever.
func receive[T any](t *testing.T, from <-chan T, what string) T {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(testkit.Patience):
		t.Fatalf("it does not come to it that %s", what)
		panic("unreachable")
	}
}

func newSection(text string) io.ReadSeeker {
	return io.NewSectionReader(strings.NewReader(text), 0, int64(len(text)))
}
