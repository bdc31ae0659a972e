package soak

import (
	"context"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
)

func (c *client) oneRange(ctx context.Context) error {
	f := c.pick(append(slices.Clip(c.files.medium), c.files.largest))
	from := c.rand.Int64N(f.size)
	to := from + c.rand.Int64N(min(f.size-from, 64<<10))
	return c.part(ctx, f, fmt.Sprintf("%d-%d", from, to), from, to)
}

func (c *client) suffix(ctx context.Context) error {
	f := c.pick(append(slices.Clip(c.files.hot), c.files.largest))
	n := 1 + c.rand.Int64N(min(f.size, 32<<10))
	return c.part(ctx, f, fmt.Sprintf("-%d", n), f.size-n, f.size-1)
}

func (c *client) part(ctx context.Context, f *file, spec string, from, to int64) error {
	a, err := c.ask(ctx, f, http.MethodGet, "Range: bytes="+spec, "Accept-Encoding: gzip")
	if err != nil {
		return err
	}
	defer a.Body.Close()
	_, err = a.partial(from, to)
	return err
}

// partial verifies a 206 of one part, and returns the documents that it may be of.
func (a answer) partial(from, to int64) ([]document, error) {
	want := fmt.Sprintf("bytes %d-%d/%d", from, to, a.file.size)
	if got := a.Header.Get("Content-Range"); a.StatusCode != http.StatusPartialContent || got != want || a.ContentLength != to-from+1 {
		return nil, fmt.Errorf("status %d, Content-Range %q, Content-Length %d, want 206, %q", a.StatusCode, got, a.ContentLength, want)
	}
	return matchPart(a.documents, a.Body, from, to)
}

func matchPart(documents []document, body io.Reader, from, to int64) ([]document, error) {
	m := &matcher{documents, from}
	if _, err := io.Copy(m, body); err != nil {
		return nil, err
	}
	if m.at != to+1 {
		return nil, fmt.Errorf("bytes %d to %d, want them to %d", from, m.at-1, to)
	}
	return m.documents, nil
}

// multipart asks for parts that do not overlap. All of them are of one version.
func (c *client) multipart(ctx context.Context) error {
	f := c.pick(append(slices.Clip(c.files.medium), c.files.largest))
	n := 2 + c.rand.Int64N(6)
	step := f.size / n
	var specs []string
	for i := range n {
		specs = append(specs, fmt.Sprintf("%d-%d", i*step, i*step+min(step, 10<<10)-2))
	}
	a, err := c.ask(ctx, f, http.MethodGet, "Range: bytes="+strings.Join(specs, ", "))
	if err != nil {
		return err
	}
	defer a.Body.Close()
	kind, parameters, err := mime.ParseMediaType(a.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/byteranges" || a.StatusCode != http.StatusPartialContent {
		return fmt.Errorf("status %d, Content-Type %q (%v)", a.StatusCode, a.Header.Get("Content-Type"), err)
	}
	parts := multipart.NewReader(a.Body, parameters["boundary"])
	for _, spec := range specs {
		part, err := parts.NextPart()
		if err != nil {
			return err
		}
		if got, want := part.Header.Get("Content-Range"), fmt.Sprintf("bytes %s/%d", spec, f.size); got != want {
			return fmt.Errorf("a part with Content-Range %q, want %q", got, want)
		}
		var from, to int64
		fmt.Sscanf(spec, "%d-%d", &from, &to)
		if a.documents, err = matchPart(a.documents, part, from, to); err != nil {
			return err
		}
	}
	if _, err := parts.NextPart(); err != io.EOF {
		return fmt.Errorf("after the last part: %v", err)
	}
	return nil
}

// ifRange completes an answer. What comes is of the version that the tag came with, or
// it is the whole of the one that is there.
func (c *client) ifRange(ctx context.Context) error {
	f := c.pick(c.files.medium)
	first, err := c.ask(ctx, f, http.MethodGet)
	if err != nil {
		return err
	}
	version, err := c.whole(first, "")
	if err != nil {
		return err
	}
	from := c.rand.Int64N(f.size)
	tag := first.Header.Get("ETag")
	a, err := c.ask(ctx, f, http.MethodGet, fmt.Sprintf("Range: bytes=%d-", from), "If-Range: "+tag)
	if err != nil {
		return err
	}
	if a.StatusCode == http.StatusOK {
		_, err := c.whole(a, "")
		return err
	}
	defer a.Body.Close()
	if strings.HasPrefix(tag, "W/") {
		return fmt.Errorf("status %d for the weak tag %s", a.StatusCode, tag)
	}
	if err := has(a.documents, version); err != nil {
		return fmt.Errorf("a part for %s: %w", tag, err)
	}
	a.documents = f.documents(c.files.text, version, version)
	_, err = a.partial(from, f.size-1)
	return err
}
