package servery_test

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"servery"
	"servery/internal/testkit"
)

// upperFile is an *os.File that reads in its own way, as one that decrypts or
// redacts does.
type upperFile struct{ *os.File }

func (f upperFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	copy(p, bytes.ToUpper(p[:n]))
	return n, err
}

type upperFS struct{ dir string }

func (u upperFS) Open(name string) (fs.File, error) {
	f, err := os.Open(filepath.Join(u.dir, name))
	if err != nil {
		return nil, err
	}
	return upperFile{f}, nil
}

// What wraps an *os.File is served by its own Read, not by what it wraps.
func TestWrappedFileIsReadByItsOwnMeans(t *testing.T) {
	text := strings.Repeat("secret ", 10_000)
	path := testkit.Tree(t, map[string]string{"small.txt": text[:700], "large.txt": text})
	server := testkit.Serve(t, servery.FileServer(upperFS{path}, nil))
	for target, plain := range map[string]string{"/small.txt": text[:700], "/large.txt": text} {
		want := strings.ToUpper(plain)
		got := server.Get(target)
		if string(got.Body) != want || got.Header.Get("Etag") != contentTag(want) {
			t.Errorf("%s: %d bytes, tag %s, that are not the file's own", target, len(got.Body), got.Header.Get("Etag"))
		}
		if part := server.Get(target, "Range: bytes=10-19"); string(part.Body) != want[10:20] {
			t.Errorf("%s: range %q, want %q", target, part.Body, want[10:20])
		}
	}
}

// Two names whose FileInfo comes from one inode are two files where somebody's file
// system makes the bytes.
func TestForeignFilesAreToldApartByName(t *testing.T) {
	path := testkit.Tree(t, map[string]string{"file": "content"})
	info, err := os.Stat(filepath.Join(path, "file"))
	if err != nil {
		t.Fatal(err)
	}
	fsys := fstest.MapFS{}
	for name, content := range map[string]string{"a": "content", "b": "CONTENT"} {
		fsys[name] = &fstest.MapFile{Data: []byte(content), ModTime: info.ModTime(), Sys: info.Sys()}
	}
	server := testkit.Serve(t, servery.FileServer(fsys, nil))
	for range 2 {
		if a, b := server.Get("/a"), server.Get("/b"); a.Header.Get("Etag") == b.Header.Get("Etag") {
			t.Errorf("%q and %q share the tag %s", a.Body, b.Body, b.Header.Get("Etag"))
		}
	}
}

// liar is a file whose answers are chosen by the test.
type liar struct {
	fs.File
	stat  func() (fs.FileInfo, error)
	close func()
}

func (l liar) Stat() (fs.FileInfo, error) { return l.stat() }
func (l liar) Close() error               { l.close(); return l.File.Close() }

type lyingInfo struct {
	fs.FileInfo
	size    int64
	modTime func() time.Time
}

func (i lyingInfo) Size() int64        { return i.size }
func (i lyingInfo) ModTime() time.Time { return i.modTime() }

// Whatever somebody's file system does, the file is closed and the server goes on.
func TestFilesThatLie(t *testing.T) {
	const content = "0123456789"
	base := fstest.MapFS{"file.txt": {Data: []byte(content), ModTime: testkit.Past}}
	plain, err := base.Stat("file.txt")
	if err != nil {
		t.Fatal(err)
	}
	past := func() time.Time { return testkit.Past }
	for _, tt := range []struct {
		name   string
		stat   func() (fs.FileInfo, error)
		status int // 0 for a panic that goes on
	}{
		{"no info and no error", func() (fs.FileInfo, error) { return nil, nil }, 500},
		{"a negative size", func() (fs.FileInfo, error) { return lyingInfo{plain, -1, past}, nil }, 500},
		{"longer than it is", func() (fs.FileInfo, error) { return lyingInfo{plain, 100, past}, nil }, 500},
		{"shorter than it is", func() (fs.FileInfo, error) { return lyingInfo{plain, 5, past}, nil }, 200},
		{"a time that never stands", func() (fs.FileInfo, error) { return lyingInfo{plain, 10, time.Now}, nil }, 200},
		{"an error", func() (fs.FileInfo, error) { return nil, io.ErrNoProgress }, 500},
		{"a panic", func() (fs.FileInfo, error) { panic("stat") }, 0},
	} {
		opened := 0
		fsys := wrapFS{base, func(f fs.File) fs.File {
			opened++
			return liar{f, tt.stat, func() { opened-- }}
		}}
		recorder := httptest.NewRecorder()
		request := httptest.NewRequest("GET", "/file.txt", nil)
		panicked := panicOf(func() { servery.FileServer(fsys, nil).ServeHTTP(recorder, request) })
		if panicked == nil {
			testkit.LintRecorded(t, request, recorder, testkit.Lint)
		}
		if opened != 0 {
			t.Errorf("%s: %d files left open", tt.name, opened)
		}
		if (panicked != nil) != (tt.status == 0) || tt.status != 0 && recorder.Code != tt.status {
			t.Errorf("%s: status %d, panic %v, want %d", tt.name, recorder.Code, panicked, tt.status)
		}
		if recorder.Code == 200 && tt.status == 200 && !strings.HasPrefix(content, recorder.Body.String()) {
			t.Errorf("%s: %q is not the file", tt.name, recorder.Body)
		}
	}
}

// A path costs no more than its length, and one that no system takes is missing.
func TestPathOfSlashes(t *testing.T) {
	server, _ := serveTree(t, map[string]string{"file.txt": "file"}, nil)
	for _, tt := range []struct {
		length, status int
	}{{8 << 10, 301}, {8<<10 + 1, 404}, {1 << 19, 404}} {
		target := "/file.txt" + strings.Repeat("/", tt.length-len("/file.txt"))
		got := server.Get(target)
		if got.Status != tt.status || len(got.Head) > 32<<10 {
			t.Errorf("%d bytes: status %d with a head of %d bytes, want %d", tt.length, got.Status, len(got.Head), tt.status)
		}
	}
}

// A file too large to be read for its tag, and without a date, has a weak one.
func TestHugeFileWithoutADate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "huge.bin")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 1<<40); err != nil {
		testkit.Lacks(t, "a file system for sparse files of 1 TiB: "+err.Error())
	}
	if err := os.Chtimes(path, time.Unix(0, 0), time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	testkit.Settle()
	server := testkit.Serve(t, servery.FileServer(openDir(t, filepath.Dir(path)), nil))
	head := server.Do("HEAD", "/huge.bin")
	if head.Status != 200 || !strings.HasPrefix(head.Header.Get("Etag"), "W/") || head.Header.Get("Content-Length") != fmt.Sprint(int64(1)<<40) {
		t.Errorf("got\n%s, want a weak tag at once", head.Head)
	}
	part := server.Get("/huge.bin", "Range: bytes=-5")
	if part.Status != 206 || string(part.Body) != "\x00\x00\x00\x00\x00" {
		t.Errorf("its last bytes: got\n%s", part.Head)
	}
}

func TestOuterContentTypeOfSeveralLines(t *testing.T) {
	inner := servery.FileServer(openDir(t, testkit.Tree(t, map[string]string{"file.txt": "file"})), nil)
	server := testkit.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Content-Type"] = []string{"text/first", "text/last"}
		inner.ServeHTTP(w, r)
	}))
	if got := server.Get("/file.txt"); got.Header.Get("Content-Type") != "text/last" {
		t.Errorf("Content-Type %q, want the last", got.Header["Content-Type"])
	}
}
