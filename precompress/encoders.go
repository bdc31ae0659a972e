package precompress

import (
	"io"

	"github.com/klauspost/compress/zstd"

	"servery"
	"servery/internal/sidecar"
)

const (
	zstdLevel = 19 // as the reference implementation counts; all from 10 on are the same here
	gzipLevel = 9

	// zstdGeneration changes with the bytes that a test holds.
	zstdGeneration = 1
)

// Encoders returns zstd and gzip at their best, for what is made once and sent often. A
// writer of zstd takes up to 50 MB.
func Encoders() []servery.Encoder {
	return []servery.Encoder{
		{Coding: "zstd", Suffix: "zst", Level: zstdLevel, Generation: zstdGeneration, New: newZstd},
		servery.Gzip(gzipLevel),
	}
}

func newZstd() (servery.EncoderWriter, error) {
	return zstd.NewWriter(nil,
		zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(zstdLevel)),
		zstd.WithWindowSize(sidecar.MostWindow), // files that are smaller ask for less
		zstd.WithEncoderConcurrency(1),
		zstd.WithLowerEncoderMem(true),
		zstd.WithEncoderCRC(true),
		zstd.WithZeroFrames(true),
	)
}

// sized is an encoder that writes the length of the content ahead of it, by which
// FileServer knows a sidecar of another version, and clients what to hold.
type sized interface {
	ResetContentSize(w io.Writer, size int64)
}

func reset(w servery.EncoderWriter, destination io.Writer, size int64) {
	if w, ok := w.(sized); ok {
		w.ResetContentSize(destination, size)
		return
	}
	w.Reset(destination)
}
