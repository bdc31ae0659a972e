package anchor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"servery/internal/testkit"
)

// /proc/self holds magic links themselves: what they lead to is not what their text says.
func TestOpenMagicLink(t *testing.T) {
	secret, err := os.CreateTemp(t.TempDir(), "")
	must(t, err)
	defer secret.Close()
	for _, w := range ways() {
		r := openRootBy(t, "/proc/self", w)
		for _, name := range []string{"root", "root/etc", "cwd", "exe", fmt.Sprint("fd/", secret.Fd())} {
			f, err := r.Open(name)
			if err == nil {
				f.Close()
				t.Errorf("%s: %q opened", w.name, name)
				continue
			}
			wantNotExist(t, name, err)
			if w.name == "openat2" && !errors.Is(err, unix.ELOOP) {
				t.Errorf("%q: got %v, want ELOOP, which is what magic links as such are refused with", name, err)
			}
		}
		if _, err := read(r, "status"); err != nil {
			t.Errorf("%s: an ordinary file: %v", w.name, err)
		}
	}
}

func TestOpenDevice(t *testing.T) {
	root := t.TempDir()
	null := filepath.Join(root, "null")
	if err := unix.Mknod(null, unix.S_IFCHR|0o644, int(unix.Mkdev(1, 3))); err != nil {
		testkit.Lacks(t, "the right to make devices: "+err.Error())
	}
	must(t, unix.Mknod(filepath.Join(root, "none"), unix.S_IFCHR|0o644, int(unix.Mkdev(511, 77))))
	if f, err := os.Open(null); err != nil {
		testkit.Lacks(t, "a file system for devices: "+err.Error())
	} else {
		f.Close()
	}
	for _, w := range ways() {
		r := openRootBy(t, root, w)
		if got, err := read(r, "null"); err != nil || got != "<Dc--------->" {
			t.Errorf("%s: got %q, %v, want a device by its mode", w.name, got, err)
		}
		_, err := r.Open("none")
		wantNotExist(t, "none", err)
		if !errors.Is(err, unix.ENXIO) {
			t.Errorf("%s: a device without a driver: got %v, want ENXIO in the chain", w.name, err)
		}
	}
}

// A file that may not be read is there: 403 is not 404.
func TestOpenWithoutPermission(t *testing.T) {
	root := t.TempDir()
	must(t, os.Chmod(root, 0o755))
	write(t, filepath.Join(root, "open"), "open")
	write(t, filepath.Join(root, "closed"), "closed")
	must(t, os.Chmod(filepath.Join(root, "closed"), 0o600))
	write(t, filepath.Join(mkdir(t, root, "dir"), "f"), "f")
	must(t, os.Chmod(filepath.Join(root, "dir"), 0o700))
	for _, w := range ways() {
		r := openRootBy(t, root, w)
		asStranger(t, func() {
			if got, err := read(r, "open"); err != nil || got != "open" {
				t.Errorf("%s: a file for everybody: got %q, %v", w.name, got, err)
			}
			for _, name := range []string{"closed", "dir", "dir/f", "dir/nothing"} {
				_, err := r.Open(name)
				if !errors.Is(err, fs.ErrPermission) || !errors.Is(err, unix.EACCES) || errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s: %q: got %v, want EACCES alone", w.name, name, err)
				}
			}
		})
	}
}

// The state of the server is no property of a name.
func TestOpenOutOfDescriptors(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "a"), "a")
	for _, w := range ways() {
		r := openRootBy(t, root, w)
		err := withoutDescriptors(t, func() error {
			_, err := r.Open("a")
			return err
		})
		if !errors.Is(err, unix.EMFILE) || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: got %v, want EMFILE", w.name, err)
		}
		if _, err := read(r, "a"); err != nil {
			t.Errorf("%s: afterwards: %v", w.name, err)
		}
	}
}

// withoutDescriptors runs f while the process can open nothing.
func withoutDescriptors(t *testing.T, f func() error) error {
	t.Helper()
	var before unix.Rlimit
	must(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &before))
	none := before
	none.Cur = 0
	must(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &none))
	defer unix.Setrlimit(unix.RLIMIT_NOFILE, &before)
	return f()
}
