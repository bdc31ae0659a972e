//go:build !linux

package anchor

import "path/filepath"

// lookIn goes down from the root again, which never leads out of it.
func (r *Root) lookIn(directory *File, element string) (Info, error) {
	fi, err := r.root.Lstat(filepath.Join(filepath.FromSlash(directory.name), element))
	if err != nil {
		return Info{}, err
	}
	return InfoOf(fi), nil
}
