package anchor

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/iotest"
)

// openFile opens a file with the given content by way w.
func openFile(t *testing.T, w way, content string) *File {
	t.Helper()
	root := t.TempDir()
	write(t, filepath.Join(root, "f"), content)
	f, err := openRootBy(t, root, w).Open("f")
	must(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

func TestReadAt(t *testing.T) {
	for _, w := range ways() {
		f := openFile(t, w, "0123456789")
		for _, through := range []string{"descriptor", "os.File"} {
			for _, test := range []struct {
				length int
				off    int64
				want   string
				err    error
				why    string
			}{
				{10, 0, "0123456789", nil, "the whole file"},
				{4, 3, "3456", nil, "a part"},
				{5, 5, "56789", nil, "up to the end"},
				{5, 8, "89", io.EOF, "beyond the end"},
				{5, 10, "", io.EOF, "at the end"},
				{5, 99, "", io.EOF, "behind the end"},
				{0, 3, "", nil, "nothing"},
				{5, -1, "", fs.ErrInvalid, "before the start"},
			} {
				p := make([]byte, test.length)
				n, err := f.ReadAt(p, test.off)
				if string(p[:n]) != test.want || !errors.Is(err, test.err) {
					t.Errorf("%s, %s: %s: got %q, %v, want %q, %v", w.name, through, test.why, p[:n], err, test.want, test.err)
				}
			}
			f.OSFile()
		}
	}
}

func TestFileIsReaderAt(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789abcdef"), 4096)
	for _, w := range ways() {
		f := openFile(t, w, string(content))
		if err := iotest.TestReader(io.NewSectionReader(f, 0, int64(len(content))), content); err != nil {
			t.Errorf("%s: %v", w.name, err)
		}
	}
}

func TestReadAtOfDirectory(t *testing.T) {
	for _, w := range ways() {
		f, err := openRootBy(t, t.TempDir(), w).Open(".")
		must(t, err)
		n, err := f.ReadAt(make([]byte, 1), 0)
		var path *fs.PathError
		if n != 0 || !errors.As(err, &path) || path.Path != "." || path.Op != "read" {
			t.Errorf("%s: got %d, %v, want an error that names the directory as it was opened", w.name, n, err)
		}
		must(t, f.Close())
	}
}

func TestOSFile(t *testing.T) {
	for _, w := range ways() {
		f := openFile(t, w, "content")
		file := f.OSFile()
		if again := f.OSFile(); file == nil || again != file {
			t.Fatalf("%s: got %p, then %p, want one file", w.name, file, again)
		}
		if got, err := io.ReadAll(file); err != nil || string(got) != "content" {
			t.Errorf("%s: got %q, %v", w.name, got, err)
		}
		must(t, f.Close())
		if _, err := file.Stat(); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("%s: after Close of the File: got %v, want fs.ErrClosed", w.name, err)
		}
	}
}

// Entries are those of the opened directory, also when its name leads elsewhere by the time they are looked at.
func TestOSFileOfDirectory(t *testing.T) {
	for _, w := range ways() {
		base := t.TempDir()
		write(t, filepath.Join(mkdir(t, base, "root", "dir"), "f"), "content")
		f, err := openRootBy(t, filepath.Join(base, "root"), w).Open("dir")
		must(t, err)
		entries, err := f.OSFile().ReadDir(-1)
		if err != nil || len(entries) != 1 || entries[0].Name() != "f" || entries[0].IsDir() {
			t.Fatalf("%s: got %v, %v, want the one file", w.name, entries, err)
		}
		must(t, os.Rename(filepath.Join(base, "root"), filepath.Join(base, "moved")))
		if info, err := entries[0].Info(); err != nil || info.Size() != int64(len("content")) {
			t.Errorf("%s: got %v, %v, want the file of the opened directory", w.name, info, err)
		}
		must(t, f.Close())
	}
}

func TestClosedFile(t *testing.T) {
	for _, w := range ways() {
		f := openFile(t, w, "content")
		must(t, f.Close())
		_, look := f.Look()
		_, read := f.ReadAt(make([]byte, 1), 0)
		_, stat := f.OSFile().Stat()
		for what, err := range map[string]error{"Look": look, "ReadAt": read, "Close": f.Close()} {
			if !errors.Is(err, fs.ErrClosed) {
				t.Errorf("%s: %s: got %v, want fs.ErrClosed", w.name, what, err)
			}
		}
		if stat == nil {
			t.Errorf("%s: OSFile: works after Close", w.name)
		}
	}
}

// Readers of a file that is closed under them get its bytes or fs.ErrClosed, never the bytes of the file that has
// its descriptor next.
func TestCloseWhileReading(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "right"), "right")
	write(t, filepath.Join(root, "wrong"), "wrong")
	for _, w := range ways() {
		r := openRootBy(t, root, w)
		for i := range 100 {
			f, err := r.Open("right")
			must(t, err)
			var all sync.WaitGroup
			for range 3 {
				all.Go(func() { readUntilClosed(t, f) })
			}
			all.Go(func() {
				if i%2 == 0 {
					f.OSFile()
				}
				if err := f.Close(); err != nil {
					t.Errorf("%s: close: %v", w.name, err)
				}
				if other, err := r.Open("wrong"); err == nil {
					t.Cleanup(func() { other.Close() })
				}
			})
			all.Wait()
		}
	}
}

func readUntilClosed(t *testing.T, f *File) {
	for p := make([]byte, 5); ; {
		n, err := f.ReadAt(p, 0)
		if errors.Is(err, fs.ErrClosed) {
			return
		}
		if err != nil || string(p[:n]) != "right" {
			t.Errorf("got %q, %v", p[:n], err)
			return
		}
	}
}
