package coded_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"sync/atomic"

	"servery/internal/codec"
)

// coder makes encoders whose output is the digest of their input in hexadecimal
// digits, written at the end.
type coder struct {
	// act is told of each call before it is obeyed, "New", "first Write", "later
	// Write" and "Close", and may block it, fail it or panic. It is called
	// concurrently, and set before the first job.
	act func(call string) error

	// swell, if not zero, lets each piece of the input become that many times as long.
	swell int

	made, writes atomic.Int64
	alive, most  atomic.Int64 // encoders between New and Close: now, and the most at one moment
}

func (c *coder) encoder() codec.Encoder {
	return codec.Encoder{Coding: "fake", Suffix: "fake", New: func() (codec.Writer, error) {
		if err := c.did("New"); err != nil {
			return nil, err
		}
		c.made.Add(1)
		alive := c.alive.Add(1)
		for most := c.most.Load(); alive > most && !c.most.CompareAndSwap(most, alive); most = c.most.Load() {
		}
		return &fakeWriter{of: c}, nil
	}}
}

func (c *coder) did(call string) error {
	if c.act == nil {
		return nil
	}
	return c.act(call)
}

// fakeWriter is one encoder at work.
type fakeWriter struct {
	of      *coder
	w       io.Writer
	sum     hash.Hash
	written bool
}

func (f *fakeWriter) Reset(w io.Writer) { f.w, f.sum, f.written = w, sha256.New(), false }
func (f *fakeWriter) Flush() error      { return nil }

func (f *fakeWriter) Write(p []byte) (int, error) {
	call := "first Write"
	if f.written {
		call = "later Write"
	}
	f.written = true
	f.of.writes.Add(1)
	if err := f.of.did(call); err != nil {
		return 0, err
	}
	f.sum.Write(p)
	if f.of.swell > 0 {
		if _, err := f.w.Write(bytes.Repeat(p, f.of.swell)); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

func (f *fakeWriter) Close() error {
	f.of.alive.Add(-1)
	if err := f.of.did("Close"); err != nil {
		return err
	}
	if f.of.swell > 0 {
		return nil
	}
	_, err := io.WriteString(f.w, hex.EncodeToString(f.sum.Sum(nil)))
	return err
}

// codedForm is what the coder makes of content.
func codedForm(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// at returns an act that does something at one kind of call, and nothing at others.
func at(call string, do func() error) func(string) error {
	return func(got string) error {
		if got != call {
			return nil
		}
		return do()
	}
}

// text returns content of a size that tells itself from other sizes.
func text(size int) []byte {
	return bytes.Repeat([]byte{byte(size), byte(size >> 8), 'x'}, size/3+1)[:size]
}
