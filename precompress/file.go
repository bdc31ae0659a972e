package precompress

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"servery"
	"servery/internal/mediatype"
	"servery/internal/sidecar"
)

// chunk is how much is read between two looks at whether to go on.
const chunk = 64 << 10

var (
	errChanged  = errors.New("file changed while it was read")
	errReplaced = errors.New("something else has the sidecar's name meanwhile")
)

// worker works on one file at a time. It belongs to its goroutine.
type worker struct {
	*run
	writers []servery.EncoderWriter // as the encoders, nil before the first use and after an error
	decoders
	buffer []byte
}

// original is a file that may have sidecars. Its descriptor is the worker's.
type original struct {
	file
	opened *os.File
	sum    *[sha256.Size]byte // of the content, once it is needed
}

func (w *worker) file(ctx context.Context, f file) {
	if ctx.Err() != nil {
		return
	}
	w.mu.Lock()
	w.stats.Files++
	w.mu.Unlock()
	if f.info.Size() < w.MinSize {
		w.without(f, Small)
		return
	}
	opened, err := w.root.Open(f.name)
	if err != nil {
		w.fail(f.name, err)
		return
	}
	defer opened.Close()
	o := &original{file: f, opened: opened}
	if o.info, err = opened.Stat(); err == nil && !o.info.Mode().IsRegular() {
		err = errChanged
	}
	mediaType := ""
	if err == nil {
		mediaType, err = w.mediaType(o)
	}
	switch {
	case err != nil:
		w.fail(f.name, err)
	case !w.Compressible(mediatype.Essence(mediaType)):
		w.without(f, Incompressible)
	default:
		for i := range w.Encoders {
			if ctx.Err() == nil {
				w.form(ctx, o, i)
			}
		}
	}
}

func (w *worker) mediaType(o *original) (string, error) {
	if mediaType := w.types.ByName(o.name); mediaType != "" {
		return mediaType, nil
	}
	n, err := o.opened.ReadAt(w.buffer[:512], 0) // WHATWG MIME Sniffing, section 7
	if err == io.EOF {
		err = nil
	}
	return mediatype.Sniff(w.buffer[:n]), err
}

// fail tells of an error, once, with the name that it is about.
func (r *run) fail(name string, err error) {
	r.tell(Event{Name: name, Outcome: Failed, Err: fmt.Errorf("%q: %w", name, bare(err))})
}

// bare returns an error without the names that it holds: they are not quoted, and may
// be temporary ones.
func bare(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// without removes the sidecars of a file that is to have none.
func (w *worker) without(f file, why Outcome) {
	w.tell(Event{Name: f.name, Outcome: why, Size: f.info.Size()})
	for i, present := range f.present {
		if !present {
			continue
		}
		name := f.name + sidecar.Extension(w.Encoders[i].Coding)
		old, err := w.look(name, w.Encoders[i])
		switch {
		case err != nil:
			w.fail(name, err)
		case old != nil:
			w.remove(old, f.info.Size())
		}
	}
}

// remove takes away a sidecar that is not wanted, if that is this package's to do.
func (w *worker) remove(old *form, size int64) {
	e := Event{Name: old.name, Outcome: Removed, Size: size}
	switch {
	case !old.own && !w.mayReplace(old.name):
		e.Outcome = Foreign
	case w.DryRun:
	default:
		err := w.still(old)
		if err == nil {
			err = w.root.Remove(old.name)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // else another run was faster
			w.fail(old.name, err)
			return
		}
	}
	w.tell(e)
}

func (w *worker) mayReplace(name string) bool { return w.Replace != nil && w.Replace(name) }

// form is what is at a sidecar's name.
type form struct {
	name string
	info fs.FileInfo
	own  bool              // made by this package, and whole
	mark string            // that it was made with
	sum  [sha256.Size]byte // of what it decodes to
}

// look returns what is at a sidecar's name, or nil if nothing is.
func (w *worker) look(name string, e servery.Encoder) (*form, error) {
	info, err := w.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	old := &form{name: name, info: info}
	if err != nil || !info.Mode().IsRegular() {
		return old, err
	}
	f, err := w.root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil { // another run may have renewed it since
		return nil, err
	}
	old.info = info
	mark, source, err := readMark(f, e.Coding, info.Size())
	if err != nil {
		return old, nil
	}
	hash := sha256.New()
	if err := w.decode(hash, e.Coding, source); err != nil {
		return old, nil
	}
	old.own, old.mark = true, mark
	hash.Sum(old.sum[:0])
	return old, nil
}

// still reports an error if something else is at the sidecar's name by now.
func (w *worker) still(old *form) error {
	info, err := w.root.Lstat(old.name)
	switch {
	case old.info == nil && errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case old.info == nil || !os.SameFile(info, old.info) ||
		info.Size() != old.info.Size() || !info.ModTime().Equal(old.info.ModTime()):
		return errReplaced
	}
	return nil
}

// each reads all of the original, exactly as it was found, from its beginning.
func (w *worker) each(ctx context.Context, o *original, use func([]byte) error) error {
	for offset, size := int64(0), o.info.Size(); offset < size; {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		p := w.buffer[:min(int64(len(w.buffer)), size-offset)]
		n, err := o.opened.ReadAt(p, offset)
		switch {
		case n < len(p) && (err == nil || err == io.EOF):
			return errChanged
		case n < len(p):
			return err
		}
		if err := use(p); err != nil {
			return err
		}
		offset += int64(n)
	}
	now, err := o.opened.Stat()
	if err != nil || now.Size() != o.info.Size() || !now.ModTime().Equal(o.info.ModTime()) {
		return errChanged
	}
	return nil
}

func (w *worker) sumOf(ctx context.Context, o *original) ([sha256.Size]byte, error) {
	if o.sum != nil {
		return *o.sum, nil
	}
	hash := sha256.New()
	err := w.each(ctx, o, func(p []byte) error {
		_, err := hash.Write(p)
		return err
	})
	var sum [sha256.Size]byte
	hash.Sum(sum[:0])
	if err == nil {
		o.sum = &sum
	}
	return sum, err
}

func (w *worker) close() { w.decoders.close() }
