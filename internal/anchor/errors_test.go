package anchor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// The text that Escapes looks for is that of the real os.Root.
func TestEscapes(t *testing.T) {
	base := t.TempDir()
	root, err := os.OpenRoot(mkdir(t, base, "root"))
	must(t, err)
	defer root.Close()
	if err := os.Symlink(filepath.Join("..", "x"), filepath.Join(base, "root", "leaves")); err != nil {
		if runtime.GOOS != "windows" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	_, escape := root.FS().Open("leaves")
	_, missing := root.FS().Open("missing")
	_, invalid := root.FS().Open("../x")
	for _, test := range []struct {
		err  error
		want bool
		why  string
	}{
		{escape, true, "of os.Root"},
		{fmt.Errorf("site: %w", escape), true, "wrapped once more"},
		{missing, false, "missing"},
		{invalid, false, "an invalid name never gets as far"},
		{nil, false, "no error"},
		{errors.New("path escapes from parents"), false, "another text"},
	} {
		if got := Escapes(test.err); got != test.want {
			t.Errorf("Escapes(%v) = %v, want %v: %s", test.err, got, test.want, test.why)
		}
	}
}

func TestOpenError(t *testing.T) {
	inner := func(err error) error { return &fs.PathError{Op: "openat", Path: "inner", Err: err} }
	for _, test := range []struct {
		err    error
		absent bool
		why    string
	}{
		{syscall.ENOENT, true, "missing"},
		{syscall.EXDEV, true, "a link that leaves"},
		{errors.New(escapesText), true, "the same in the words of os.Root"},
		{syscall.ELOOP, true, "a circle"},
		{syscall.ENOTDIR, true, "below a file"},
		{syscall.ENAMETOOLONG, true, "too long"},
		{syscall.ENXIO, true, "a socket"},
		{syscall.ENODEV, true, "a device without a driver"},
		{syscall.EINVAL, true, "a name that the file system cannot hold"},
		{syscall.EILSEQ, true, "likewise"},
		{syscall.EACCES, false, "403, not 404"},
		{syscall.EPERM, false, "403, not 404"},
		{syscall.EMFILE, false, "503, not 404"},
		{syscall.ENFILE, false, "503, not 404"},
		{syscall.ENOMEM, false, "503, not 404"},
		{syscall.EIO, false, "500, not 404"},
		{syscall.EAGAIN, false, "500, not 404"},
		{fs.ErrClosed, false, "a mistake of ours"},
	} {
		for _, err := range []error{test.err, inner(test.err)} {
			got := openError("name", err)
			if errors.Is(got, fs.ErrNotExist) != test.absent {
				t.Errorf("%v: absent is %v, want %v: %s", err, !test.absent, test.absent, test.why)
			}
			if want := "open name: " + test.err.Error(); !errors.Is(got, test.err) || got.Error() != want {
				t.Errorf("%v: got %q, want %q with the cause in its chain", err, got, want)
			}
		}
	}
}
