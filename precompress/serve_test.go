package precompress_test

import (
	"bytes"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"servery"
	"servery/internal/testkit"
	"servery/precompress"
)

// part is what of a folder of the Go distribution is worked on: enough of each kind
// of file, in a second.
const part = 512 << 10

// copyPart copies a folder without its links, up to part bytes.
func copyPart(tb testing.TB, from string) string {
	tb.Helper()
	to, left := tb.TempDir(), int64(part)
	must(tb, filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || left <= 0 || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		must(tb, err)
		left -= int64(len(content))
		name, _ := filepath.Rel(from, path)
		must(tb, os.MkdirAll(filepath.Dir(filepath.Join(to, name)), 0o755))
		testkit.Write(tb, filepath.Join(to, name), string(content))
		return nil
	}))
	return to
}

// trees are a piece of the Go distribution, and the packages of npm where there are some.
func trees(tb testing.TB) map[string]string {
	tb.Helper()
	root, err := exec.Command(testkit.Tool(tb, "go"), "env", "GOROOT").Output()
	must(tb, err)
	found := map[string]string{"go": copyPart(tb, filepath.Join(strings.TrimSpace(string(root)), "src", "net"))}
	if npm := os.Getenv("SERVERY_NPM_TREE"); npm != "" {
		found["npm"] = copyPart(tb, npm)
	}
	return found
}

// TestFileServerSendsThem asks for every file of real trees: FileServer must take the
// sidecars for what they are, and the tools for the codings must, too.
func TestFileServerSendsThem(t *testing.T) {
	for name, dir := range trees(t) {
		t.Run(name, func(t *testing.T) {
			stats := run(t, dir, quick())
			if stats.Written < 10 || stats.Failed+stats.Foreign > 0 {
				t.Errorf("%+v", stats)
			}
			testkit.Settle()
			root, err := servery.OpenDir(dir)
			must(t, err)
			defer root.Close()
			server := testkit.Serve(t, servery.FileServer(root, &servery.FileServerOptions{
				Sidecars: []string{"zstd", "gzip"}, Encoders: []servery.Encoder{}, Index: []string{},
			}))
			c := server.Dial()
			for coding, extension := range map[string]string{"gzip": ".gz", "zstd": ".zst"} {
				for name := range state(t, dir) {
					path := filepath.Join(dir, name)
					packed, err := os.ReadFile(path + extension)
					if err != nil {
						continue
					}
					got := c.Do("GET", (&url.URL{Path: "/" + name}).EscapedPath(), "Accept-Encoding: "+coding)
					if got.Status != 200 || got.Header.Get("Content-Encoding") != coding || string(got.Body) != string(packed) {
						t.Errorf("%s in %s: the sidecar was not sent:\n%s", name, coding, got.Head)
					}
					if plain, err := os.ReadFile(path); err != nil || decoded(t, path+extension) != string(plain) {
						t.Errorf("%s%s is not the form of the file: %v", name, extension, err)
					}
				}
			}
			for tool, extension := range map[string]string{"gzip": ".gz", "zstd": ".zst"} {
				args := []string{"-t", "-q"}
				for _, name := range names(state(t, dir), extension) {
					args = append(args, filepath.Join(dir, name))
				}
				if output, err := exec.Command(testkit.Tool(t, tool), args...).CombinedOutput(); err != nil {
					t.Errorf("%s -t: %v\n%s", tool, err, output)
				}
			}
		})
	}
}

// TestLengthIsSaid: by it FileServer knows a zstd sidecar of another version whose
// date is right, of any size that a real file has.
func TestLengthIsSaid(t *testing.T) {
	content := text(1, 128<<10+2)
	for _, size := range []int{1024, 128<<10 + 1} {
		dir := testkit.Tree(t, map[string]string{"a.txt": content[:size]})
		run(t, dir, &precompress.Options{Encoders: precompress.Encoders()[:1]})
		testkit.Write(t, filepath.Join(dir, "a.txt"), content[:size+1])
		testkit.Settle()
		root, err := servery.OpenDir(dir)
		must(t, err)
		server := testkit.Serve(t, servery.FileServer(root, &servery.FileServerOptions{Sidecars: []string{"zstd"}, Encoders: []servery.Encoder{}}))
		if got := server.Get("/a.txt", "Accept-Encoding: zstd"); got.Header.Get("Content-Encoding") != "" {
			t.Errorf("of %d bytes: the sidecar of another version was sent", size)
		}
		testkit.Write(t, filepath.Join(dir, "a.txt"), content[:size])
		testkit.Settle()
		if got := server.Get("/a.txt", "Accept-Encoding: zstd"); got.Header.Get("Content-Encoding") != "zstd" {
			t.Errorf("of %d bytes: the sidecar was not sent (window, or length):\n%s", size, got.Head)
		}
		root.Close()
	}
}

// TestWindow: browsers refuse a file whose window is above 8 MiB (RFC 9659), however
// large the file is. Of one that long the header is enough.
func TestWindow(t *testing.T) {
	w, err := precompress.Encoders()[0].New()
	must(t, err)
	var b bytes.Buffer
	w.(interface{ ResetContentSize(io.Writer, int64) }).ResetContentSize(&b, 1<<30)
	_, err = w.Write([]byte(text(1, 130<<10)))
	must(t, err)
	must(t, w.Flush())
	var header zstd.Header
	must(t, header.Decode(b.Bytes()))
	if header.WindowSize != 8<<20 || header.FrameContentSize != 1<<30 || header.SingleSegment {
		t.Errorf("%+v", header)
	}
}
