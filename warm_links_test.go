package servery_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servery"
	"servery/internal/testkit"
)

// TestWarmOfLinks: a volume of Kubernetes shows each file as a link, through another
// one that is switched when the content is.
func TestWarmOfLinks(t *testing.T) {
	outside := testkit.Tree(t, map[string]string{"secret.js": realText(t, 2000)})
	path := testkit.Tree(t, map[string]string{
		"..2026/app.js": realText(t, 3000), "..2026/app.css": realText(t, 2000), "..2026/sub/deep.js": realText(t, 2500),
		"real.txt": realText(t, 4000), "docs/page.txt": realText(t, 5000),
	})
	for name, to := range map[string]string{
		"..data": "..2026", "app.js": "..data/app.js", "app.css": "..data/app.css", // as they are mounted
		"same.txt": "real.txt", "docs/again.txt": "same.txt", "docs/same.txt": "../same.txt", // held under another name
		"dir.txt": "docs", "around": ".", "docs/up": "..", // directories, and ways around in a circle
		"image.png": "real.txt", ".hidden.js": "real.txt", // by their names
		"loop.js": "loop.js", "none.js": "nowhere.js", // nothing
		"out.js": "../" + filepath.Base(outside) + "/secret.js", "absolute.js": filepath.Join(outside, "secret.js"), // out of the root
	} {
		if err := os.Symlink(to, filepath.Join(path, name)); err != nil {
			t.Fatal(err)
		}
	}
	cache := servery.NewCompressionCache(1 << 20)
	handler := servery.FileServer(openDir(t, path), &servery.FileServerOptions{Cache: cache, Encoders: []servery.Encoder{servery.Gzip(6)}})
	stats, err := servery.Warm(t.Context(), handler)
	if want := (servery.WarmStats{Files: 7, Made: 4, Held: 3, Bytes: stats.Bytes}); err != nil || stats != want {
		t.Errorf("(-want +got)\n%s %v", cmp.Diff(want, stats), err)
	}
	server := testkit.Serve(t, handler)
	for _, target := range []string{"/app.js", "/app.css", "/real.txt", "/same.txt", "/docs/page.txt", "/docs/same.txt", "/docs/again.txt"} {
		before := cache.Stats()
		got := server.Get(target, acceptGzip)
		if after := cache.Stats(); got.Header.Get("Content-Encoding") != "gzip" || after.Hits != before.Hits+1 || after.Misses != before.Misses {
			t.Errorf("%s: %+v, then %+v, want one hit, and got\n%s", target, before, after, got.Head)
		}
	}
}

// linkFailing is a file system that cannot tell what its links lead to.
type linkFailing struct {
	fs.FS
	err error
}

func (f linkFailing) Stat(name string) (fs.FileInfo, error) {
	if strings.HasPrefix(name, "link") {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: f.err}
	}
	return fs.Stat(f.FS, name)
}

func TestWarmOfLinksThatFail(t *testing.T) {
	path := testkit.Tree(t, map[string]string{"a.txt": realText(t, 2000)})
	if err := os.Symlink("a.txt", filepath.Join(path, "link.txt")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		err    error
		failed int
		reason string
	}{
		{fs.ErrNotExist, 0, "gone by now, or leading out"},
		{fs.ErrPermission, 1, "what may not be read"},
		{errors.New("disk"), 1, "what cannot be read"},
	} {
		handler := servery.FileServer(linkFailing{os.DirFS(path), tt.err}, &servery.FileServerOptions{Encoders: []servery.Encoder{servery.Gzip(6)}})
		stats, err := servery.Warm(t.Context(), handler)
		if want := (servery.WarmStats{Files: 1, Made: 1, Failed: tt.failed, Bytes: stats.Bytes}); err != nil || stats != want {
			t.Errorf("%s: (-want +got)\n%s %v", tt.reason, cmp.Diff(want, stats), err)
		}
	}
}
