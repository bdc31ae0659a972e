package main

import (
	"io"

	"github.com/andybalholm/brotli"

	"servery"
)

// Brotli returns the encoder of brotli (RFC 7932) at a level from 0, the fastest, to
// 11, the smallest. Above 9 it is too slow for what is compressed on request.
func Brotli(level int) servery.Encoder {
	return servery.Encoder{
		Coding:     "br",
		Suffix:     "br",
		Level:      level,
		Generation: 1, // to be raised with a release of the module that makes other bytes: see TestBytes
		New:        func() (servery.EncoderWriter, error) { return newWriter(level), nil },
	}
}

// pieceSize is how much the compressor gets at a time.
const pieceSize = 64 << 10

// writer keeps what an Encoder promises and brotli.Writer does not: what that makes of
// a given input depends, at most levels, on how the input is split into writes, and
// then on what it wrote before as well. So it gets pieces of one size here.
type writer struct {
	piece []byte // what is not passed on yet; its capacity is pieceSize
	*brotli.Writer
}

func newWriter(level int) *writer {
	return &writer{make([]byte, 0, pieceSize), brotli.NewWriterLevel(nil, level)}
}

func (w *writer) Reset(dst io.Writer) {
	w.piece = w.piece[:0]
	w.Writer.Reset(dst)
}

func (w *writer) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		n := min(len(rest), pieceSize-len(w.piece))
		w.piece, rest = append(w.piece, rest[:n]...), rest[n:]
		if len(w.piece) == pieceSize {
			if err := w.pass(); err != nil {
				return 0, err
			}
		}
	}
	return len(p), nil
}

func (w *writer) pass() error {
	_, err := w.Writer.Write(w.piece)
	w.piece = w.piece[:0]
	return err
}

// Flush writes everything so far in a form that can be decoded.
func (w *writer) Flush() error {
	if err := w.pass(); err != nil {
		return err
	}
	return w.Writer.Flush()
}

// Close writes the rest and the end of the coding.
func (w *writer) Close() error {
	if err := w.pass(); err != nil {
		return err
	}
	return w.Writer.Close()
}
