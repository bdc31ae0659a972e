// Package sidecar finds the files that hold a coded form of another one beside it,
// and tells those that can be trusted.
package sidecar

import (
	"encoding/binary"
	"time"

	"github.com/klauspost/compress/zstd"

	"servery/internal/codec"
	"servery/internal/identity"
)

// Extension returns what a file's name is extended by for its form in a coding, or
// "" for codings that have no sidecars.
func Extension(coding string) string {
	switch coding {
	case "gzip":
		return ".gz"
	case "zstd":
		return ".zst"
	case "br":
		return ".br"
	}
	return ""
}

// Open opens the form of the original in a coding. It returns nil where there is
// none that can be trusted to be that: it must be a regular file with the coding's
// magic number, not older than the original, and of the original's length where it
// says what that was. Whatever else is the matter with it is no error either: the
// original is there.
func Open(l *identity.Loader, view identity.View, coding string, original *identity.Opened) *identity.Opened {
	o, err := l.Open(view, original.Name+Extension(coding), identity.Facts)
	if err != nil {
		return nil
	}
	trusted := false
	defer func() { // deferred: somebody else's file system may panic
		if !trusted {
			o.Close()
		}
	}()
	if trusted = isFormOf(o, coding, original); !trusted {
		return nil
	}
	return o
}

func isFormOf(o *identity.Opened, coding string, original *identity.Opened) bool {
	if o.IsDir() || o.Info.Size == 0 || isOlder(o.Info.ModTime, original.Info.ModTime) {
		return false
	}
	head, err := o.Peek()
	if err != nil || !codec.HasMagic(coding, head) {
		return false
	}
	switch coding {
	case "gzip":
		return endsAs(o, original.Info.Size)
	case "zstd":
		return beginsAs(o, head, original.Info.Size)
	}
	return true
}

// isOlder reports whether a sidecar was modified before its original. Compressors
// give what they write the date of what they read, and some of them (brotli, pigz)
// in whole seconds: a date without a fraction stands for all of its second.
func isOlder(form, original int64) bool {
	if form%int64(time.Second) == 0 {
		form += int64(time.Second) - 1
	}
	return form < original
}

// endsAs reads the length at the end of a gzip file (RFC 1952, section 2.3.1), which
// finds out most of those that a clock that was set back makes look fresh. Of a file
// of several members it is that of the last one, and not trusted.
func endsAs(o *identity.Opened, size int64) bool {
	if !o.Seekable() {
		return true
	}
	var tail [4]byte
	if o.Info.Size < int64(len(tail)) {
		return false
	}
	n, err := o.ReadFull(tail[:], o.Info.Size-int64(len(tail)))
	return err == nil && n == len(tail) && binary.LittleEndian.Uint32(tail[:]) == uint32(size)
}

// MostWindow is how much of a zstd frame's past a client has to hold (RFC 9659).
// Browsers refuse a frame that asks for more, and then there is no page.
const MostWindow = 8 << 20

// mostSkipped is how many frames to skip may come first. Parallel compressors have one.
const mostSkipped = 4

// beginsAs reads the header of the first frame of data in a zstd file (RFC 8878, section
// 3.1.1.1): the length, where there is one, and what a client would need to decode it.
// Frames that follow are found by decoding only, and are not looked at.
func beginsAs(o *identity.Opened, head []byte, size int64) bool {
	header, ok := firstFrame(o, head)
	if !ok {
		return false
	}
	window := header.WindowSize
	if header.SingleSegment {
		window = header.FrameContentSize
	}
	if header.DictionaryID != 0 || window > MostWindow {
		return false
	}
	return !header.HasFCS || header.FrameContentSize == uint64(size)
}

// firstFrame returns the header of the first frame that is not to be skipped (section
// 3.1.2). Where the file can only be read on, it must be within the head.
func firstFrame(o *identity.Opened, head []byte) (zstd.Header, bool) {
	offset := int64(0) // of head in the file
	for range mostSkipped + 1 {
		var header zstd.Header
		if err := header.Decode(head); err != nil {
			return header, false
		}
		if !header.Skippable {
			return header, true
		}
		frame := int64(header.HeaderSize) + int64(header.SkippableSize)
		offset += frame
		head = head[min(frame, int64(len(head))):]
		if len(head) < zstd.HeaderMaxSize && o.Seekable() {
			head = make([]byte, zstd.HeaderMaxSize)
			n, err := o.ReadFull(head, offset)
			if err != nil {
				return header, false
			}
			head = head[:n]
		}
	}
	return zstd.Header{}, false
}
