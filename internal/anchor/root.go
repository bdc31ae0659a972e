package anchor

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Root is one generation of a directory: the directory that was at the path of a [Dir] at one moment, wherever it
// has been moved since. It is safe for concurrent use.
type Root struct {
	root   *os.Root    // owned; closed with the last reference
	held   held        // owned; the same directory once more, for the system's own way of opening
	self   fs.FileInfo // of the opened directory, not of the path
	opener *opener     // belongs to the Dir

	// refs counts the Dir while this is its current generation, every Acquire that is not released, and every Open
	// while it runs.
	refs refs
}

// openRoot opens the directory at path as a generation with one reference, which the caller owns.
func openRoot(path string, o *opener) (*Root, error) {
	dir, err := os.OpenRoot(onlyDirectory(path))
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: cause(err)}
	}
	r := &Root{root: dir, opener: o}
	r.refs.init()
	if err := r.hold(); err != nil {
		r.Release()
		return nil, &fs.PathError{Op: "open", Path: path, Err: cause(err)}
	}
	return r, nil
}

// hold learns what the opened directory is and tries once to open beneath it, so that a system without openat2 is
// known before the first request.
func (r *Root) hold() (err error) {
	if r.self, err = r.root.Stat("."); err != nil {
		return err
	}
	if r.held, err = hold(r.root); err != nil {
		return err
	}
	probe, err := r.Open(".")
	if err != nil {
		return err
	}
	return probe.Close()
}

// onlyDirectory ends a path with a separator, where that makes the system refuse to open anything but a directory.
// os.OpenRoot looks only afterwards, and would hang on a FIFO.
func onlyDirectory(path string) string {
	if os.PathSeparator != '/' || os.IsPathSeparator(path[len(path)-1]) {
		return path
	}
	return path + "/"
}

// Release gives back one Acquire. The last one closes the directory if its Dir no longer uses it. Files that were
// opened beneath it stay open. Release panics when it is called more often than Acquire.
func (r *Root) Release() {
	if !r.refs.drop() {
		return
	}
	// Nothing was written through these, so that closing them has nothing to report.
	r.held.close()
	r.root.Close()
}

// Open opens name beneath the directory for reading, whatever it is: a FIFO or a device opens too, without waiting,
// and [File.Look] tells. The caller must Close the file.
//
// name consists of elements separated by single slashes and means the directory itself where it is ".". It need not
// be UTF-8. Symbolic links are followed as long as they stay beneath the directory.
//
// The error is a [*fs.PathError]. It is [fs.ErrNotExist] also for everything that a client must not be able to tell
// from a missing file: a name that is empty, absolute, holds NUL or an element that is empty, "." or "..", or is too
// long; links that leave the directory, are absolute or lead in a circle; a path below a file; a socket. What speaks
// of the server's state stays as the system reports it: no permission, no descriptors, no memory, a failing disk.
func (r *Root) Open(name string) (*File, error) {
	if !isName(name) || filepath.Separator == '\\' && isWindowsAlias(name) {
		return nil, openError(name, absent{fs.ErrInvalid})
	}
	// The reference keeps a Root that is used after its Release from opening beneath whatever directory has the
	// descriptor by then.
	if !r.refs.take() {
		return nil, openError(name, fs.ErrClosed)
	}
	defer r.Release()
	f, err := r.open(name)
	if err != nil {
		return nil, openError(name, err)
	}
	return f, nil
}

// openThroughOS opens through os.Root, which walks the elements itself. It differs from openat2 in two ways, both
// on the strict side: it follows 8 links where the kernel follows 40, and it must be able to read the directories
// in between where the kernel only searches them.
func (r *Root) openThroughOS(name string) (*File, error) {
	file, err := r.root.OpenFile(filepath.FromSlash(name), openFlags, 0)
	if err != nil {
		return nil, err
	}
	return newFile(name, file), nil
}

// Look returns what is under a name that Open has opened before, without opening it, and reports false where it could
// not be found out, as on systems that have no call for it. Links are followed wherever they lead: what Look finds says
// nothing of whether it is beneath the directory.
func (r *Root) Look(name string) (Info, bool) {
	if !r.refs.take() {
		return Info{}, false
	}
	defer r.Release()
	return r.held.look(name)
}
