package identity

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"syscall"
	"testing"
	"testing/fstest"
)

// Members of somebody else's directory come looked at. One that did not is gone.
func TestLookAtForeignMember(t *testing.T) {
	f := newFixture(nil, false)
	f.fsys.MapFS["d/x"] = &fstest.MapFile{}
	directory, err := f.loader.Open(f.view, "d", Facts)
	if err != nil {
		t.Fatal(err)
	}
	defer directory.Close()
	m := MemberNamed("x", false)
	if looked, err := directory.LookAt(&m); looked || m.Looked || err != nil {
		t.Errorf("what cannot be looked at is %+v, %v", m, err)
	}
}

// failingLink is a file system in which one link cannot be followed.
type failingLink struct {
	fstest.MapFS
	err error
}

func (f failingLink) Stat(name string) (fs.FileInfo, error) {
	if name == "d/link" {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: f.err}
	}
	return f.MapFS.Stat(name)
}

// Only what nobody can ask for is left out. A directory of which nobody could find out
// what it holds does not hold less.
func TestMembersThatFail(t *testing.T) {
	for _, tt := range []struct {
		err    error
		out    bool
		reason string
	}{
		{fs.ErrNotExist, true, "leads to nothing, or out of a Dir"},
		{syscall.EXDEV, true, "leads out, in the words of openat2"},
		{syscall.ELOOP, true, "leads in a circle"},
		{syscall.ENOTDIR, true, "leads below a file"},
		{syscall.ENAMETOOLONG, true, "leads to what no file is called"},
		{syscall.ENXIO, true, "leads to a socket"},
		{syscall.EACCES, true, "may not be opened"},
		{syscall.EPERM, true, "is refused"},
		{ErrIrregular, true, "leads to what is no file"},
		{syscall.EMFILE, false, "the process has no descriptors"},
		{syscall.ENFILE, false, "the system has none"},
		{syscall.ENOMEM, false, "no memory"},
		{syscall.EIO, false, "the disk fails"},
		{syscall.EAGAIN, false, "somebody holds a lease on it"},
		{fs.ErrClosed, false, "the directory is closed"},
		{errors.New("other"), false, "nobody knows"},
	} {
		f := newFixture(nil, false)
		f.view.fsys = failingLink{fstest.MapFS{"d/a": {}, "d/link": {Mode: fs.ModeSymlink, Data: []byte("a")}, "d/z": {}}, tt.err}
		directory, err := f.loader.Open(f.view, "d", Facts)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		_, err = directory.Members(context.Background(), 10, func(members []Member) error {
			for _, m := range members {
				names = append(names, m.Name)
			}
			return nil
		})
		directory.Close()
		switch {
		case tt.out && (err != nil || !slices.Equal(names, []string{"a", "z"})):
			t.Errorf("%v: %q, %v, want it left out: %s", tt.err, names, err, tt.reason)
		case !tt.out && (!errors.Is(err, tt.err) || StatusOf(err) < 500):
			t.Errorf("%v: %q, %v, want that error: %s", tt.err, names, err, tt.reason)
		}
	}
}
