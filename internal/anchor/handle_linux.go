package anchor

import (
	"io"
	"io/fs"
	"os"
	"strconv"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// handle is an opened file: a bare descriptor, and an os.File over it once somebody needs that.
type handle struct {
	fd int // owned while file is nil and users is not zero

	// file owns the descriptor instead of fd once it is set. It never changes again.
	file atomic.Pointer[os.File]
	// making is held while file is made: a second os.File would close the descriptor a second time.
	making sync.Mutex

	// users counts the opener until close, and every call that uses fd while it runs: closing in the middle of one
	// would let it read what another file has under the number next.
	users  refs
	closed atomic.Bool // set by the first close
}

func newRawFile(name string, fd int) *File {
	f := &File{name: name}
	f.handle.fd = fd
	f.handle.users.init()
	return f
}

func (h *handle) initFile(file *os.File) {
	h.fd = -1
	h.file.Store(file)
	h.users.init()
}

// enter reports whether fd may be used; leave must follow if so.
func (h *handle) enter() bool {
	return !h.closed.Load() && h.users.take()
}

// leave ends the use of fd, and closes it if that was the last one.
func (h *handle) leave() error {
	if !h.users.drop() {
		return nil
	}
	if file := h.file.Load(); file != nil {
		return file.Close()
	}
	// Not repeated after EINTR: Linux has freed the number by then.
	return unix.Close(h.fd)
}

func (h *handle) close() error {
	if h.closed.Swap(true) {
		return fs.ErrClosed
	}
	return h.leave()
}

func (h *handle) look() (Info, error) {
	if file := h.file.Load(); file != nil {
		return lookThrough(file)
	}
	if !h.enter() {
		return Info{}, fs.ErrClosed
	}
	defer h.leave()
	st, err := uninterrupted(func() (st unix.Stat_t, err error) {
		err = unix.Fstat(h.fd, &st)
		return st, err
	})
	if err != nil {
		return Info{}, err
	}
	return infoOfStat(&st), nil
}

func (h *handle) readAt(p []byte, off int64) (n int, err error) {
	if file := h.file.Load(); file != nil {
		return file.ReadAt(p, off)
	}
	if !h.enter() {
		return 0, fs.ErrClosed
	}
	defer h.leave()
	for n < len(p) && err == nil {
		var m int
		m, err = some(func() (int, error) { return unix.Pread(h.fd, p[n:], off+int64(n)) })
		n += m
	}
	return n, err
}

func (h *handle) readSome(p []byte, off int64) (int, error) {
	if file := h.file.Load(); file != nil {
		return file.ReadAt(p, off)
	}
	if !h.enter() {
		return 0, fs.ErrClosed
	}
	defer h.leave()
	return some(func() (int, error) { return unix.Pread(h.fd, p, off) })
}

// some is a reading system call whose end of file is an error, as in package io.
func some(call func() (int, error)) (int, error) {
	n, err := uninterrupted(call)
	switch {
	case err != nil:
		return 0, err
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

// osFile makes the os.File under a name that leads to this very directory where /proc is mounted: an entry that is asked
// for its Info is looked at under the name of its directory. Nothing here relies on that: where the file system does not
// tell types, and in Readdir, package os asks by the descriptor.
func (h *handle) osFile() *os.File {
	h.making.Lock()
	defer h.making.Unlock()
	if file := h.file.Load(); file != nil {
		return file
	}
	if !h.enter() {
		return nil
	}
	defer h.leave()
	file := os.NewFile(uintptr(h.fd), "/proc/self/fd/"+strconv.Itoa(h.fd))
	h.file.Store(file)
	return file
}
