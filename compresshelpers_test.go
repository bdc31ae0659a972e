package servery_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"servery"
	"servery/internal/testkit"
)

// builtIn are the codings that Compress offers by default, and what they add to an
// entity-tag.
var builtIn = []struct{ coding, suffix string }{{"gzip", "-gz6.1"}, {"zstd", "-zst3.1"}}

// twins are one handler served twice: as it is, and inside Compress.
type twins struct{ bare, inside *testkit.Server }

func serveTwins(tb testing.TB, opts *servery.CompressOptions, handler http.HandlerFunc) twins {
	tb.Helper()
	return twins{serveHandler(tb, handler), serveHandler(tb, servery.Compress(opts)(handler))}
}

// serveHandler serves a handler for all methods but OPTIONS, which is how fetch
// finds out whether a connection is still in order.
func serveHandler(tb testing.TB, handler http.Handler) *testkit.Server {
	tb.Helper()
	return testkit.Serve(tb, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodOptions {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		handler.ServeHTTP(w, r)
	}))
}

// fetch sends one request and returns the answer, whose framing it has verified by
// asking a second time on the same connection.
func fetch(tb testing.TB, server *testkit.Server, method, target string, fields ...string) testkit.Response {
	tb.Helper()
	c := server.Dial()
	defer c.Close()
	c.Send(method, target, fields...)
	got := c.Read(method)
	if got.Err != nil || got.Header.Get("Connection") == "close" {
		return got
	}
	c.Send("OPTIONS", "/")
	if second := c.Read("OPTIONS"); second.Status != http.StatusNoContent {
		tb.Errorf("%s %s %q: the next answer on the connection is broken:\n%s", method, target, fields, second.Head)
	}
	return got
}

// ask asks both and returns their answers.
func (s twins) ask(tb testing.TB, method string, fields ...string) (bare, got testkit.Response) {
	tb.Helper()
	return fetch(tb, s.bare, method, "/", fields...), fetch(tb, s.inside, method, "/", fields...)
}

// wantSame demands what the bare server sends, byte for byte, but for Vary where
// that is to be added.
func wantSame(tb testing.TB, bare, got testkit.Response, vary bool, reason string) {
	tb.Helper()
	head := undated(bare)
	if vary {
		head = strings.Replace(undated(got), "Vary: Accept-Encoding\r\n", "", 1)
		if diff := cmp.Diff(undated(bare), head); diff != "" || head == undated(got) {
			tb.Errorf("%s: got\n%s, want Vary added to\n%s", reason, got.Head, bare.Head)
		}
	} else if diff := cmp.Diff(head, undated(got)); diff != "" {
		tb.Errorf("%s: the head is not the bare one (-want +got):\n%s", reason, diff)
	}
	if !bytes.Equal(bare.Body, got.Body) || (bare.Err == nil) != (got.Err == nil) {
		tb.Errorf("%s: %d bytes, error %v, want the bare server's %d, %v", reason, len(got.Body), got.Err, len(bare.Body), bare.Err)
	}
}

// wantCodedLike demands the bare answer in a coding: the fields that say so, every
// other field as it was, and the plain bytes inside, or nothing for HEAD.
func wantCodedLike(tb testing.TB, bare, got testkit.Response, coding, reason string) {
	tb.Helper()
	if got.Status != bare.Status || got.Err != nil {
		tb.Errorf("%s: error %v, got\n%s, want status %d", reason, got.Err, got.Head, bare.Status)
		return
	}
	if diff := cmp.Diff(codedFields(bare.Header, coding), unframed(got.Header)); diff != "" {
		tb.Errorf("%s: in %s the fields differ (-want +got):\n%s", reason, coding, diff)
	}
	if len(bare.Body) == 0 && len(got.Body) == 0 {
		return
	}
	if plain, err := undo(coding, got.Body); err != nil || plain != string(bare.Body) {
		tb.Errorf("%s: %d bytes of %s, %v, are not the %d plain ones", reason, len(got.Body), coding, err, len(bare.Body))
	}
	if length := got.Header.Get("Content-Length"); length != "" && length != strconv.Itoa(len(got.Body)) {
		tb.Errorf("%s: Content-Length %s of %d bytes", reason, length, len(got.Body))
	}
}

