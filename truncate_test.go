package servery_test

import (
	"bufio"
	"bytes"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"servery"
	"servery/internal/testkit"
)

// claimingFile says that it is as long as it was before it was truncated.
type claimingFile struct {
	fs.File
	size int64
}

func (f claimingFile) Stat() (fs.FileInfo, error) {
	info, err := f.File.Stat()
	return claimingInfo{info, f.size}, err
}

type claimingInfo struct {
	fs.FileInfo
	size int64
}

func (i claimingInfo) Size() int64 { return i.size }

// claims lets a file system double say that its one file has a size.
func claims(data []byte, size int64, kind string) fs.FS {
	held := fstest.MapFS{"a.txt": {Data: data, ModTime: testkit.Past}, "untyped": {Data: data, ModTime: testkit.Past}}
	return wrapFS{held, func(f fs.File) fs.File {
		only := onlyFile{claimingFile{f, size}}
		switch kind {
		case "at offsets":
			return readerAtFile{only, f.(io.ReaderAt)}
		case "by seeking":
			return seekFile{only, f.(io.Seeker)}
		}
		return only
	}}
}

func TestTruncatedBeforeTheHead(t *testing.T) {
	const mib = 1 << 20
	for _, tt := range []struct {
		method, target string
		fields         []string
		says, has      int64
		kinds          []string
		reason         string
	}{
		{"GET", "/a.txt", nil, 4096, 100, anyKind, "small"},
		{"GET", "/a.txt", nil, 4096, 0, anyKind, "empty by now"},
		{"HEAD", "/a.txt", nil, 4096, 100, anyKind, "the tag would be of the content"},
		{"GET", "/a.txt", []string{"If-Match: *"}, 4096, 4095, anyKind, "not read when it is opened"},
		{"GET", "/a.txt", []string{"Range: bytes=-1"}, 16 << 10, 16<<10 - 1, anyKind, "a part of a small file"},
		{"GET", "/untyped", nil, 4096, 100, anyKind, "the type is told by bytes that are there"},
		{"GET", "/untyped", nil, 4096, 0, anyKind, "the type is told by no bytes"},
		{"GET", "/a.txt", nil, 100_000, 99_999, anyKind, "tagged by content"},
		{"HEAD", "/a.txt", nil, 100_000, 50_000, anyKind, "tagged by content"},
		{"GET", "/a.txt", []string{"Range: bytes=60000-"}, 100_000, 50_000, anyKind, "tagged by content"},
		{"GET", "/untyped", nil, 100_000, 100, anyKind, "tagged by content"},
		{"GET", "/a.txt", nil, 2 * mib, 2*mib - 1, fromAnywhere, "tagged by size and date"},
		{"GET", "/a.txt", nil, 2 * mib, mib, fromAnywhere, "far shorter"},
		{"GET", "/untyped", nil, 2 * mib, 100, fromAnywhere, "the type is told by bytes that are there"},
		{"GET", "/a.txt", []string{"Range: bytes=-1"}, 2 * mib, 2*mib - 1, fromAnywhere, "the last byte"},
		{"GET", "/a.txt", []string{"Range: bytes=1048000-1048999"}, 2 * mib, mib, fromAnywhere, "a part that begins where there are bytes"},
		{"GET", "/a.txt", []string{"Range: bytes=0-1,1048576-1048577"}, 2 * mib, mib, fromAnywhere, "one of two parts"},
	} {
		for _, kind := range tt.kinds {
			server := testkit.Serve(t, servery.FileServer(claims(make([]byte, tt.has), tt.says, kind), nil))
			got := server.Do(tt.method, tt.target, tt.fields...) // and uses the connection once more
			if got.Status != http.StatusInternalServerError {
				t.Errorf("%s, %d of %d bytes, read %s: got\n%s, want 500", tt.reason, tt.has, tt.says, kind, got.Head)
			}
		}
	}
}

var (
	fromAnywhere = []string{"at offsets", "by seeking"}
	anyKind      = append(fromAnywhere[:2:2], "from the beginning")
)

