package identity

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"time"

	"servery/internal/etag"
)

// ErrSequential is the error of what needs to read a file twice, of a file that
// can be read only once.
var ErrSequential = errors.New("file can neither seek nor read at an offset")

var errNotRegular = errors.New("not a regular file")

// TagOf returns the tag of a file that somebody else opened and goes on to use:
// its offset is where it was.
func TagOf(f fs.File, contentMax int64, now time.Time) (tag etag.Tag, err error) {
	h := newForeign(f)
	info, err := h.Look()
	switch {
	case err != nil:
		return "", err
	case !info.Mode.IsRegular():
		return "", errNotRegular
	}
	o := &Opened{Handle: h, Info: info, ModTime: modTime(info, now), Settled: settled(info, now)}
	switch {
	case info.Size > contentMax && !o.ModTime.IsZero():
		return ofMetadata(o), nil
	case info.Size > max(contentMax, readMost):
		return weakly(o), nil
	}
	switch r := h.random.(type) {
	case nil:
		return "", ErrSequential
	case *seekReaderAt:
		start, startErr := r.file.Seek(0, io.SeekCurrent)
		if startErr != nil {
			return "", startErr
		}
		defer func() {
			if _, seekErr := r.file.Seek(start, io.SeekStart); err == nil {
				err = seekErr
			}
		}()
	}
	return ofFile(context.Background(), h, info, make([]byte, copyBuffer))
}
