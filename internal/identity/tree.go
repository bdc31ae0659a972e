package identity

import (
	"errors"
	"io/fs"

	"servery/internal/anchor"
)

// ErrIrregular is the error of names that lead to neither a regular file nor a
// directory: a FIFO would block its reader, a device is nobody's to read.
var ErrIrregular = errors.New("neither a regular file nor a directory")

// Tree is what files are opened beneath: a directory held open, or a file system
// of somebody else's. Exactly one is set.
type Tree struct {
	Dir *anchor.Dir
	FS  fs.FS
}

// View is the tree as it is during one request, which never sees two deployments.
type View struct {
	root *anchor.Root
	fsys fs.FS
}

// View acquires the tree. It must be released; handles outlive it.
func (t Tree) View() (View, error) {
	if t.Dir == nil {
		return View{fsys: t.FS}, nil
	}
	root, err := t.Dir.Acquire()
	return View{root: root}, err
}

// Release gives the view up.
func (v View) Release() {
	if v.root != nil {
		v.root.Release()
	}
}

// Open opens a name of package urlpath's form.
func (v View) Open(name string) (*Handle, error) {
	if v.root != nil {
		f, err := v.root.Open(name)
		if err != nil {
			return nil, err
		}
		return newAnchored(f), nil
	}
	return openForeign(v.fsys, name)
}

// look returns what is under a name that was opened before, or reports that only
// opening it could tell.
func (v View) look(name string) (anchor.Info, bool) {
	if v.root == nil {
		return anchor.Info{}, false
	}
	return v.root.Look(name)
}

// openForeign asks what the name leads to before it opens it, where the file
// system can tell: os.DirFS would wait in open until a FIFO has a writer. It is a
// guard against accidents. What is served is looked at after it was opened.
func openForeign(fsys fs.FS, name string) (*Handle, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if stater, ok := fsys.(fs.StatFS); ok {
		fi, err := stater.Stat(name)
		if err != nil {
			return nil, err
		}
		if !Servable(fi.Mode()) {
			return nil, &fs.PathError{Op: "open", Path: name, Err: ErrIrregular}
		}
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	if f == nil {
		return nil, errNothing
	}
	return newForeign(f), nil
}

// Servable reports whether files of this mode are opened at all.
func Servable(mode fs.FileMode) bool { return mode.IsRegular() || mode.IsDir() }
