package servery_test

import (
	"archive/zip"
	"bytes"
	"embed"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"servery"
	"servery/internal/testkit"
)

//go:embed testdata/site
var embedded embed.FS

// siteFiles are the files of testdata/site by their names.
func siteFiles(t *testing.T) map[string]string {
	t.Helper()
	files := make(map[string]string)
	site, err := fs.Sub(embedded, "testdata/site")
	if err != nil {
		t.Fatal(err)
	}
	err = fs.WalkDir(site, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(site, name)
		files[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// onlyFile has the methods of an fs.File and no others.
type onlyFile struct{ fs.File }

func (f onlyFile) Close() error { return f.File.Close() }

// seekFile can seek as well, but not read at an offset.
type seekFile struct {
	onlyFile
	io.Seeker
}

// readerAtFile can read at an offset, but not seek.
type readerAtFile struct {
	onlyFile
	io.ReaderAt
}

// wrapFS passes every file through wrap.
type wrapFS struct {
	fs.FS
	wrap func(fs.File) fs.File
}

func (w wrapFS) Open(name string) (fs.File, error) {
	f, err := w.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return w.wrap(f), nil
}

func zipFS(t *testing.T, files map[string]string) fs.FS {
	t.Helper()
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for name, content := range files {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: testkit.Past})
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(f, content)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(archive.Bytes()), int64(archive.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestFileSystems(t *testing.T) {
	files := siteFiles(t)
	path := testkit.Tree(t, files)
	root, err := os.OpenRoot(path)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	mapFS := make(fstest.MapFS)
	for name, content := range files {
		mapFS[name] = &fstest.MapFile{Data: []byte(content), ModTime: testkit.Past}
	}
	site, _ := fs.Sub(embedded, "testdata/site")
	sub, err := fs.Sub(openDir(t, filepath.Dir(path)), filepath.Base(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		fsys   fs.FS
		ranges bool
		date   bool
	}{
		{"Dir", openDir(t, path), true, true},
		{"fs.Sub of Dir", sub, true, true},
		{"os.DirFS", os.DirFS(path), true, true},
		{"os.Root.FS", root.FS(), true, true},
		{"embed.FS", site, true, false},
		{"fstest.MapFS", mapFS, true, true},
		{"zip.Reader", zipFS(t, files), false, true},
		{"files that only read", wrapFS{mapFS, func(f fs.File) fs.File { return onlyFile{f} }}, false, true},
		{"files that seek", wrapFS{mapFS, func(f fs.File) fs.File {
			seeker, ok := f.(io.Seeker)
			if !ok {
				return f // a directory
			}
			return seekFile{onlyFile{f}, seeker}
		}}, true, true},
		{"files that read at offsets", wrapFS{mapFS, func(f fs.File) fs.File {
			readerAt, ok := f.(io.ReaderAt)
			if !ok {
				return f
			}
			return readerAtFile{onlyFile{f}, readerAt}
		}}, true, true},
	} {
		for _, buffer := range []int{0, -1} {
			t.Run(tt.name, func(t *testing.T) {
				handler := servery.FileServer(tt.fsys, &servery.FileServerOptions{SmallFileBuffer: buffer})
				checkSite(t, testkit.Serve(t, handler), files, tt.ranges, tt.date)
			})
		}
	}
}

func checkSite(t *testing.T, server *testkit.Server, files map[string]string, ranges, date bool) {
	for name, content := range files {
		for range 2 { // the second time the tag is remembered
			got := server.Get("/" + name)
			if got.Status != http.StatusOK || string(got.Body) != content {
				t.Errorf("%s: status %d with %d bytes, want the file", name, got.Status, len(got.Body))
			}
			if tag := got.Header.Get("Etag"); tag != contentTag(content) {
				t.Errorf("%s: tag %s, want the same on every file system", name, tag)
			}
			if got := got.Header.Get("Accept-Ranges") != ""; got != ranges {
				t.Errorf("%s: Accept-Ranges is there: %v, want %v", name, got, ranges)
			}
			if got := got.Header.Get("Last-Modified") != ""; got != date {
				t.Errorf("%s: Last-Modified is there: %v, want %v", name, got, date)
			}
			if head := server.Do("HEAD", "/"+name); undated(head) != undated(got) {
				t.Errorf("%s: HEAD says\n%s, GET\n%s", name, head.Head, got.Head)
			}
		}
		part := server.Get("/"+name, "Range: bytes=5-9")
		want, status := content, http.StatusOK
		if ranges {
			want, status = content[5:10], http.StatusPartialContent
		}
		if part.Status != status || string(part.Body) != want {
			t.Errorf("%s: range: status %d with %d bytes, want %d with %d", name, part.Status, len(part.Body), status, len(want))
		}
		parts := server.Get("/"+name, "Range: bytes=-3, 0-4, 7-7")
		if ranges && (parts.Status != 206 || !strings.Contains(string(parts.Body), "\r\n\r\n"+content[len(content)-3:]+"\r\n--")) {
			t.Errorf("%s: several ranges: status %d\n%s", name, parts.Status, parts.Body)
		}
		if same := server.Get("/"+name, "If-None-Match: "+contentTag(content)); same.Status != http.StatusNotModified {
			t.Errorf("%s: status %d with the tag, want 304", name, same.Status)
		}
	}
	for target, want := range map[string]int{"/": 200, "/docs": 301, "/docs/": 200, "/none": 404, "/docs/../../x": 404, "/small.txt/x": 404} {
		if got := server.Get(target); got.Status != want {
			t.Errorf("%s: status %d, want %d", target, got.Status, want)
		}
	}
}

// A link that leaves an os.Root is an error that package os does not export.
func TestEscapeFromForeignRoot(t *testing.T) {
	outside := testkit.Tree(t, map[string]string{"secret": "secret"})
	path := testkit.Tree(t, map[string]string{"file.txt": "file"})
	if err := os.Symlink(filepath.Join(outside, "secret"), filepath.Join(path, "link")); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	server := testkit.Serve(t, servery.FileServer(root.FS(), nil))
	if got := server.Get("/link"); got.Status != http.StatusNotFound {
		t.Errorf("status %d, want 404", got.Status)
	}
}

type failingFS struct{ err error }

func (f failingFS) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: f.err}
}

func TestFailuresHaveTheirStatus(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want int
	}{
		{fs.ErrNotExist, 404}, {fs.ErrInvalid, 404}, {fs.ErrPermission, 403}, {fs.ErrClosed, 503},
		{io.ErrUnexpectedEOF, 500}, {errors.New("the disk is on fire"), 500},
	} {
		server := testkit.Serve(t, servery.FileServer(failingFS{tt.err}, nil))
		if got := server.Get("/file"); got.Status != tt.want {
			t.Errorf("%v: status %d, want %d", tt.err, got.Status, tt.want)
		}
	}
}

func TestClosedDir(t *testing.T) {
	dir, err := servery.OpenDir(testkit.Tree(t, map[string]string{"file.txt": "file"}))
	if err != nil {
		t.Fatal(err)
	}
	server := testkit.Serve(t, servery.FileServer(dir, nil))
	if got := server.Get("/file.txt"); got.Status != 200 {
		t.Errorf("open: status %d, want 200", got.Status)
	}
	dir.Close()
	if got := server.Get("/file.txt"); got.Status != 503 {
		t.Errorf("closed: status %d, want 503", got.Status)
	}
	if _, err := dir.Open("file.txt"); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("closed: Open says %v, want fs.ErrClosed", err)
	}
}

func TestDirIsAFileSystem(t *testing.T) {
	path := testkit.Tree(t, siteFiles(t))
	dir := openDir(t, path)
	if err := fstest.TestFS(dir, "index.html", "docs/index.html", "large.txt"); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"missing", "index.html/x"} {
		if _, err := dir.Open(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Open(%q): %v, want fs.ErrNotExist", name, err)
		}
	}
	entries, err := dir.ReadDir(".")
	if err != nil || len(entries) != 4 {
		t.Fatalf("ReadDir: %d entries, error %v, want 4", len(entries), err)
	}
	for _, entry := range entries { // the directory is closed by now
		info, err := entry.Info()
		if err != nil || info.Name() != entry.Name() || info.ModTime().Before(testkit.Past.Add(-time.Hour)) {
			t.Errorf("Info of %s: %v, error %v", entry.Name(), info, err)
		}
	}
}
