package identity

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"syscall"

	"servery/internal/anchor"
	"servery/internal/byterange"
)

// Handle is an opened file or directory with a count of its owners. Whoever
// opened it holds the first reference; whoever outlives the opener takes one
// before the opener lets go. The last release closes the file.
//
// Several owners may read at offsets at once. Only the one who opened it may peek
// and copy: that moves the one offset that the descriptor has.
type Handle struct {
	owners atomic.Int32

	// Exactly one of the two is set and belongs to the handle.
	anchored *anchor.File
	foreign  fs.File

	random     io.ReaderAt   // the file again, where it can be read at an offset; else nil
	sequential *bufio.Reader // the file again, where it can only be read on; else nil
	position   int64         // where the last WriteRange left the descriptor's offset
}

func newAnchored(f *anchor.File) *Handle {
	h := &Handle{anchored: f, random: f}
	h.owners.Store(1)
	return h
}

func newForeign(f fs.File) *Handle {
	h := &Handle{foreign: f}
	switch f := f.(type) {
	case *os.File:
		h.random = f
	case osFile:
		h.random = f.OSFile()
	case io.ReadSeeker: // before ReaderAt: what embeds an *os.File and reads in its own way has a ReadAt that does not
		h.random = &seekReaderAt{file: f}
	case io.ReaderAt:
		h.random = f
	default:
		h.sequential = bufio.NewReaderSize(heldToIt{f}, peekMost)
	}
	h.owners.Store(1)
	return h
}

// Retain adds an owner. The caller must be one.
func (h *Handle) Retain() {
	if h.owners.Add(1) < 2 {
		h.owners.Add(-1)
		panic("servery: retain of a closed file")
	}
}

// Release gives up one owner's reference.
func (h *Handle) Release() {
	switch owners := h.owners.Add(-1); {
	case owners < 0:
		panic("servery: release of a closed file")
	case owners > 0:
	case h.anchored != nil:
		h.anchored.Close()
	default:
		h.foreign.Close()
	}
}

var errNothing = errors.New("file system returned neither an error nor a value")

// Look asks the opened file, never its name, what it is.
func (h *Handle) Look() (anchor.Info, error) {
	if h.anchored != nil {
		return h.anchored.Look()
	}
	fi, err := h.foreign.Stat()
	if err != nil {
		return anchor.Info{}, err
	}
	if fi == nil {
		return anchor.Info{}, errNothing
	}
	return anchor.InfoOf(fi), nil
}

// Seekable reports whether the file can be read from anywhere: without that
// there are no ranges.
func (h *Handle) Seekable() bool { return h.random != nil }

// ReadFull fills p with the bytes from offset on, or as many as there are. A
// sequential file has but one offset, the one where it stands.
func (h *Handle) ReadFull(p []byte, offset int64) (n int, err error) {
	if h.sequential != nil {
		n, err = io.ReadFull(h.sequential, p)
	} else {
		n, err = h.random.ReadAt(p, offset)
	}
	if n < 0 || n > len(p) {
		return 0, unreadable{errCount}
	}
	if n == len(p) || err == io.ErrUnexpectedEOF || err == io.EOF {
		err = nil
	}
	if err != nil {
		err = unreadable{err}
	}
	return n, err
}

// Each calls use with the bytes of the file, in order, a buffer at a time. It reads
// exactly the file that info describes, from its beginning, and reports ErrChanged
// if it is not that file any more at the end. An end of ctx is noticed between two
// reads.
func (h *Handle) Each(ctx context.Context, info anchor.Info, buffer []byte, use func([]byte) error) error {
	for offset := int64(0); offset < info.Size; {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		chunk := buffer[:min(int64(len(buffer)), info.Size-offset)]
		n, err := h.ReadFull(chunk, offset)
		switch {
		case err != nil:
			return err
		case n < len(chunk):
			return ErrChanged
		}
		if err := use(chunk); err != nil {
			return err
		}
		offset += int64(n)
	}
	if now, err := h.Look(); err != nil || !info.SameContent(now) {
		return ErrChanged
	}
	return nil
}

// readSome fills p with the first bytes, by a single system call where there is a
// descriptor. It may return fewer than there are.
func (h *Handle) readSome(p []byte) (int, error) {
	if h.anchored != nil {
		return h.anchored.ReadSome(p, 0)
	}
	return h.ReadFull(p, 0)
}

// unreadable is a failure to read what was opened. It is no longer what the system
// called it: that a range is invalid or a device is gone does not make the file
// missing.
type unreadable struct{ error }

// peek returns up to n of the first bytes and leaves them in the body. n is at
// most peekMost.
func (h *Handle) peek(n int) ([]byte, error) {
	if h.sequential == nil {
		p := make([]byte, n)
		got, err := h.ReadFull(p, 0)
		return p[:got], err
	}
	p, err := h.sequential.Peek(n)
	if err != nil && err != io.EOF {
		return nil, unreadable{err}
	}
	return p, nil
}

// writeRange copies an extent of the file to w: with sendfile where there is a
// descriptor and w is the response of net/http, else through the buffer.
func (h *Handle) writeRange(w io.Writer, r byterange.Range, buffer []byte) error {
	source, err := h.from(r.Start)
	if err != nil {
		return err
	}
	// net/http recognises a file behind exactly this one reader.
	n, err := io.CopyBuffer(w, &io.LimitedReader{R: source, N: r.Length}, buffer)
	h.position = r.Start + n
	if err == nil && n < r.Length {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// from returns a reader of the file that starts at offset.
func (h *Handle) from(offset int64) (io.Reader, error) {
	if h.sequential != nil {
		return h.sequential, nil
	}
	file := h.descriptor()
	if file == nil {
		return heldToIt{io.NewSectionReader(h.random, offset, math.MaxInt64-offset)}, nil
	}
	if offset == h.position {
		return file, nil
	}
	_, err := file.Seek(offset, io.SeekStart)
	return file, err
}

// descriptor is a file of the operating system, or something that wraps one: what
// package net can give to sendfile.
type descriptor interface {
	io.ReadSeeker
	syscall.Conn
}

func (h *Handle) descriptor() descriptor {
	if h.anchored != nil {
		return h.anchored
	}
	// Exactly these: what wraps an *os.File may have a Read of its own, which
	// sendfile would pass by.
	file, _ := h.random.(*os.File)
	if file == nil {
		return nil
	}
	return file
}

// osFile is an fs.File that is an *os.File, but for what it says of itself.
type osFile interface{ OSFile() *os.File }

// seekReaderAt reads at offsets from a file that can only seek.
type seekReaderAt struct {
	mu   sync.Mutex // held from the seek to the end of the read that relies on it
	file io.ReadSeeker
}

func (s *seekReaderAt) ReadAt(p []byte, offset int64) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.file.Seek(offset, io.SeekStart); err != nil {
		return 0, err
	}
	n, err := io.ReadFull(heldToIt{s.file}, p)
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	return n, err
}

// heldToIt makes a reader of somebody else's keep what io.Reader promises. io.ReadFull and
// io.Copy rely on that: they would ask for ever, or take bytes that were never read.
type heldToIt struct{ io.Reader }

// emptyReads is how often neither bytes nor an error are borne, as in package bufio.
const emptyReads = 100

var errCount = errors.New("reader returned an impossible count")

func (r heldToIt) Read(p []byte) (int, error) {
	for range emptyReads {
		n, err := r.Reader.Read(p)
		switch {
		case n < 0 || n > len(p):
			return 0, errCount
		case n > 0 || err != nil || len(p) == 0:
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}
