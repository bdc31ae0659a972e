package anchor

import (
	"io"
	"io/fs"
	"os"
	"syscall"
)

// File is what was opened under a name: a regular file or a directory, or whatever else was there. It stays what it
// is when the name is given to another file. It has its own offset, and is safe for concurrent use; Close lets
// calls in progress finish.
//
// It has no finalizer: who opens it must Close it.
type File struct {
	name   string // as given to Root.Open
	handle handle // owned
}

var (
	_ io.ReaderAt   = (*File)(nil)
	_ io.ReadSeeker = (*File)(nil)
	_ syscall.Conn  = (*File)(nil)
)

// newFile returns the File that owns file.
func newFile(name string, file *os.File) *File {
	f := &File{name: name}
	f.handle.initFile(file)
	return f
}

// Look returns what the opened file says of itself now.
func (f *File) Look() (Info, error) {
	info, err := f.handle.look()
	if err != nil {
		return Info{}, f.fault("stat", err)
	}
	return info, nil
}

// ReadAt is as in [io.ReaderAt]. It reads until p is full, so that a p as long as the file takes one system call,
// and one longer than the file two.
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, f.fault("read", fs.ErrInvalid)
	}
	n, err := f.handle.readAt(p, off)
	if err != nil && err != io.EOF {
		err = f.fault("read", err)
	}
	return n, err
}

// ReadSome is ReadAt with a single system call, which may return less than there is.
func (f *File) ReadSome(p []byte, off int64) (int, error) {
	n, err := f.handle.readSome(p, off)
	if err != nil && err != io.EOF {
		err = f.fault("read", err)
	}
	return n, err
}

// Read is as in [io.Reader], from the file's own offset.
func (f *File) Read(p []byte) (int, error) {
	n, err := f.handle.read(p)
	if err != nil && err != io.EOF {
		err = f.fault("read", err)
	}
	return n, err
}

// Seek is as in [io.Seeker].
func (f *File) Seek(offset int64, whence int) (int64, error) {
	position, err := f.handle.seek(offset, whence)
	if err != nil {
		return 0, f.fault("seek", err)
	}
	return position, nil
}

// SyscallConn lends the descriptor out, for as long as each call of the RawConn lasts. Package net finds it where it
// copies from a reader, and uses sendfile; an *os.File would cost two system calls more to make.
func (f *File) SyscallConn() (syscall.RawConn, error) {
	return f.handle.syscallConn()
}

// OSFile returns an [*os.File] on the same descriptor, made by the first call and the same in all: for reading
// a directory, and for whoever needs that type. It belongs to the File and is closed by [File.Close]. After Close it is closed, or nil
// if there was none; the methods of both return errors.
//
// Its name is not the one that was opened. Entries read from a directory must be asked for their Info before Close.
func (f *File) OSFile() *os.File {
	return f.handle.osFile()
}

// Close closes the file once the calls in progress have returned. A second call returns [fs.ErrClosed] and closes
// nothing, whoever has the descriptor by then.
func (f *File) Close() error {
	err := f.handle.close()
	if err != nil && err != fs.ErrClosed {
		err = f.fault("close", err)
	}
	return err
}

func (f *File) fault(op string, err error) error {
	return &fs.PathError{Op: op, Path: f.name, Err: cause(err)}
}

// lookThrough is look for a file of package os.
func lookThrough(file *os.File) (Info, error) {
	fi, err := file.Stat()
	if err != nil {
		return Info{}, err
	}
	return InfoOf(fi), nil
}
