package anchor

import (
	"path/filepath"
	"testing"
)

// Opening a file costs the File and the name with the NUL that the kernel wants after it; looking, reading and
// closing cost nothing, nor does a generation of the directory.
func TestAllocations(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(mkdir(t, root, "some", "where", "deep"), "file.html"), "content")
	w := realWorld()
	w.opener = withOpenat2(t)
	d := openDirWith(t, root, w)
	p := make([]byte, 7)
	whole := testing.AllocsPerRun(200, func() {
		r, err := d.Acquire()
		must(t, err)
		f, err := r.Open("some/where/deep/file.html")
		must(t, err)
		_, err = f.Look()
		must(t, err)
		_, err = f.ReadAt(p, 0)
		must(t, err)
		must(t, f.Close())
		r.Release()
	})
	if whole > 2 {
		t.Errorf("Open, Look, ReadAt and Close: %v allocations, want at most 2", whole)
	}
	generation := testing.AllocsPerRun(200, func() {
		r, err := d.Acquire()
		must(t, err)
		r.Release()
	})
	if generation != 0 {
		t.Errorf("Acquire and Release: %v allocations, want none", generation)
	}
}
