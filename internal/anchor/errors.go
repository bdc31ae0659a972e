package anchor

import (
	"errors"
	"io/fs"
	"syscall"
)

// escapesText is what the unexported error of os.Root says. A test compares it with the real one.
const escapesText = "path escapes from parent"

// Escapes reports whether err says that a name or a link leads out of an [os.Root]. That error is exported nowhere,
// and comes out of any fs.FS that was made by [os.Root.FS]; callers answer it like a missing file. Errors of this
// package need no such question: they are [fs.ErrNotExist].
func Escapes(err error) bool {
	for err != nil {
		if err.Error() == escapesText {
			return true
		}
		err = errors.Unwrap(err)
	}
	return false
}

// absent is an error of the system that says no more than "not there" to a client, and what it was to a log.
type absent struct {
	cause error
}

func (e absent) Error() string {
	return e.cause.Error()
}

func (e absent) Unwrap() []error {
	return []error{fs.ErrNotExist, e.cause}
}

// openError turns an error of opening name into the one that is returned.
func openError(name string, err error) error {
	err = cause(err)
	if isAbsence(err) {
		err = absent{err}
	}
	return &fs.PathError{Op: "open", Path: name, Err: err}
}

// cause takes the operation and the path off an error of package os. They are those of a step in between, or hold
// the path of the directory.
func cause(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}

// isAbsence reports whether err, if a client could tell it from a missing file, would speak of what is outside or
// of how the directory is built. ENOENT is not among them because it is fs.ErrNotExist already.
func isAbsence(err error) bool {
	errno, ok := errors.AsType[syscall.Errno](err)
	if !ok {
		return Escapes(err)
	}
	switch errno {
	case syscall.EXDEV, // a link that leaves, in the words of openat2
		syscall.ELOOP,        // links in a circle, or a magic link
		syscall.ENOTDIR,      // a path below a file
		syscall.ENAMETOOLONG, // an element or a path
		syscall.ENXIO,        // a socket, or a device that is not there
		syscall.EOPNOTSUPP,   // a socket, in the words of the BSDs
		syscall.ENODEV,       // a device without a driver
		syscall.EINVAL,       // a name that this file system cannot hold
		syscall.EILSEQ:       // likewise, because it is not UTF-8
		return true
	}
	return isAbsenceHere(errno)
}
