package compat

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"servery"
	"servery/internal/testkit"
)

func TestMain(m *testing.M) { os.Exit(testkit.Main(m)) }

// inside is the middleware with its default options, as most have it.
var inside = servery.Compress(nil)

// greedy is the middleware that codes all it may.
var greedy = servery.Compress(&servery.CompressOptions{MinSize: -1, Compressible: func(string) bool { return true }})

// sentence is what test bodies are made of.
const sentence = "It was the best of times, it was the worst of times.\n"

// text is one of size bytes.
func text(size int) string {
	return strings.Repeat(sentence, size/len(sentence)+1)[:size]
}

// answer is one that was read to its end.
type answer struct {
	*http.Response
	plain string // decoded
	err   error  // of reading or decoding
}

func (a answer) coding() string { return a.Header.Get("Content-Encoding") }

// want demands status, coding ("" is identity) and decoded body.
func (a answer) want(t *testing.T, status int, coding, plain, reason string) {
	t.Helper()
	if a.err != nil || a.StatusCode != status || a.coding() != coding || a.plain != plain {
		t.Errorf("%s: got %s, %v, error %v, %d bytes %.80q, want %d, coding %q, %d bytes %.80q",
			reason, a.Status, a.Header, a.err, len(a.plain), a.plain, status, coding, len(plain), plain)
	}
	if len(a.Header.Values("Content-Encoding")) > 1 {
		t.Errorf("%s: codings %q, want one at most", reason, a.Header.Values("Content-Encoding"))
	}
	if coding != "" && !strings.Contains(strings.Join(a.Header.Values("Vary"), ","), "Accept-Encoding") {
		t.Errorf("%s: coded, and Vary is %q", reason, a.Header.Values("Vary"))
	}
}

// client asks for no coding by itself and undoes none.
func client(tb testing.TB) *http.Client {
	transport := &http.Transport{DisableCompression: true, ResponseHeaderTimeout: testkit.Patience}
	tb.Cleanup(transport.CloseIdleConnections)
	return &http.Client{
		Transport:     testkit.Linting(tb, transport, testkit.LintFraming),
		Timeout:       2 * testkit.Patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// request is one with fields such as "Range: bytes=0-1".
func request(t *testing.T, method, url, body string, fields ...string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range fields {
		name, value, _ := strings.Cut(field, ": ")
		r.Header.Add(name, value)
	}
	return r
}

const acceptGzip = "Accept-Encoding: gzip"

// get asks for a target with a number of fields.
func get(t *testing.T, server *testkit.Server, target string, fields ...string) answer {
	t.Helper()
	return do(t, client(t), request(t, "GET", "http://"+server.Addr+target, "", fields...))
}

func do(t *testing.T, c *http.Client, r *http.Request) answer {
	t.Helper()
	response, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	a := answer{Response: response, err: err}
	if len(body) > 0 && err == nil {
		var plain []byte
		plain, a.err = decode(a.coding(), body)
		a.plain = string(plain)
	}
	return a
}

func decode(coding string, body []byte) ([]byte, error) {
	r, err := decoder(coding, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// decoder undoes a coding as its bytes arrive.
func decoder(coding string, r io.Reader) (io.Reader, error) {
	switch coding {
	case "":
		return r, nil
	case "gzip":
		return gzip.NewReader(r)
	case "zstd":
		d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	}
	return nil, fmt.Errorf("coding %q", coding)
}

// patient is a context for what should happen at once.
func patient(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience)
	t.Cleanup(cancel)
	return ctx
}

// await returns what is sent, and fails when nothing is.
func await[T any](t *testing.T, c <-chan T, what string) (value T) {
	t.Helper()
	select {
	case value = <-c:
	case <-time.After(testkit.Patience):
		t.Fatalf("it does not come to it that %s", what)
	}
	return value
}
