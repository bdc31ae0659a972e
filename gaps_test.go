package servery_test

import (
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"servery"
	"servery/internal/testkit"
)

// Where there is no inode the name tells two files apart that have the same size
// and date: in an embed.FS that is every pair of files of one size.
func TestFilesOfOneSizeAndDateHaveTheirOwnTags(t *testing.T) {
	for _, size := range []int{1000, 100_000} {
		a, b := strings.Repeat("a", size), strings.Repeat("b", size)
		for _, buffer := range []int{0, -1} {
			server := testkit.Serve(t, servery.FileServer(fstest.MapFS{
				"a.txt": {Data: []byte(a)}, "b.txt": {Data: []byte(b)},
			}, &servery.FileServerOptions{SmallFileBuffer: buffer}))
			for range 2 { // the second time the tag is remembered
				for target, content := range map[string]string{"/a.txt": a, "/b.txt": b} {
					if got := server.Do("HEAD", target).Header.Get("Etag"); got != contentTag(content) {
						t.Errorf("%s of %d bytes: tag %s, want %s", target, size, got, contentTag(content))
					}
				}
			}
		}
	}
}

// The numbers that systems give to what a client may not tell from a missing file,
// and to what is the server's own trouble.
func TestErrorNumbersHaveTheirStatus(t *testing.T) {
	for err, want := range map[syscall.Errno]int{
		syscall.ENOENT: 404, syscall.ENOTDIR: 404, syscall.ELOOP: 404, syscall.ENAMETOOLONG: 404, syscall.EXDEV: 404,
		syscall.ENXIO: 404, syscall.ENODEV: 404,
		syscall.EACCES: 403, syscall.EPERM: 403,
		syscall.EMFILE: 503, syscall.ENFILE: 503,
		syscall.EIO: 500, syscall.ENOMEM: 500,
	} {
		server := testkit.Serve(t, servery.FileServer(failingFS{err}, nil))
		for _, target := range []string{"/file", "/"} {
			if got := server.Get(target); got.Status != want {
				t.Errorf("%s: %v: status %d, want %d", target, err, got.Status, want)
			}
		}
	}
}

// A file that is cut down and written anew while it is read is opened again, and
// the client gets the new version.
func TestRewrittenWhileItIsRead(t *testing.T) {
	for _, method := range []string{"GET", "HEAD"} {
		for _, size := range []int{1000, 100_000} {
			before, after := strings.Repeat("a", size), strings.Repeat("b", size/2)
			path := testkit.Tree(t, map[string]string{"file.txt": before})
			written := false
			server := testkit.Serve(t, servery.FileServer(acting(path, func() {
				if !written {
					written = true
					testkit.Write(t, filepath.Join(path, "file.txt"), after)
				}
			}), nil))
			got := server.Do(method, "/file.txt")
			if got.Status != http.StatusOK || method == "GET" && string(got.Body) != after {
				t.Errorf("%s of %d bytes: got\n%s, want the version that was written meanwhile", method, size, got.Head)
			}
		}
	}
}

// What outer code said in several lines is kept as one list.
func TestOuterCacheControlInSeveralLines(t *testing.T) {
	inner := servery.FileServer(fstest.MapFS{"file.txt": {Data: []byte("file")}}, nil)
	server := testkit.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Cache-Control"] = []string{"private", "max-age=5"}
		inner.ServeHTTP(w, r)
	}))
	if got := server.Get("/file.txt").Header["Cache-Control"]; len(got) != 1 || got[0] != "private, max-age=5" {
		t.Errorf("Cache-Control %q, want both directives", got)
	}
}

// A root whose index may not be looked at is 403 and not 404.
func TestIndexThatFails(t *testing.T) {
	dir := fstest.MapFS{"docs/a.txt": {Data: []byte("a")}}
	for err, want := range map[error]int{os.ErrPermission: 403, syscall.EIO: 500, syscall.EMFILE: 503, os.ErrNotExist: 404} {
		server := testkit.Serve(t, servery.FileServer(indexFailing{dir, err}, nil))
		if got := server.Get("/docs/"); got.Status != want {
			t.Errorf("%v: status %d, want %d", err, got.Status, want)
		}
	}
}

// indexFailing fails to open any index.
type indexFailing struct {
	fstest.MapFS
	err error
}

func (f indexFailing) Stat(name string) (os.FileInfo, error) {
	if strings.HasSuffix(name, "index.html") {
		return nil, &os.PathError{Op: "stat", Path: name, Err: f.err}
	}
	return f.MapFS.Stat(name)
}

// A root that is a file has no name to be redirected to.
func TestRootThatIsAFile(t *testing.T) {
	file := testkit.Tree(t, map[string]string{"file.txt": "file"}) + "/file.txt"
	server := testkit.Serve(t, servery.FileServer(rootedAt{file}, nil))
	if got := server.Get("/"); got.Status != http.StatusNotFound {
		t.Errorf("got\n%s, want 404", got.Head)
	}
}

type rootedAt struct{ path string }

func (r rootedAt) Open(string) (fs.File, error) { return os.Open(r.path) }

// Nobody who writes a file knows the delimiter of the answers that hold it.
func TestBoundariesAreNotKnownBefore(t *testing.T) {
	server, _ := serveTree(t, map[string]string{"file.txt": "0123456789"}, nil)
	first := server.Get("/file.txt", "Range: bytes=0-0,2-2").Header.Get("Content-Type")
	second := server.Get("/file.txt", "Range: bytes=0-0,2-2").Header.Get("Content-Type")
	if first == second || !strings.HasPrefix(first, "multipart/byteranges; boundary=") {
		t.Errorf("types %q and %q, want two boundaries", first, second)
	}
}