// unframed is a header without the date and what RFC 9112 frames the body with.
func unframed(header http.Header) http.Header {
	header = header.Clone()
	for _, name := range []string{"Date", "Content-Length", "Transfer-Encoding"} {
		delete(header, name)
	}
	if vary := header.Values("Vary"); vary != nil {
		header["Vary"] = []string{strings.Join(vary, ", ")} // all lines are one list
	}
	return header
}

// codedFields is what a header becomes with the coding.
func codedFields(bare http.Header, coding string) http.Header {
	want := unframed(bare)
	want.Del("Accept-Ranges")
	want.Set("Content-Encoding", coding)
	if tag := want.Get("Etag"); strings.HasPrefix(tag, `"`) {
		want.Set("Etag", suffixed(tag, coding))
	}
	vary := want.Get("Vary")
	switch {
	case vary == "":
		want.Set("Vary", "Accept-Encoding")
	case vary != "*" && !strings.Contains(strings.ToLower(vary), "accept-encoding"):
		want.Set("Vary", vary+", Accept-Encoding")
	}
	return want
}

func suffixed(tag, coding string) string {
	for _, b := range builtIn {
		if b.coding == coding {
			return strings.TrimSuffix(tag, `"`) + b.suffix + `"`
		}
	}
	return tag
}

// undo decodes a body to its end: the checksum is there and right, and nothing follows.
func undo(coding string, body []byte) (string, error) {
	if coding == "zstd" {
		var header zstd.Header
		if err := header.Decode(body); err != nil || !header.HasCheckSum {
			return "", fmt.Errorf("no frame with a checksum: %w", err)
		}
		r, err := zstd.NewReader(nil)
		if err != nil {
			return "", err
		}
		defer r.Close()
		plain, err := r.DecodeAll(body, nil)
		return string(plain), err
	}
	source := bytes.NewReader(body)
	r, err := gzip.NewReader(source)
	if err != nil {
		return "", err
	}
	r.Multistream(false)
	plain, err := io.ReadAll(r)
	if err == nil && source.Len() > 0 {
		err = errors.New("bytes after the end")
	}
	return string(plain), err
}

// undoing returns a reader of the plain bytes that have come so far.
func undoing(t *testing.T, coding string, body io.Reader) io.Reader {
	t.Helper()
	if coding == "zstd" {
		r, err := zstd.NewReader(body, zstd.WithDecoderConcurrency(1))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(r.Close)
		return r
	}
	r, err := gzip.NewReader(body)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// wire is a connection whose answer is read piece by piece, while the handler is at work.
type wire struct {
	*testkit.Conn
	method string
	reader *bufio.Reader
}

func open(tb testing.TB, server *testkit.Server, method string, fields ...string) *wire {
	tb.Helper()
	return openAt(server, method, "/", fields...)
}

func openAt(server *testkit.Server, method, target string, fields ...string) *wire {
	c := server.Dial()
	c.Send(method, target, fields...)
	return &wire{c, method, bufio.NewReader(c.Conn)}
}

// answer reads the head of the next answer, be it interim or final.
func (w *wire) answer(tb testing.TB) *http.Response {
	tb.Helper()
	response, err := http.ReadResponse(w.reader, &http.Request{Method: w.method})
	if err != nil {
		tb.Fatalf("%s: no answer: %v", w.method, err)
	}
	testkit.LintHead(tb, w.method, response)
	return response
}

// wantNext demands that these bytes are next, and waits for no more.
func wantNext(t *testing.T, r io.Reader, want, reason string) {
	t.Helper()
	got := make([]byte, len(want))
	if n, err := io.ReadFull(r, got); err != nil || string(got) != want {
		t.Fatalf("%s: %q, %v, want %q", reason, got[:n], err, want)
	}
}
