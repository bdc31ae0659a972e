package precompress

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"

	"servery/internal/coded"
	"servery/internal/sidecar"
)

// temporary is what the names of files begin with that are not complete. FileServer
// does not serve names that begin with a dot.
const temporary = ".precompress-"

// form makes sure of one sidecar.
func (w *worker) form(ctx context.Context, o *original, i int) {
	e := w.Encoders[i]
	name := o.name + sidecar.Extension(e.Coding)
	old, err := w.look(name, e)
	if err != nil {
		w.fail(name, err)
		return
	}
	event := Event{Name: name, Outcome: Foreign, Size: o.info.Size()}
	if old != nil {
		switch current, err := w.isCurrent(ctx, o, old, markOf(e)); {
		case err != nil:
			w.failUnlessEnded(ctx, name, err)
			return
		case current:
			w.date(o, old, event)
			return
		case old.own, w.mayReplace(name):
		case isMarked(e.Coding) || !old.info.Mode().IsRegular(): // those without a mark are compared
			w.tell(event)
			return
		}
	}
	switch event.Outcome, event.Coded, err = w.replace(ctx, o, old, i, name); {
	case err != nil:
		w.failUnlessEnded(ctx, name, err)
	case event.Outcome == Dated:
		w.date(o, old, event)
	case event.Outcome == NoSaving && old != nil:
		w.remove(old, event.Size)
	default:
		w.tell(event)
	}
}

// failUnlessEnded tells of no error that is the end of the run.
func (w *worker) failUnlessEnded(ctx context.Context, name string, err error) {
	if ctx.Err() == nil {
		w.fail(name, err)
	}
}

// isCurrent reports whether a sidecar is what would be written now.
func (w *worker) isCurrent(ctx context.Context, o *original, old *form, mark string) (bool, error) {
	if !old.own || old.mark != mark {
		return false, nil
	}
	sum, err := w.sumOf(ctx, o)
	return sum == old.sum, err
}

// date gives a sidecar that is right the date and the permission bits of the original.
func (w *worker) date(o *original, old *form, event Event) {
	event.Outcome, event.Coded = Fresh, old.info.Size()
	if !old.info.ModTime().Equal(o.info.ModTime()) || old.info.Mode().Perm() != o.info.Mode().Perm() {
		event.Outcome = Dated
		if !w.DryRun {
			if err := w.setDate(old.name, o.info); err != nil {
				w.fail(old.name, err)
				return
			}
		}
	}
	w.tell(event)
}

func (w *worker) setDate(name string, as fs.FileInfo) error {
	if err := w.root.Chmod(name, as.Mode().Perm()); err != nil {
		return err
	}
	return w.root.Chtimes(name, as.ModTime(), as.ModTime())
}

// replace writes a sidecar beside its place and moves it there. Its outcome is Dated
// where the very same bytes are there already.
func (w *worker) replace(ctx context.Context, o *original, old *form, i int, name string) (Outcome, int64, error) {
	if w.DryRun && (old == nil || isMarked(w.Encoders[i].Coding)) {
		size, err := w.encode(ctx, o, i, io.Discard)
		return outcomeOf(size, err)
	}
	beside := path.Join(path.Dir(name), temporary+rand.Text())
	f, err := w.root.OpenFile(beside, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return Failed, 0, err
	}
	moved := false
	defer func() {
		f.Close()
		if !moved {
			w.root.Remove(beside)
		}
	}()
	buffered := bufio.NewWriterSize(f, chunk)
	size, err := w.encode(ctx, o, i, buffered)
	if err == nil {
		err = buffered.Flush()
	}
	if outcome, size, err := outcomeOf(size, err); err != nil || outcome != Written {
		return outcome, size, err
	}
	if old != nil {
		switch same, err := w.same(f, old); {
		case err != nil:
			return Failed, 0, err
		case same:
			return Dated, size, nil
		case !old.own && !w.mayReplace(name):
			return Foreign, 0, nil
		case w.DryRun:
			return Written, size, nil
		}
	} else {
		old = &form{name: name}
	}
	if err = w.complete(f, beside, o.info); err == nil {
		if err = w.still(old); err == nil {
			err = w.root.Rename(beside, name)
		}
	}
	moved = err == nil
	return Written, size, err
}

func outcomeOf(size int64, err error) (Outcome, int64, error) {
	switch {
	case errors.Is(err, errTooLong):
		return NoSaving, 0, nil
	case err != nil:
		return Failed, 0, err
	}
	return Written, size, nil
}

// complete closes a file that is whole and gives it what its original has.
func (w *worker) complete(f *os.File, name string, as fs.FileInfo) error {
	if w.Sync {
		if err := f.Sync(); err != nil {
			return err
		}
	}
	if err := f.Close(); err != nil {
		return err
	}
	return w.setDate(name, as)
}

// encode writes the coded form of the original and returns its length.
func (w *worker) encode(ctx context.Context, o *original, i int, destination io.Writer) (int64, error) {
	e := w.Encoders[i]
	out := &output{w: destination, coding: e.Coding, mark: markOf(e), most: o.info.Size() * coded.Worthwhile / 100}
	writer := w.writers[i]
	w.writers[i] = nil // back only if all went well
	if writer == nil {
		var err error
		if writer, err = e.New(); err != nil {
			return 0, err
		}
	}
	reset(writer, out, o.info.Size())
	err := w.each(ctx, o, func(p []byte) error {
		n, err := writer.Write(p)
		if err == nil && n < len(p) {
			err = io.ErrShortWrite
		}
		return errors.Join(out.err, err)
	})
	if err == nil {
		err = errors.Join(writer.Close(), out.end())
	}
	if err == nil || errors.Is(err, errTooLong) { // it is new after a reset
		w.writers[i] = writer
	}
	return out.written, err
}

// same reports whether the file holds the bytes that the sidecar has.
func (w *worker) same(f *os.File, old *form) (bool, error) {
	info, err := f.Stat()
	if err != nil || !old.info.Mode().IsRegular() || info.Size() != old.info.Size() {
		return false, err
	}
	there, err := w.root.Open(old.name)
	if err != nil {
		return false, err
	}
	defer there.Close()
	a, b := w.buffer[:chunk/2], w.buffer[chunk/2:]
	for offset := int64(0); ; offset += int64(len(a)) {
		n, err := f.ReadAt(a, offset)
		m, thereErr := there.ReadAt(b, offset)
		switch {
		case !bytes.Equal(a[:n], b[:m]):
			return false, nil
		case err == io.EOF && thereErr == io.EOF:
			return true, nil
		case err != nil || thereErr != nil:
			return false, errors.Join(err, thereErr)
		}
	}
}
