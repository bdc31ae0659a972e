// Package identity holds what an opened file says of itself. Size, times and tag
// come from the handle, never from a second look at the name: what the name leads
// to by then may be another file.
package identity

import (
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"sync"
	"time"

	"servery/internal/anchor"
	"servery/internal/byterange"
)

// ErrChanged is the error of a file that changed between two looks at its handle,
// or that holds less than it says. Opening it again may help.
var ErrChanged = errors.New("file changed while it was read")

var errNoSize = errors.New("file does not know its size")

// peekMost is how many bytes can be looked at ahead of the body: as many as tell a
// media type (WHATWG MIME Sniffing, section 7).
const peekMost = 512

// copyBuffer is the size of the buffers between a file and a writer that does not
// know sendfile, which is io.Copy's own.
const copyBuffer = 32 << 10

// Loader opens files and reads the small ones. It is safe for concurrent use.
type Loader struct {
	smallest int // files up to this size are read into memory at once
	now      func() time.Time
	small    sync.Pool // of *[]byte, smallest long
	copying  sync.Pool // of *[]byte, copyBuffer long
	hot      hotFiles
	found    sync.Pool // of *Opened, of remembered files
}

// NewLoader returns a Loader that reads files of up to small bytes into memory,
// none if small is negative, remembers files within hot bytes, and asks now for the
// time.
func NewLoader(small int, hot int64, now func() time.Time) *Loader {
	l := &Loader{smallest: small, hot: newHotFiles(hot, now()), now: now}
	l.small.New = func() any { return new(make([]byte, max(small, 0))) }
	l.copying.New = func() any { return new(make([]byte, copyBuffer)) }
	l.found.New = func() any { return new(Opened) }
	return l
}

// Opened is a file or directory that was opened for one request, and what it said
// of itself then. It belongs to that request's goroutine, but for the Handle.
//
// A file that was opened for another one, and is the same still, may be remembered
// instead: it has no Handle then, unless one is needed.
type Opened struct {
	*Handle
	Name    string
	Info    anchor.Info
	ModTime time.Time // to the second, zero where meaningless
	Now     time.Time // before the file was opened
	Settled bool      // no later write can leave Info as it is

	loader *Loader
	view   View     // what Name was opened in
	plain  []byte   // the whole file, where it is in memory; part of buffer
	buffer *[]byte  // from loader.small, goes back on Close
	hot    *hotFile // what was remembered, which plain is then of, or nil
}

// Need is what a file is opened for, as far as the request tells.
type Need int

const (
	Facts Need = iota // what it is, and perhaps its bytes
	Bytes             // some of its bytes, most likely
	Whole             // all of them, most likely: a small file is read with no more system calls than its sending needs
)

// Open opens name.
func (l *Loader) Open(view View, name string, need Need) (*Opened, error) {
	if o := l.Remembered(view, name, need); o != nil {
		return o, nil
	}
	o := &Opened{Name: name, Now: l.now(), loader: l, view: view}
	handle, err := view.Open(name)
	if err != nil {
		return nil, err
	}
	o.Handle = handle
	opened := false
	defer func() { // deferred: somebody else's file system may panic
		if !opened {
			o.Close()
		}
	}()
	readFirst := need == Whole && o.Seekable() && l.smallest > 0 && l.hot.size(name) <= int64(l.smallest)
	if err := o.look(readFirst); err != nil {
		return nil, err
	}
	if need == Whole && o.Small() && o.plain == nil {
		if err := o.Load(); err != nil {
			return nil, err
		}
	}
	opened = true
	return o, nil
}

// Remembered is Open for a file that is remembered, and nil for all others.
func (l *Loader) Remembered(view View, name string, need Need) *Opened {
	if l.hot.files == nil {
		return nil
	}
	now := l.now()
	file := l.hot.find(view, name, now, need)
	if file == nil {
		return nil
	}
	o := l.found.Get().(*Opened)
	o.Name, o.Info, o.ModTime, o.Now, o.Settled = name, file.info, file.modTime, now, true
	o.loader, o.view, o.plain, o.hot = l, view, file.plain, file
	return o
}

// look fills in what the file says. Reading comes first where it is asked for:
// if the identity seen after the bytes were read is older than the reading, and
// settled, then the bytes are its bytes. That is as sure as a look before and
// one after, for one system call less. The price is that a device is read from
// before it is known to be one, which has been opened by then anyway.
func (o *Opened) look(readFirst bool) error {
	n := 0
	if readFirst {
		o.buffer = o.loader.small.Get().(*[]byte)
		n, _ = o.readSome(*o.buffer) // its error is a directory's, or comes again
	}
	info, err := o.Look()
	if err != nil {
		return err
	}
	if !Servable(info.Mode) {
		return &fs.PathError{Op: "open", Path: o.Name, Err: ErrIrregular}
	}
	if info.Size < 0 && !info.Mode.IsDir() {
		return errNoSize
	}
	o.Info = info
	o.Settled = settled(info, o.Now)
	o.ModTime = modTime(info, o.Now)
	if readFirst && o.Settled && o.Small() && int64(n) == info.Size {
		o.plain = (*o.buffer)[:n]
	}
	if !o.Small() {
		o.freeBuffer() // which a long answer would hold for nothing
	}
	return nil
}

