package servery

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"servery/internal/anchor"
	"servery/internal/identity"
)

// Dir is a directory held open: a file system beneath which nothing leads out.
// Links are followed as long as they stay beneath it; one that leaves, or is
// absolute, is not found. Only regular files and directories are opened. A Dir may
// be shared by any number of goroutines.
//
// It follows the path that it was opened by: when a deployment switches a symbolic
// link there to another directory, later requests see that one, within a second,
// and no request sees both. While the path leads to no directory the last one goes
// on being served.
type Dir struct{ anchor *anchor.Dir }

var (
	_ fs.StatFS    = (*Dir)(nil)
	_ fs.ReadDirFS = (*Dir)(nil)
)

// OpenDir opens the directory at path. On Linux names are then resolved beneath
// it by openat2 (Linux 5.6), elsewhere by [os.Root]. The error is a [*fs.PathError].
func OpenDir(path string) (*Dir, error) {
	dir, err := anchor.OpenDir(path)
	if err != nil {
		return nil, err
	}
	return &Dir{anchor: dir}, nil
}

// Open opens the file or directory with this name for reading, as [fs.FS] defines.
// What it returns also has the other reading methods of an [*os.File]. A link that
// leads out is [fs.ErrNotExist], a name that is not [fs.ValidPath] is [fs.ErrInvalid].
func (d *Dir) Open(name string) (fs.File, error) {
	f, err := d.open("open", name)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Stat describes the file that Open would open.
func (d *Dir) Stat(name string) (fs.FileInfo, error) {
	f, err := d.open("stat", name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Stat()
}

// ReadDir returns the entries of a directory, sorted by name.
func (d *Dir) ReadDir(name string) ([]fs.DirEntry, error) {
	f, err := d.open("readdir", name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// Close lets go of the directory. Files that were opened beneath it remain open
// and answers that have begun are completed; what is asked for later fails with
// [fs.ErrClosed], which a [FileServer] answers with 503. A second Close returns [fs.ErrClosed], too.
func (d *Dir) Close() error { return d.anchor.Close() }

func (d *Dir) open(op, name string) (*dirFile, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	root, err := d.anchor.Acquire()
	if err != nil {
		return nil, err
	}
	defer root.Release()
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Look()
	if err == nil && !identity.Servable(info.Mode) {
		err = &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &dirFile{File: f.OSFile(), name: path.Base(name)}, nil
}

// dirFile is an *os.File under the name that it was opened by. It owns the
// descriptor.
type dirFile struct {
	*os.File
	name string // the last element
}

// OSFile tells a FileServer of another file system, such as an fs.Sub, that there is
// a descriptor to send from.
func (f *dirFile) OSFile() *os.File { return f.File }

func (f *dirFile) Stat() (fs.FileInfo, error) {
	info, err := f.File.Stat()
	if err != nil {
		return nil, err
	}
	return namedInfo{info, f.name}, nil
}

// ReadDir returns entries whose infos are there already: package os would look them up
// later by the directory's path, which this file was not opened by. Readdir asks for
// them by the descriptor, wherever the directory has been moved.
func (f *dirFile) ReadDir(n int) ([]fs.DirEntry, error) {
	for {
		infos, err := f.File.Readdir(n) // without those that are gone by now
		entries := make([]fs.DirEntry, len(infos))
		for i, info := range infos {
			entries[i] = fs.FileInfoToDirEntry(info)
		}
		if err != nil || n <= 0 || len(entries) > 0 {
			return entries, err
		}
	}
}

type namedInfo struct {
	fs.FileInfo
	name string
}

func (i namedInfo) Name() string { return i.name }
