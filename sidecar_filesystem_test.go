package servery_test

import (
	"embed"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"servery"
	"servery/internal/testkit"
)

//go:embed testdata/packed
var embeddedPacked embed.FS

// Sidecars are beside their originals in any file system, with dates or without.
func TestSidecarFileSystems(t *testing.T) {
	site, err := fs.Sub(embeddedPacked, "testdata/packed")
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	for _, name := range []string{"file.txt", "docs/index.html"} {
		for _, extension := range []string{"", ".gz", ".zst", ".br"} {
			files[name+extension] = readFile(t, filepath.Join("testdata/packed", name+extension))
		}
	}
	archived := zipFS(t, files)
	for name, fsys := range map[string]fs.FS{
		"Dir":                  openDir(t, testkit.Tree(t, files)),
		"os.DirFS":             os.DirFS(testkit.Tree(t, files)),
		"embed.FS":             site,
		"zip.Reader":           archived,
		"files that only read": wrapFS{site, func(f fs.File) fs.File { return onlyFile{f} }},
	} {
		for _, buffer := range []int{0, -1} {
			opts := servery.FileServerOptions{Sidecars: allSidecars, SmallFileBuffer: buffer}
			server := testkit.Serve(t, servery.FileServer(fsys, &opts))
			for target, original := range map[string]string{"/file.txt": "file.txt", "/docs/": "docs/index.html"} {
				for coding, p := range programs {
					sidecar := files[original+p.extension]
					for range 2 { // the second time the tag is remembered
						got := server.Get(target, "Accept-Encoding: "+coding)
						if got.Header.Get("Content-Encoding") != coding || string(got.Body) != sidecar || got.Header.Get("Etag") != codedTag(coding, sidecar) {
							t.Errorf("%s: %s in %s: got\n%s, want the sidecar with the tag %s", name, target, coding, got.Head, codedTag(coding, sidecar))
						}
					}
				}
			}
		}
	}
}

// A sidecar that may still change has a weak tag, unless the tag is made of the very
// bytes that are sent. That the original has rested does not matter.
func TestSidecarUnsettled(t *testing.T) {
	text, large := realText(t, 5000), realText(t, 100_000)
	now := time.Now().Truncate(time.Second) // of a clock that seems to have whole seconds, for two of which nothing rests
	held := fstest.MapFS{}
	for name, content := range map[string]string{"small.txt": text, "large.txt": large} {
		held[name] = &fstest.MapFile{Data: []byte(content), ModTime: testkit.Past}
		held[name+".gz"] = &fstest.MapFile{Data: []byte(packed(t, "gzip", content)), ModTime: now}
	}
	server := testkit.Serve(t, servery.FileServer(held, &servery.FileServerOptions{Sidecars: []string{"gzip"}}))
	for name, weak := range map[string]bool{"small.txt": false, "large.txt": true} {
		got := server.Get("/"+name, "Accept-Encoding: gzip")
		tag := got.Header.Get("Etag")
		if string(got.Body) != string(held[name+".gz"].Data) || strings.HasPrefix(tag, "W/") != weak || !strings.HasSuffix(tag, `-gz"`) {
			t.Errorf("%s: got\n%s, want the sidecar, its tag weak: %v", name, got.Head, weak)
		}
		if same := server.Get("/"+name, "Accept-Encoding: gzip", "If-None-Match: "+tag); same.Status != 304 || same.Header.Get("Etag") != tag {
			t.Errorf("%s: got\n%s, want 304 with %s", name, same.Head, tag)
		}
	}
}

// spoiledFile lets a test act when something was read, or spoil it.
type spoiledFile struct {
	*os.File
	onRead func(offset int64) error
}

func (f spoiledFile) Read(p []byte) (int, error) {
	offset, err := f.File.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, err
	}
	n, err := f.File.Read(p)
	if spoilt := f.onRead(offset); spoilt != nil {
		return 0, spoilt
	}
	return n, err
}

// spoil calls onRead with the offset whenever a file of this name is read.
func spoil(dir, name string, onRead func(offset int64) error) fs.FS {
	return wrapFS{os.DirFS(dir), func(f fs.File) fs.File {
		if file := f.(*os.File); filepath.Base(file.Name()) == name {
			return spoiledFile{file, onRead}
		}
		return f
	}}
}

// The tag of a file is remembered, but its bytes are read again. If they are others
// by then, so must the tag be. The first look is at what type it is.
func TestRewrittenOnceItsTagIsRemembered(t *testing.T) {
	const first, second = "first, and no other", "second, of the same"
	for _, tt := range []struct{ name, field, tag1, tag2 string }{
		{"untyped.br", "Accept-Encoding: br", codedTag("br", first), codedTag("br", second)},
		{"untyped", "If-None-Match: \"other\"", contentTag(first), contentTag(second)},
	} {
		dir := testkit.Tree(t, map[string]string{"untyped": first, "untyped.br": first})
		armed := make(chan bool, 1)
		server := testkit.Serve(t, servery.FileServer(spoil(dir, tt.name, func(int64) error {
			select {
			case <-armed:
				return os.WriteFile(filepath.Join(dir, tt.name), []byte(second), 0o644)
			default:
				return nil
			}
		}), &servery.FileServerOptions{Sidecars: []string{"br"}}))
		if got := server.Get("/untyped", tt.field); string(got.Body) != first || got.Header.Get("Etag") != tt.tag1 {
			t.Errorf("%s: got\n%s%s, want %s with the tag %s", tt.name, got.Head, got.Body, first, tt.tag1)
		}
		armed <- true
		if got := server.Get("/untyped", tt.field); string(got.Body) != second || got.Header.Get("Etag") != tt.tag2 {
			t.Errorf("%s: got\n%s%s, want %s with the tag %s", tt.name, got.Head, got.Body, second, tt.tag2)
		}
	}
}

// A sidecar that cannot be read is no reason to fail: the original is there.
func TestSidecarThatCannotBeRead(t *testing.T) {
	text := realText(t, 100_000)
	dir := testkit.Tree(t, map[string]string{"file.txt": text, "file.txt.br": incompressible(50_000)})
	server := testkit.Serve(t, servery.FileServer(spoil(dir, "file.txt.br", func(offset int64) error {
		if offset > 0 {
			return errors.New("the disk is on fire")
		}
		return nil
	}), &servery.FileServerOptions{Sidecars: []string{"br"}}))
	for accept, coding := range map[string]string{"br": "", "br, gzip": "gzip"} {
		got := server.Get("/file.txt", "Accept-Encoding: "+accept)
		if got.Status != 200 || got.Header.Get("Content-Encoding") != coding || unpacked(t, coding, got.Body) != text {
			t.Errorf("%q: got\n%s, want the file in %q", accept, got.Head, coding)
		}
	}
}