// IsDir reports whether a directory was opened.
func (o *Opened) IsDir() bool { return o.Info.Mode.IsDir() }

// Small reports whether the file is one of those that are read into memory.
func (o *Opened) Small() bool {
	return !o.IsDir() && o.loader.smallest > 0 && o.Info.Size <= int64(o.loader.smallest)
}

// Load reads a small file into memory, if it is not there yet, and makes sure
// that its identity is still what it was.
func (o *Opened) Load() error {
	if o.plain != nil {
		return nil
	}
	if err := o.hold(); err != nil {
		return err
	}
	if o.buffer == nil {
		o.buffer = o.loader.small.Get().(*[]byte)
	}
	plain := (*o.buffer)[:o.Info.Size]
	n, err := o.ReadFull(plain, 0)
	if err != nil {
		return err
	}
	if n < len(plain) {
		return ErrChanged
	}
	info, err := o.Look()
	if err != nil || info.Size != o.Info.Size {
		return ErrChanged
	}
	// Of what was written meanwhile, or has a date that is never twice the same,
	// nothing is remembered.
	o.Settled = o.Settled && o.Info.SameContent(info)
	o.plain = plain
	return nil
}

// steady reads a file that is in memory once more and reports whether its digest is
// the same: a read in the middle of a write sees the beginning of one version and
// the end of another. What can only be read on is taken as it is.
func (o *Opened) steady(sum [sha256.Size]byte) bool {
	if !o.Seekable() {
		return true
	}
	again := make([]byte, len(o.plain))
	n, err := o.Handle.ReadFull(again, 0)
	return err == nil && n == len(again) && sha256.Sum256(again) == sum
}

// Peek returns the first bytes of the file, as many as a media type is told by.
func (o *Opened) Peek() ([]byte, error) {
	if o.plain != nil {
		return o.plain[:min(len(o.plain), peekMost)], nil
	}
	if err := o.hold(); err != nil {
		return nil, err
	}
	return o.peek(peekMost)
}

// Probe reports ErrChanged if the extent is not there any more. Until the head is
// out a truncated file can still be answered by an error. What only reads on
// cannot be probed.
func (o *Opened) Probe(ranges []byterange.Range) error {
	if o.plain != nil || !o.Seekable() {
		return nil
	}
	var last [1]byte
	for _, r := range ranges {
		n, err := o.ReadFull(last[:], r.Start+r.Length-1)
		if err != nil {
			return err
		}
		if n == 0 {
			return ErrChanged
		}
	}
	return nil
}

// WriteRange copies an extent of the file to w.
func (o *Opened) WriteRange(w io.Writer, r byterange.Range) error {
	if o.plain != nil {
		_, err := w.Write(o.plain[r.Start : r.Start+r.Length])
		return err
	}
	if _, ok := w.(io.ReaderFrom); ok { // it brings its own buffer, where it needs one
		return o.writeRange(w, r, nil)
	}
	buffer := o.loader.copying.Get().(*[]byte)
	defer o.loader.copying.Put(buffer)
	return o.writeRange(w, r, *buffer)
}

// Another returns a reference of its own to the file, from its beginning: for work
// that may outlive the request. A file that can be read only once is opened once
// more.
func (o *Opened) Another() (*Handle, error) {
	if !o.Seekable() {
		return o.view.Open(o.Name)
	}
	if err := o.hold(); err != nil {
		return nil, err
	}
	o.Handle.Retain()
	return o.Handle, nil
}

// Seekable reports whether the file can be read from anywhere: without that there
// are no ranges.
func (o *Opened) Seekable() bool { return o.hot != nil || o.Handle.Seekable() }

// Close gives up the request's reference and its buffer. Nothing of o may be used after
// it.
func (o *Opened) Close() {
	if o.hot != nil && o.Handle == nil { // it was lent to nobody
		pool := &o.loader.found
		*o = Opened{}
		pool.Put(o)
		return
	}
	if o.Handle != nil {
		o.Handle.Release()
	}
	o.freeBuffer()
}

func (o *Opened) freeBuffer() {
	if o.buffer != nil {
		o.loader.small.Put(o.buffer)
		o.plain, o.buffer = nil, nil
	}
}
