//go:build linux || darwin

package servery_test

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servery"
	"servery/internal/testkit"
)

// What lies there by a sidecar's name is never waited for, followed out of the root,
// or the reason for an error.
func TestSidecarSpecialFiles(t *testing.T) {
	text := realText(t, 50_000)
	gz := packed(t, "gzip", text)
	outside := testkit.Tree(t, map[string]string{"file.gz": gz})
	longest := strings.Repeat("n", 255-len(".txt.gz"))
	files := map[string]string{
		"directory.txt.gz/": "", "store/kept.gz": gz, longest + ".txt.gz": gz,
		longest + ".txt": text, longest + "n.txt": text, longest + "nnn.txt": text,
	}
	for _, name := range []string{"directory", "fifo", "dangling", "inside", "outside", "absolute", "loop"} {
		files[name+".txt"] = text
	}
	server, dir := serveTree(t, files, &servery.FileServerOptions{Sidecars: []string{"gzip"}, Encoders: []servery.Encoder{}})
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo.txt.gz"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{
		"dangling": "nowhere", "inside": "store/kept.gz", "outside": "../" + filepath.Base(outside) + "/file.gz",
		"absolute": filepath.Join(dir, "store/kept.gz"), "loop": "loop.txt.gz",
	} {
		if err := os.Symlink(target, filepath.Join(dir, name+".txt.gz")); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ name, coding, reason string }{
		{"directory", "", "a directory"},
		{"fifo", "", "a FIFO, which nobody writes to"},
		{"dangling", "", "a link to nothing"},
		{"inside", "gzip", "a link that stays inside"},
		{"outside", "", "a link that leaves"},
		{"absolute", "", "an absolute link"},
		{"loop", "", "a link to itself"},
		{longest, "gzip", "a name of 255 bytes"},
		{longest + "n", "", "a name that would have 256"},
		{longest + "nnn", "", "an original whose own name has 255"},
	} {
		for _, method := range []string{"GET", "HEAD"} {
			got := server.Do(method, "/"+tt.name+".txt", "Accept-Encoding: gzip")
			if got.Status != 200 || got.Header.Get("Content-Encoding") != tt.coding || got.Header.Get("Vary") != "Accept-Encoding" {
				t.Errorf("%s %s: got\n%s, want coding %q: %s", method, tt.name, got.Head, tt.coding, tt.reason)
			}
			if method == "GET" && unpacked(t, tt.coding, got.Body) != text {
				t.Errorf("%s: %d bytes that are not the file: %s", tt.name, len(got.Body), tt.reason)
			}
		}
	}
}

