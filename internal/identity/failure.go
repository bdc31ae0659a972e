package identity

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"syscall"

	"servery/internal/anchor"
)

// StatusOf maps the failure to open or read a file to the status that a client
// is told. It is all that the client is told.
func StatusOf(err error) int {
	switch {
	case errors.Is(err, fs.ErrClosed),
		errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE),
		errors.Is(err, syscall.EAGAIN): // somebody holds a lease on the file
		return http.StatusServiceUnavailable
	case IsMissing(err):
		return http.StatusNotFound
	case errors.Is(err, fs.ErrPermission):
		return http.StatusForbidden
	}
	return http.StatusInternalServerError
}

// IsMissing reports whether the name leads to nothing that could be served: to
// nothing at all, out of the root, below a file, or to what is no file.
func IsMissing(err error) bool {
	for _, missing := range []error{
		fs.ErrNotExist, fs.ErrInvalid, ErrIrregular,
		syscall.ENOTDIR, syscall.ELOOP, syscall.ENAMETOOLONG, syscall.EXDEV, syscall.ENXIO, syscall.ENODEV,
	} {
		if errors.Is(err, missing) {
			return true
		}
	}
	return anchor.Escapes(err)
}
