package servery_test

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"servery"
	"servery/internal/testkit"
)

// descriptorFile is a file of the system that can seek, but not read at an offset.
type descriptorFile struct {
	onlyFile
	io.Seeker
	syscall.Conn
}

// Reading at an offset by seeking moves the offset from which sendfile goes on.
func TestDescriptorThatOnlySeeks(t *testing.T) {
	for _, size := range []int{1000, 100_000} {
		text := realText(t, size)
		path := testkit.Tree(t, map[string]string{"file.txt": text, "untyped": text})
		root := wrapFS{os.DirFS(path), func(f fs.File) fs.File {
			file := f.(*os.File)
			return descriptorFile{onlyFile{file}, file, file}
		}}
		for _, buffer := range []int{0, -1} {
			server := testkit.Serve(t, servery.FileServer(root, &servery.FileServerOptions{SmallFileBuffer: buffer}))
			for _, target := range []string{"/file.txt", "/untyped", "/file.txt"} {
				got := server.Dial().Do("GET", target)
				if got.Err != nil || string(got.Body) != text {
					t.Errorf("%d bytes, %s: %v with %d bytes, want the file", size, target, got.Err, len(got.Body))
				}
			}
		}
	}
}

// actingFile acts once its bytes have been read.
type actingFile struct {
	*os.File
	act func()
}

func (f actingFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.File.ReadAt(p, off)
	f.act()
	return n, err
}

func (f actingFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	f.act()
	return n, err
}

// acting is a directory whose files act whenever they are read.
func acting(path string, act func()) fs.FS {
	return wrapFS{os.DirFS(path), func(f fs.File) fs.File { return actingFile{f.(*os.File), act} }}
}

// The date of a version goes out with its bytes and with no others: who asks by
// date alone would keep them for ever.
func TestDateIsOfTheBytesThatAreSent(t *testing.T) {
	path := t.TempDir()
	file := filepath.Join(path, "file.txt")
	testkit.Write(t, file, "old content")
	testkit.Settle()
	written := false
	server := testkit.Serve(t, servery.FileServer(acting(path, func() {
		if !written {
			written = true
			if err := os.WriteFile(file, []byte("new content"), 0o644); err != nil {
				t.Error(err)
			}
		}
	}), nil))
	got := server.Get("/file.txt")
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	newDate := info.ModTime().UTC().Format(http.TimeFormat)
	if !written || string(got.Body) == "old content" && got.Header.Get("Last-Modified") == newDate {
		t.Errorf("the bytes of the old version have the date of the new one:\n%s", got.Head)
	}
}

// A small file that grows at each look is served as it was opened (contract,
// section 6: the planned extent only), as a large one is.
func TestGrownBeforeTheHead(t *testing.T) {
	for _, method := range []string{"GET", "HEAD"} {
		for _, size := range []int{1000, 100_000, 2 << 20} {
			path := testkit.Tree(t, map[string]string{"file.txt": strings.Repeat("x", size)})
			server := testkit.Serve(t, servery.FileServer(acting(path, func() {
				f, err := os.OpenFile(filepath.Join(path, "file.txt"), os.O_APPEND|os.O_WRONLY, 0)
				if err != nil {
					t.Error(err)
					return
				}
				defer f.Close()
				f.WriteString("y")
			}), nil))
			got := server.Do(method, "/file.txt")
			if got.Status != http.StatusOK || got.Err != nil {
				t.Errorf("%s of %d bytes: got\n%s, want 200", method, size, got.Head)
			}
		}
	}
}

// failingFile can be opened and looked at, and fails when it is read.
type failingFile struct {
	fs.File
	err error
}

func (f failingFile) Read([]byte) (int, error) { return 0, f.err }

type failingFileAt struct{ failingFile }

func (f failingFileAt) ReadAt([]byte, int64) (int, error) { return 0, f.err }

// What was opened is there: whatever reading it reports, it is not missing. So it is the
// server that has failed (RFC 9110, section 15.6.1).
func TestFailureToReadIs500(t *testing.T) {
	held := fstest.MapFS{}
	for _, name := range []string{"small.txt", "small"} {
		held[name] = &fstest.MapFile{Data: make([]byte, 1000), ModTime: time.Unix(1e9, 0)}
	}
	for _, name := range []string{"large.txt", "large"} {
		held[name] = &fstest.MapFile{Data: make([]byte, 100_000), ModTime: time.Unix(1e9, 0)}
	}
	for _, err := range []error{syscall.EIO, fs.ErrNotExist, fs.ErrInvalid, fs.ErrPermission, syscall.ENXIO, errors.New("torn tape")} {
		for _, kind := range []string{"from the beginning", "at offsets"} {
			server := testkit.Serve(t, servery.FileServer(wrapFS{held, func(f fs.File) fs.File {
				if kind == "at offsets" {
					return failingFileAt{failingFile{f, err}}
				}
				return failingFile{f, err}
			}}, nil))
			for _, target := range []string{"/small.txt", "/small", "/large.txt", "/large"} {
				for _, method := range []string{"GET", "HEAD"} {
					if got := server.Do(method, target); got.Status != http.StatusInternalServerError {
						t.Errorf("%v, %s, %s %s: status %d, want 500", err, kind, method, target, got.Status)
					}
				}
			}
		}
	}
}