// A large file that can only be read on shows that it is too short when the head
// is out.
func TestTruncatedFileThatOnlyReads(t *testing.T) {
	for _, has := range []int{0, 100, 1 << 20, 2<<20 - 1} {
		for _, target := range []string{"/a.txt", "/untyped"} {
			server := testkit.Serve(t, servery.FileServer(claims(make([]byte, has), 2<<20, "from the beginning"), nil))
			c := server.Dial()
			c.Send("GET", target)
			response, err := http.ReadResponse(bufio.NewReader(c.Conn), nil)
			if err != nil {
				continue // cut off while the head was still in the server's buffer
			}
			if body, err := io.ReadAll(response.Body); err == nil {
				t.Errorf("%s, %d bytes: %s with %d bytes and no error, want a broken connection", target, has, response.Status, len(body))
			}
		}
	}
}

// slowDownload is an answer of which the client has read the head and no more. It is
// much larger than what fits into the buffers on the way.
type slowDownload struct {
	t        *testing.T
	path     string
	content  []byte
	conn     *testkit.Conn
	reader   *bufio.Reader
	response *http.Response
}

func startDownload(t *testing.T) *slowDownload {
	t.Helper()
	d := &slowDownload{t: t, content: make([]byte, 16<<20)}
	rand.NewChaCha8([32]byte{}).Read(d.content)
	server, dir := serveTree(t, map[string]string{"file.txt": string(d.content)}, nil)
	d.path = filepath.Join(dir, "file.txt")
	d.conn = server.Dial()
	d.reader = bufio.NewReader(d.conn.Conn)
	d.conn.Send("GET", "/file.txt")
	d.response = d.answer()
	return d
}

func (d *slowDownload) answer() *http.Response {
	d.t.Helper()
	response, err := http.ReadResponse(d.reader, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	testkit.LintHead(d.t, "GET", response)
	return response
}

// complete demands the whole content, and a connection that can be used again.
func (d *slowDownload) complete() {
	d.t.Helper()
	body, err := io.ReadAll(d.response.Body)
	if err != nil || !bytes.Equal(body, d.content) {
		d.t.Errorf("%d bytes and %v, want the %d bytes that the file had when it was opened", len(body), err, len(d.content))
	}
	d.conn.Send("OPTIONS", "/")
	if second := d.answer(); second.StatusCode != http.StatusNoContent {
		d.t.Errorf("the next answer on the connection is %s, want 204", second.Status)
	}
}

func TestTruncatedAfterTheHead(t *testing.T) {
	for _, left := range []int64{0, 1 << 20, 16<<20 - 1} {
		d := startDownload(t)
		if err := os.Truncate(d.path, left); err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(d.response.Body)
		if err == nil || len(body) >= len(d.content) {
			t.Errorf("truncated to %d: %d bytes of %d and no error, want a broken connection", left, len(body), len(d.content))
		}
		// Beyond that the system may have sent zeros of its page cache.
		if sure := body[:min(int64(len(body)), left)]; !bytes.HasPrefix(d.content, sure) {
			t.Errorf("truncated to %d: what came before the end is not the file's", left)
		}
		if _, err := d.reader.ReadByte(); err == nil {
			t.Errorf("truncated to %d: the connection is still open", left)
		}
	}
}

func TestGrownAfterTheHead(t *testing.T) {
	d := startDownload(t)
	file, err := os.OpenFile(d.path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.Write(d.content[:1<<20])
	if file.Close(); err != nil {
		t.Fatal(err)
	}
	d.complete()
}

func TestReplacedAfterTheHead(t *testing.T) {
	d := startDownload(t)
	tag := d.response.Header.Get("Etag")
	next := versionsOf(0, 16<<20)
	if err := next[1].replace(filepath.Dir(d.path)); err != nil {
		t.Fatal(err)
	}
	d.complete()
	d.conn.Send("GET", "/file.txt", "If-None-Match: "+tag)
	if got := d.answer(); got.StatusCode != http.StatusOK || got.Header.Get("Etag") == tag {
		t.Errorf("after the replacement: status %s with the tag %s, want 200 with another tag", got.Status, got.Header.Get("Etag"))
	}
}
