package precompress

import (
	"bufio"
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
	case errors.Is(err, errReplaced):
		w.again(ctx, o, i, event)
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

// again looks at what somebody else has put in a sidecar's place meanwhile: if that is
// right, it is as good as this run's, and is probably another run's.
func (w *worker) again(ctx context.Context, o *original, i int, event Event) {
	e := w.Encoders[i]
	current := false
	now, err := w.look(event.Name, e)
	if err == nil && now != nil {
		if current, err = w.isCurrent(ctx, o, now, markOf(e)); err == nil && !isMarked(e.Coding) {
			_, current, err = w.compare(ctx, o, now, i)
		}
	}
	switch {
	case err != nil:
		w.failUnlessEnded(ctx, event.Name, err)
	case !current:
		w.fail(event.Name, errReplaced)
	default:
		w.date(o, now, event)
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
	if w.DryRun {
		return w.wouldReplace(ctx, o, old, i, name)
	}
	beside := path.Join(path.Dir(name), temporary+rand.Text())
	f, err := w.root.OpenFile(beside, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return Failed, 0, err
	}
	defer func() {
		f.Close()
		w.root.Remove(beside) // nothing has this name where it was renamed
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
		}
	} else {
		old = &form{name: name}
	}
	if err = w.complete(f, beside, o.info); err == nil {
		err = w.place(beside, old)
	}
	return Written, size, err
}

// place gives a complete file the sidecar's name. Where nothing was, nothing is
// replaced: a link is made or not, in one step. Over what was there, and where the file
// system has no links, there is a moment between the last look and the new name.
func (w *worker) place(beside string, old *form) error {
	if old.info == nil {
		switch err := w.root.Link(beside, old.name); {
		case err == nil:
			return nil
		case errors.Is(err, fs.ErrExist):
			return errReplaced
		}
	}
	if err := w.still(old); err != nil {
		return err
	}
	return w.root.Rename(beside, old.name)
}

// wouldReplace is replace in a dry run.
func (w *worker) wouldReplace(ctx context.Context, o *original, old *form, i int, name string) (Outcome, int64, error) {
	if old == nil || isMarked(w.Encoders[i].Coding) {
		size, err := w.encode(ctx, o, i, io.Discard)
		return outcomeOf(size, err)
	}
	size, same, err := w.compare(ctx, o, old, i)
	outcome, size, err := outcomeOf(size, err)
	switch {
	case err != nil || outcome != Written:
		return outcome, size, err
	case same:
		return Dated, size, nil
	case !old.own && !w.mayReplace(name):
		return Foreign, 0, nil
	}
	return Written, size, nil
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
