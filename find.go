package servery

import (
	"errors"
	"io/fs"
	"net/http"
	"path"

	"servery/internal/identity"
	"servery/internal/urlpath"
)

// find opens the file that the target names or stands for, or the directory that is to be
// listed, or tells where else the client should ask.
func (s *fileServer) find(view identity.View, r *http.Request, target urlpath.Target, need identity.Need) (*identity.Opened, string, error) {
	if opened := s.hotIndex(view, target, need); opened != nil {
		return opened, "", nil
	}
	opened, err := s.loader.Open(view, target.Name, need)
	if target.Slash && errors.Is(err, fs.ErrPermission) { // what is in a directory can be opened by who can only search it
		if index, indexErr := s.index(view, target.Name, need); indexErr == nil {
			return index, "", nil
		}
	}
	if err != nil || !opened.IsDir() && !target.Slash {
		return opened, "", err
	}
	isDir := opened.IsDir()
	opened.Close()
	switch {
	case isDir && (target.Slash || s.options.NoRedirect):
		opened, err = s.index(view, target.Name, need)
		if s.options.Listing && errors.Is(err, fs.ErrNotExist) {
			opened, err = s.loader.Open(view, target.Name, identity.Facts)
		}
		return opened, "", err
	case isDir:
		return nil, urlpath.WithSlash(r.URL.Path, r.URL.RawQuery), nil
	case s.options.NoRedirect || target.Name == ".": // a root that is a file has no name to go to
		return nil, "", fs.ErrNotExist
	}
	return nil, urlpath.WithoutSlash(r.URL.Path, r.URL.RawQuery), nil
}

// hotIndex returns the index of a directory if it is remembered. Where the first index
// name leads to a file, what the name is in is a directory.
func (s *fileServer) hotIndex(view identity.View, target urlpath.Target, need identity.Need) *identity.Opened {
	if !target.Slash || len(s.options.Index) == 0 {
		return nil
	}
	return s.loader.Remembered(view, path.Join(target.Name, s.options.Index[0]), need)
}

// index opens the first of the index names that is a file.
func (s *fileServer) index(view identity.View, directory string, need identity.Need) (*identity.Opened, error) {
	for _, name := range s.options.Index {
		opened, err := s.loader.Open(view, path.Join(directory, name), need)
		switch {
		case err == nil && !opened.IsDir():
			return opened, nil
		case err == nil:
			opened.Close()
		case !identity.IsMissing(err):
			return nil, err
		}
	}
	return nil, fs.ErrNotExist
}
