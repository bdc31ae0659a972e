package soak

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// errRefused is a 503 as it has to be: there was no slot for a compression.
var errRefused = errors.New("refused")

// A client makes one request after the other. It belongs to one goroutine.
type client struct {
	addr      string
	files     *files
	rand      *rand.Rand
	transport *http.Transport
	gzip      gzip.Reader
	zstd      *zstd.Decoder
}

func newClient(addr string, fs *files, transport *http.Transport, seed, number uint64) (*client, error) {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, err
	}
	return &client{addr: addr, files: fs, rand: rand.New(rand.NewPCG(seed, number)), transport: transport, zstd: z}, nil
}

func (c *client) pick(fs []*file) *file { return fs[c.rand.IntN(len(fs))] }

// do sends a request with fields such as "Range: bytes=0-1".
func (c *client) do(ctx context.Context, method, target string, fields ...string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://"+c.addr+target, nil)
	if err != nil {
		return nil, err
	}
	for _, field := range fields {
		name, value, _ := strings.Cut(field, ": ")
		r.Header.Add(name, value)
	}
	return c.transport.RoundTrip(r)
}

// An answer is one about a file, of which each version from the first to the last of the
// documents may be what it is about.
type answer struct {
	*http.Response
	file      *file
	documents []document
}

// ask answers errRefused if the server may be saturated and says so.
func (c *client) ask(ctx context.Context, f *file, method string, fields ...string) (answer, error) {
	from := f.current.Load()
	response, err := c.do(ctx, method, "/files/"+f.name, fields...)
	if err != nil {
		return answer{}, err
	}
	a := answer{response, f, f.documents(c.files.text, from, f.next.Load())}
	if response.StatusCode != http.StatusServiceUnavailable {
		return a, nil
	}
	defer response.Body.Close()
	asksForCoding := slices.ContainsFunc(fields, func(field string) bool { return strings.HasPrefix(field, "Accept-Encoding: ") })
	if !asksForCoding || response.Header.Get("Retry-After") == "" || response.Header.Get("Cache-Control") != "no-store" {
		return a, fmt.Errorf("status 503 with %v", response.Header)
	}
	return a, errRefused
}

// plain undoes the coding of a body.
func (c *client) plain(coding string, body io.Reader) (io.Reader, error) {
	switch coding {
	case "":
		return body, nil
	case "gzip":
		return &c.gzip, c.gzip.Reset(body)
	case "zstd":
		return c.zstd, c.zstd.Reset(body)
	}
	return nil, fmt.Errorf("Content-Encoding %q", coding)
}

// whole reads a 200 to its end and verifies all of it. It returns the version.
func (c *client) whole(a answer, accept string) (int64, error) {
	defer a.Body.Close()
	coding := a.Header.Get("Content-Encoding")
	switch {
	case a.StatusCode != http.StatusOK:
		return 0, fmt.Errorf("status %d, want 200", a.StatusCode)
	case coding != "" && !strings.Contains(accept, coding):
		return 0, fmt.Errorf("coding %q, which is not in %q", coding, accept)
	case a.ContentLength < 0 || coding == "" && a.ContentLength != a.file.size:
		return 0, fmt.Errorf("Content-Length %d of %d bytes in %q", a.ContentLength, a.file.size, coding)
	case (coding == "") != (a.Header.Get("Accept-Ranges") == "bytes"):
		return 0, fmt.Errorf("Accept-Ranges %q beside coding %q", a.Header.Get("Accept-Ranges"), coding)
	}
	body, err := c.plain(coding, a.Body)
	if err != nil {
		return 0, err
	}
	m := &matcher{documents: a.documents}
	if _, err := io.Copy(m, body); err != nil {
		return 0, err
	}
	if m.at != a.file.size {
		return 0, fmt.Errorf("%d bytes, want %d", m.at, a.file.size)
	}
	version := m.documents[0].version
	return version, a.file.tagged(a.Header.Get("ETag"), version)
}

// document verifies an answer of a handler within Compress.
func (c *client) document(response *http.Response, d document) error {
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d, want 200", response.StatusCode)
	}
	body, err := c.plain(response.Header.Get("Content-Encoding"), response.Body)
	if err != nil {
		return err
	}
	m := &matcher{documents: []document{d}}
	if _, err := io.Copy(m, body); err != nil {
		return err
	}
	if want := int64(len(d.head) + len(d.rest)); m.at != want {
		return fmt.Errorf("%d bytes, want %d", m.at, want)
	}
	return nil
}

// empty verifies that an answer has no body.
func empty(response *http.Response) error {
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && !bytes.Equal(body, nil) {
		err = fmt.Errorf("status %d with %d bytes of body", response.StatusCode, len(body))
	}
	return err
}
