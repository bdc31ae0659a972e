package precompress

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
)

// compare encodes the original into nothing, and reports whether the sidecar has the
// very bytes that were encoded.
func (w *worker) compare(ctx context.Context, o *original, old *form, i int) (size int64, same bool, err error) {
	c := &comparing{same: old.info.Mode().IsRegular()}
	if c.same {
		f, err := w.root.Open(old.name)
		if err != nil {
			return 0, false, err
		}
		defer f.Close()
		c.there = bufio.NewReaderSize(f, chunk)
	}
	size, err = w.encode(ctx, o, i, c)
	return size, c.same && size == old.info.Size(), err
}

// comparing takes note of whether what is written to it is what another file begins with.
type comparing struct {
	there *bufio.Reader // nil if not same
	same  bool          // up to here
}

func (c *comparing) Write(p []byte) (int, error) {
	for rest := p; c.same && len(rest) > 0; {
		next, err := c.there.Peek(min(len(rest), c.there.Size()))
		if err != nil && err != io.EOF {
			return 0, err
		}
		c.same = err == nil && bytes.Equal(next, rest[:len(next)])
		c.there.Discard(len(next))
		rest = rest[len(next):]
	}
	return len(p), nil
}

// same reports whether the file holds the bytes that the sidecar has.
func (w *worker) same(f *os.File, old *form) (bool, error) {
	info, err := f.Stat()
	if err != nil || !old.info.Mode().IsRegular() || info.Size() != old.info.Size() {
		return false, err
	}
	there, err := w.root.Open(old.name)
	if err != nil {
		return false, err
	}
	defer there.Close()
	a, b := w.buffer[:chunk/2], w.buffer[chunk/2:]
	for offset := int64(0); ; offset += int64(len(a)) {
		n, err := f.ReadAt(a, offset)
		m, thereErr := there.ReadAt(b, offset)
		switch {
		case !bytes.Equal(a[:n], b[:m]):
			return false, nil
		case err == io.EOF && thereErr == io.EOF:
			return true, nil
		case err != nil || thereErr != nil:
			return false, errors.Join(err, thereErr)
		}
	}
}
