package anchor

import (
	"io/fs"
	"strings"
)

// ReadDir returns up to n further entries of an opened directory, in the order of the system, and an error that is
// io.EOF at the end. Ask [Root.LookIn] what they are, not the entries: they would go by way of a path.
func (f *File) ReadDir(n int) ([]fs.DirEntry, error) {
	file := f.OSFile()
	if file == nil {
		return nil, f.fault("readdir", fs.ErrClosed)
	}
	return file.ReadDir(n)
}

// LookIn returns what is under a name in a directory that was opened beneath r. The name is a single element, and a
// link is what it is itself: nothing is followed.
func (r *Root) LookIn(directory *File, element string) (Info, error) {
	if !isName(element) || element == "." || strings.Contains(element, "/") {
		return Info{}, openError(element, absent{fs.ErrInvalid})
	}
	if !r.refs.take() {
		return Info{}, openError(element, fs.ErrClosed)
	}
	defer r.Release()
	info, err := r.lookIn(directory, element)
	if err != nil {
		return Info{}, openError(element, err)
	}
	return info, nil
}
