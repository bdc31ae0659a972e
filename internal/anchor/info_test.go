package anchor

import (
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"
)

// What a File says of itself is what package os says of it, whichever way it was opened.
func TestLookIsInfoOf(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "f")
	write(t, path, "content")
	must(t, os.Chmod(path, 0o751|fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky))
	mkdir(t, root, "dir")
	stamp := filepath.Join(root, "stamp")
	write(t, stamp, "")
	must(t, os.Chtimes(stamp, time.Time{}, time.Unix(-5, 7)))
	for _, w := range ways() {
		r := openRootBy(t, root, w)
		for _, name := range []string{"f", "dir", "stamp"} {
			fi, err := os.Stat(filepath.Join(root, name))
			must(t, err)
			f, err := r.Open(name)
			must(t, err)
			got, err := f.Look()
			if want := InfoOf(fi); err != nil || got != want {
				t.Errorf("%s: %s: got %+v, %v, want %+v", w.name, name, got, err, want)
			}
			f.OSFile()
			if again, err := f.Look(); err != nil || again != got {
				t.Errorf("%s: %s: through os.File: got %+v, %v, want %+v", w.name, name, again, err, got)
			}
			must(t, f.Close())
		}
	}
}

func TestInfoOf(t *testing.T) {
	changed := time.Date(2024, 2, 29, 1, 2, 3, 4, time.UTC)
	for _, test := range []struct {
		file fstest.MapFile
		want Info
		why  string
	}{
		{fstest.MapFile{Data: []byte("abc"), Mode: 0o444, ModTime: changed},
			Info{Mode: 0o444, Size: 3, ModTime: changed.UnixNano(), HasModTime: true}, "no inode in a foreign file"},
		{fstest.MapFile{}, Info{}, "no time, as embed gives none"},
		{fstest.MapFile{ModTime: time.Unix(0, 0)}, Info{HasModTime: true}, "1970 is a time"},
		{fstest.MapFile{ModTime: changed.AddDate(239, 0, 0)}, Info{ModTime: math.MaxInt64, HasModTime: true}, "far ahead"},
		{fstest.MapFile{ModTime: changed.AddDate(-347, 0, 0)}, Info{ModTime: math.MinInt64, HasModTime: true}, "long ago"},
		{fstest.MapFile{Mode: fs.ModeDir | 0o755, Sys: "foreign"}, Info{Mode: fs.ModeDir | 0o755}, "a foreign Sys"},
	} {
		fi, err := fstest.MapFS{"f": &test.file}.Stat("f")
		must(t, err)
		if got := InfoOf(fi); got != test.want {
			t.Errorf("got %+v, want %+v: %s", got, test.want, test.why)
		}
	}
}

// An Info tells a file from its successor, and a changed file from what it was.
func TestInfoTellsStatesApart(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "f")
	info := func(content string) Info {
		write(t, path, content)
		must(t, os.Chtimes(path, time.Time{}, time.Unix(1, 0)))
		fi, err := os.Stat(path)
		must(t, err)
		return InfoOf(fi)
	}
	first := info("abc")
	if first.HasInode && (first.Inode == 0 || first.ChangeTime == 0) {
		t.Errorf("got %+v, want inode and change time", first)
	}
	must(t, os.Rename(path, path+".old"))
	second := info("abc")
	if first.HasInode && first.Inode == second.Inode {
		t.Errorf("two files at once with inode %d", first.Inode)
	}
	if third := info("abcd"); third == second {
		t.Errorf("a longer file is still %+v", third)
	}
}

func TestSameContent(t *testing.T) {
	before := Info{Mode: 0o644, Size: 3, ModTime: 5, HasModTime: true, ChangeTime: 7, Device: 1, Inode: 2, Links: 2, HasInode: true}
	for _, test := range []struct {
		change func(*Info)
		want   bool
		why    string
	}{
		{func(*Info) {}, true, "nothing changed"},
		{func(i *Info) { i.ChangeTime = 8 }, false, "written, and the date put back"},
		{func(i *Info) { i.ChangeTime, i.Links = 8, 1 }, true, "replaced by a rename"},
		{func(i *Info) { i.ChangeTime, i.Links = 8, 3 }, false, "another name does not excuse a new change time"},
		{func(i *Info) { i.Links, i.ModTime = 1, 6 }, false, "written, and removed"},
		{func(i *Info) { i.Links, i.Size = 1, 4 }, false, "grown, and removed"},
		{func(i *Info) { i.Links, i.Inode = 1, 3 }, false, "another file"},
	} {
		later := before
		test.change(&later)
		if got := before.SameContent(later); got != test.want {
			t.Errorf("%+v: got %v, want %v: %s", later, got, test.want, test.why)
		}
	}
}

func TestSameContentAfterRename(t *testing.T) {
	for _, w := range ways() {
		root := t.TempDir()
		write(t, filepath.Join(root, "f"), "content")
		write(t, filepath.Join(root, "g"), "replaces it")
		f, err := openRootBy(t, root, w).Open("f")
		must(t, err)
		before, err := f.Look()
		must(t, err)
		must(t, os.Rename(filepath.Join(root, "g"), filepath.Join(root, "f")))
		after, err := f.Look()
		must(t, err)
		if !before.SameContent(after) {
			t.Errorf("%s: replaced by a rename, %+v is not %+v", w.name, after, before)
		}
		must(t, f.Close())
	}
}
