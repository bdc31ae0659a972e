//go:build !linux

package anchor

import (
	"io/fs"
	"os"
	"sync/atomic"
	"syscall"
)

// handle is an opened file. os.File counts its users itself.
type handle struct {
	file   *os.File // owned
	closed atomic.Bool
}

func (h *handle) initFile(file *os.File) {
	h.file = file
}

func (h *handle) look() (Info, error) {
	return lookThrough(h.file)
}

func (h *handle) readAt(p []byte, off int64) (int, error) {
	return h.file.ReadAt(p, off)
}

func (h *handle) readSome(p []byte, off int64) (int, error) {
	return h.file.ReadAt(p, off)
}

func (h *handle) read(p []byte) (int, error) {
	return h.file.Read(p)
}

func (h *handle) seek(offset int64, whence int) (int64, error) {
	return h.file.Seek(offset, whence)
}

func (h *handle) syscallConn() (syscall.RawConn, error) {
	return h.file.SyscallConn()
}

func (h *handle) osFile() *os.File {
	return h.file
}

func (h *handle) close() error {
	if h.closed.Swap(true) {
		return fs.ErrClosed
	}
	return h.file.Close()
}
