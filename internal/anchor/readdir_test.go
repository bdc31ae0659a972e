package anchor

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Entries are those of the directory that was opened, wherever it is by now, and links are
// links.
func TestLookIn(t *testing.T) {
	for _, way := range ways() {
		t.Run(way.name, func(t *testing.T) {
			top := t.TempDir()
			root := openRootBy(t, top, way)
			mkdir(t, top, "d", "sub")
			write(t, filepath.Join(top, "d", "file"), "12345")
			must(t, os.Symlink("/etc/passwd", filepath.Join(top, "d", "link")))
			directory, err := root.Open("d")
			must(t, err)
			defer directory.Close()
			for _, tt := range []struct {
				name   string
				kind   fs.FileMode
				size   int64
				found  bool
				reason string
			}{
				{"file", 0, 5, true, "a file"},
				{"sub", fs.ModeDir, -1, true, "a directory"},
				{"link", fs.ModeSymlink, -1, true, "a link is not followed"},
				{"gone", 0, 0, false, "nothing"},
				{"../d/file", 0, 0, false, "a path is no element"},
				{"sub/..", 0, 0, false, "nor is this one"},
				{"..", 0, 0, false, "what is above"},
				{".", 0, 0, false, "the directory itself"},
				{"", 0, 0, false, "no name"},
				{"a\x00b", 0, 0, false, "what ends early"},
			} {
				info, err := root.LookIn(directory, tt.name)
				if tt.found != (err == nil) || err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%q, %s: %v", tt.name, tt.reason, err)
				}
				if tt.found && (info.Mode.Type() != tt.kind || tt.size >= 0 && info.Size != tt.size) {
					t.Errorf("%q, %s: got %v", tt.name, tt.reason, info)
				}
			}
		})
	}
}

func TestReadDirInBatches(t *testing.T) {
	top := t.TempDir()
	root := openRootBy(t, top, ways()[0])
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		write(t, filepath.Join(top, name), "")
	}
	directory, err := root.Open(".")
	must(t, err)
	var names []string
	for {
		entries, err := directory.ReadDir(2)
		if len(entries) > 2 {
			t.Errorf("%d entries at once", len(entries))
		}
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
		if err == io.EOF {
			break
		}
		must(t, err)
	}
	slices.Sort(names)
	if !slices.Equal(names, []string{"a", "b", "c", "d", "e"}) {
		t.Errorf("got %q", names)
	}
	must(t, directory.Close())
	if _, err := directory.ReadDir(1); err == nil {
		t.Error("a closed directory was read")
	}
	if _, err := root.LookIn(directory, "a"); err == nil {
		t.Error("a closed directory was looked into")
	}
}
