package anchor

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// must stops the test at the first error.
func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func mkdir(t *testing.T, elements ...string) string {
	t.Helper()
	path := filepath.Join(elements...)
	must(t, os.MkdirAll(path, 0o755))
	return path
}

func write(t *testing.T, path, content string) {
	t.Helper()
	must(t, os.WriteFile(path, []byte(content), 0o644))
}

// openDirWith opens path in the given world and closes it with the test.
func openDirWith(t *testing.T, path string, w world) *Dir {
	t.Helper()
	d, err := openDir(path, w)
	must(t, err)
	t.Cleanup(func() { d.Close() })
	return d
}

// openRootBy opens path by way w and releases it with the test.
func openRootBy(t *testing.T, path string, w way) *Root {
	t.Helper()
	world := realWorld()
	world.opener = w.opener(t)
	r, err := openDirWith(t, path, world).Acquire()
	must(t, err)
	t.Cleanup(r.Release)
	return r
}

// read returns the whole of a regular file, and "<type>" for everything else.
func read(r *Root, name string) (string, error) {
	f, err := r.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Look()
	if err != nil {
		return "", err
	}
	if !info.Mode.IsRegular() {
		return "<" + info.Mode.Type().String() + ">", nil
	}
	p := make([]byte, info.Size)
	n, err := f.ReadAt(p, 0)
	if err == io.EOF {
		err = nil
	}
	return string(p[:n]), err
}

// wantNotExist checks the shape of an error that a client may take for a missing file.
func wantNotExist(t *testing.T, name string, err error) {
	t.Helper()
	var path *fs.PathError
	switch {
	case !errors.As(err, &path):
		t.Errorf("Open(%q): got %T %v, want a *fs.PathError", name, err, err)
	case path.Op != "open" || path.Path != name:
		t.Errorf("Open(%q): got operation %q and path %q", name, path.Op, path.Path)
	case !errors.Is(err, fs.ErrNotExist):
		t.Errorf("Open(%q): got %v, want fs.ErrNotExist", name, err)
	}
}
