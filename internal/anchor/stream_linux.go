package anchor

import (
	"errors"
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// read and seek use the offset of the descriptor, the one that sendfile moves.
func (h *handle) read(p []byte) (int, error) {
	if file := h.file.Load(); file != nil {
		return file.Read(p)
	}
	if !h.enter() {
		return 0, fs.ErrClosed
	}
	defer h.leave()
	if len(p) == 0 {
		return 0, nil
	}
	return some(func() (int, error) { return unix.Read(h.fd, p) })
}

func (h *handle) seek(offset int64, whence int) (int64, error) {
	if file := h.file.Load(); file != nil {
		return file.Seek(offset, whence)
	}
	if !h.enter() {
		return 0, fs.ErrClosed
	}
	defer h.leave()
	return unix.Seek(h.fd, offset, whence)
}

func (h *handle) syscallConn() (syscall.RawConn, error) {
	if file := h.file.Load(); file != nil {
		return file.SyscallConn()
	}
	return rawConn{h}, nil
}

// rawConn lends a descriptor that is always ready: nothing here ever waits.
type rawConn struct{ handle *handle }

func (c rawConn) Control(f func(fd uintptr)) error {
	if !c.handle.enter() {
		return fs.ErrClosed
	}
	defer c.handle.leave()
	f(uintptr(c.handle.fd))
	return nil
}

func (c rawConn) Read(f func(fd uintptr) (done bool)) error {
	done := false
	if err := c.Control(func(fd uintptr) { done = f(fd) }); err != nil || done {
		return err
	}
	return errors.ErrUnsupported // to wait for what a poller does not know
}

// Write is for files that were opened for writing, and none was.
func (c rawConn) Write(func(fd uintptr) (done bool)) error { return errors.ErrUnsupported }