// listing describes everything beneath dir by all that writing to it would change.
func listing(t *testing.T, dir string) map[string]string {
	t.Helper()
	list := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		described := fmt.Sprint(info.Mode(), info.Size(), info.ModTime().UnixNano(), info.Sys().(*syscall.Stat_t).Ino)
		if info.Mode().IsRegular() && info.Mode().Perm() != 0 {
			described += contentTag(readFile(t, path))
		}
		list[path] = described
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// The root belongs to somebody else and cannot be written to; one sidecar cannot be
// read either.
func TestSidecarInForeignRoot(t *testing.T) {
	requests := map[string]string{
		"open.txt gzip": "200 gzip", "open.txt zstd": "200 zstd", "open.txt br": "200 br", "open.txt ": "200 ",
		"closed.txt gzip": "200 ", "closed.txt zstd": "200 zstd", "none.txt gzip": "200 ", "gone.txt gzip": "404 ",
	}
	if dir := os.Getenv(asNobody); dir != "" {
		opts := servery.FileServerOptions{Sidecars: allSidecars, Encoders: []servery.Encoder{servery.Zstd(3)}}
		handler := servery.FileServer(openDir(t, dir), &opts)
		for request := range requests {
			name, accept, _ := strings.Cut(request, " ")
			r := httptest.NewRequest("GET", "/"+name, nil)
			r.Header.Set("Accept-Encoding", accept)
			recorder := httptest.NewRecorder()
			handler.ServeHTTP(recorder, r)
			testkit.LintRecorded(t, r, recorder, testkit.Lint)
			fmt.Printf("%s: %d %s\n", request, recorder.Code, recorder.Header().Get("Content-Encoding"))
		}
		if err := os.WriteFile(filepath.Join(dir, "new"), nil, 0o644); err == nil {
			t.Error("the root can be written to: nothing was tried")
		}
		return
	}
	text := realText(t, 50_000)
	dir := testkit.Tree(t, map[string]string{"open.txt": text, "closed.txt": text, "none.txt": text})
	for coding := range programs {
		pack(t, coding, filepath.Join(dir, "open.txt"))
	}
	pack(t, "gzip", filepath.Join(dir, "closed.txt"))
	for name, mode := range map[string]os.FileMode{"closed.txt.gz": 0, "": 0o555} {
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { os.Chmod(dir, 0o755) })
	testkit.Settle()
	before := listing(t, dir)
	output := runAsNobody(t, dir)
	for request, want := range requests {
		if line := request + ": " + want + "\n"; !strings.Contains(output, line) {
			t.Errorf("no %q in\n%s", line, output)
		}
	}
	if diff := cmp.Diff(before, listing(t, dir)); diff != "" {
		t.Errorf("the tree has changed (-before +after):\n%s", diff)
	}
}

// A root that could be written to is left as it is, by encoders as well.
func TestNothingIsWrittenIntoTheRoot(t *testing.T) {
	text := realText(t, 100_000)
	files := map[string]string{"packed.txt": text, "plain.txt": text, "docs/index.html": text, "stale.txt": text, "stale.txt.gz": ""}
	server, dir := serveTree(t, files, &servery.FileServerOptions{Sidecars: allSidecars})
	pack(t, "gzip", filepath.Join(dir, "packed.txt"))
	before := listing(t, dir)
	for _, accept := range []string{"", "gzip", "zstd", "br", "gzip, zstd, br"} {
		for _, target := range []string{"/packed.txt", "/plain.txt", "/docs/", "/docs", "/stale.txt", "/none.txt", "/packed.txt.gz"} {
			for _, method := range []string{"GET", "HEAD", "PUT", "DELETE"} {
				server.Do(method, target, "Accept-Encoding: "+accept)
			}
		}
	}
	if diff := cmp.Diff(before, listing(t, dir)); diff != "" {
		t.Errorf("the tree has changed (-before +after):\n%s", diff)
	}
}

// Who was promised a sidecar gets it to its end, whatever has its name by then.
func TestSidecarReplacedWhileItIsSent(t *testing.T) {
	const size = 32 << 20 // more than the buffers of both ends hold
	old, text := incompressible(size), realText(t, 1000)
	server, dir := serveTree(t, map[string]string{"file.txt": text, "file.txt.br": old}, &servery.FileServerOptions{Sidecars: []string{"br"}})
	path := filepath.Join(dir, "file.txt.br")
	c := server.Dial()
	c.Send("GET", "/file.txt", "Accept-Encoding: br")
	reader := bufio.NewReader(c.Conn)
	response, err := http.ReadResponse(reader, nil)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Write(t, path+".new", "another one")
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	testkit.Settle()
	other := server.Get("/file.txt", "Accept-Encoding: br")
	if string(other.Body) != "another one" || other.Header.Get("Etag") != codedTag("br", "another one") {
		t.Errorf("meanwhile: got\n%s, want the new sidecar", other.Head)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil || response.ContentLength != size || string(body) != old {
		t.Errorf("%d of %d bytes, error %v, want the old sidecar whole", len(body), response.ContentLength, err)
	}
	if tag := response.Header.Get("Etag"); tag == other.Header.Get("Etag") || !strings.HasSuffix(tag, `-br"`) {
		t.Errorf("tag %s, want the old sidecar's", tag)
	}
}
