package codec

import (
	"fmt"
	"io"
	"time"

	"github.com/klauspost/compress/gzip"
)

// DefaultGzipLevel is for what is encoded on request. Measured on 1 MiB of JSON and of Go source, level 5 takes 6 %
// less time and gives 2 to 4 % more bytes, level 7 takes twice the time for 1 to 2 % less, and level 1 takes half the
// time and gives a fifth more.
const DefaultGzipLevel = 6

// gzipGeneration changes with the bytes that the golden test holds.
const gzipGeneration = 1

// Gzip returns the encoder of gzip (RFC 1952) at a level from 1, the fastest, to 9, the smallest. A writer
// takes up to 1.2 MiB, at level 9 1.4 MiB, at work as well as idle.
func Gzip(level int) (Encoder, error) {
	if level < gzip.BestSpeed || level > gzip.BestCompression {
		return Encoder{}, fmt.Errorf("gzip level %d is not between %d and %d", level, gzip.BestSpeed, gzip.BestCompression)
	}
	return Encoder{
		Coding:     "gzip",
		Suffix:     "gz",
		Level:      level,
		Generation: gzipGeneration,
		New:        func() (Writer, error) { return newGzip(level) },
	}, nil
}

func newGzip(level int) (Writer, error) {
	w, err := gzip.NewWriterLevel(nil, level)
	if err != nil {
		return nil, err
	}
	return gzipWriter{w}, nil
}

// gzipWriter is a Writer whose header says nothing about where and when it was made: the library's own has no name
// and an unknown system (255).
type gzipWriter struct{ *gzip.Writer }

// Reset also sets the time to zero, which RFC 1952, section 2.3.1, reads as no time. The library would write the
// lower half of the seconds from year 1 to 1970 otherwise, a date in 2042.
func (z gzipWriter) Reset(w io.Writer) {
	z.Writer.Reset(w)
	z.ModTime = time.Unix(0, 0)
}
