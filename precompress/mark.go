package precompress

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"servery"
	"servery/internal/sidecar"
)

// A mark is what the sidecars of this package begin or end with: the name, then the
// settings that they were made with.
const (
	markName = "servery/precompress "
	markSize = len(markName) + 12
)

// markOf is of one length, so that it is found at one place.
func markOf(e servery.Encoder) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d", e.Coding, e.Level, e.Generation))
	return markName + hex.EncodeToString(sum[:6])
}

// isMarked reports whether there is room for a mark in a coding.
func isMarked(coding string) bool { return coding == "gzip" || coding == "zstd" }

// In gzip the mark is the comment, and the only optional field of the header (RFC 1952,
// section 2.3.1).
const (
	gzipHeader  = 10
	gzipFlags   = 3
	gzipComment = 1 << 4
)

// A skippable frame (RFC 8878, section 3.1.2) holds the mark of zstd and the length of
// all that goes before: two files that were joined are not of this package's making.
const (
	skipMagic   = "\x50\x2a\x4d\x18"
	skipContent = markSize + 16
	skipSize    = len(skipMagic) + 4 + skipContent
)

func skipFrame(mark string, before int64) string {
	return fmt.Sprintf("%s%c\x00\x00\x00%s%016x", skipMagic, skipContent, mark, before)
}

var errForeign = errors.New("not made here")

// readMark returns the mark of a file with this size and the part of it that is to be
// decoded, or errForeign.
func readMark(f io.ReaderAt, coding string, size int64) (string, *io.SectionReader, error) {
	switch coding {
	case "gzip":
		head := make([]byte, gzipHeader+markSize+1)
		if _, err := f.ReadAt(head, 0); err != nil {
			return "", nil, errForeign
		}
		mark := string(head[gzipHeader : gzipHeader+markSize])
		if string(head[:gzipFlags]) != "\x1f\x8b\x08" || head[gzipFlags] != gzipComment ||
			!strings.HasPrefix(mark, markName) || head[len(head)-1] != 0 {
			return "", nil, errForeign
		}
		return mark, io.NewSectionReader(f, 0, size), nil
	case "zstd":
		before := size - int64(skipSize)
		tail := make([]byte, skipSize)
		if before <= 0 {
			return "", nil, errForeign
		}
		if _, err := f.ReadAt(tail, before); err != nil && err != io.EOF {
			return "", nil, errForeign
		}
		mark := string(tail[len(skipMagic)+4:][:markSize])
		if !strings.HasPrefix(mark, markName) || string(tail) != skipFrame(mark, before) {
			return "", nil, errForeign
		}
		return mark, io.NewSectionReader(f, 0, before), nil
	}
	return "", nil, errForeign
}

// decoders are one worker's. They are made when they are needed.
type decoders struct {
	gzip *gzip.Reader
	zstd *zstd.Decoder
}

// decode writes what the source decodes to. It fails unless all of it is one whole.
func (d *decoders) decode(w io.Writer, coding string, source io.Reader) error {
	if coding == "zstd" {
		return d.decodeZstd(w, source)
	}
	buffered := bufio.NewReader(source)
	var err error
	if d.gzip == nil {
		d.gzip, err = gzip.NewReader(buffered)
	} else {
		err = d.gzip.Reset(buffered)
	}
	if err != nil {
		return err
	}
	d.gzip.Multistream(false)
	if _, err := io.Copy(w, d.gzip); err != nil {
		return err
	}
	if _, err := buffered.ReadByte(); err != io.EOF {
		return errForeign
	}
	return nil
}

func (d *decoders) decodeZstd(w io.Writer, source io.Reader) (err error) {
	if d.zstd == nil {
		d.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(sidecar.MostWindow))
		if err != nil {
			return err
		}
	}
	if err := d.zstd.Reset(source); err != nil {
		return err
	}
	_, err = io.Copy(w, d.zstd)
	return err
}

func (d *decoders) close() {
	if d.zstd != nil {
		d.zstd.Close()
	}
}
