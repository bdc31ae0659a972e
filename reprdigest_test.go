package servery_test

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"servery"
	"servery/internal/testkit"
)

// digestOf is the field that RFC 9530 demands for a content.
func digestOf(algorithm, content string) string {
	sum := sha512.Sum512([]byte(content))
	encoded := base64.StdEncoding.EncodeToString(sum[:])
	if algorithm == "sha-256" {
		sum := sha256.Sum256([]byte(content))
		encoded = base64.StdEncoding.EncodeToString(sum[:])
	}
	return algorithm + "=:" + encoded + ":"
}

func TestReprDigest(t *testing.T) {
	files := map[string]string{
		"small.txt": realText(t, 3000), "medium.txt": realText(t, 100<<10), "large.bin": incompressible(3 << 20),
		"empty.txt": "", "index.html": realText(t, 2000), "noise.txt": incompressible(40_000),
	}
	var memory = make(fstest.MapFS)
	for name, content := range files {
		memory[name] = &fstest.MapFile{Data: []byte(content), Mode: 0o644, ModTime: testkit.Past}
	}
	options := &servery.FileServerOptions{ReprDigest: true}
	path := testkit.Tree(t, files)
	servers := map[string]*testkit.Server{
		"dir":     testkit.Serve(t, servery.FileServer(openDir(t, path), options)),
		"dirfs":   testkit.Serve(t, servery.FileServer(os.DirFS(path), options)),
		"memory":  testkit.Serve(t, servery.FileServer(memory, options)),
		"default": testkit.Serve(t, servery.FileServer(openDir(t, path), nil)),
	}
	const both = "Want-Repr-Digest: sha-256=1, sha-512=2"
	for _, tt := range []struct {
		method, target string
		fields         []string
		status         int
		want           string // the algorithm, "" for none
		reason         string
	}{
		{"GET", "small.txt", []string{both}, 200, "sha-512", "in memory"},
		{"GET", "small.txt", []string{"Want-Repr-Digest: sha-256=1"}, 200, "sha-256", "the other algorithm of the same file"},
		{"GET", "small.txt", []string{"want-repr-digest: sha-256=2", "Want-Repr-Digest: sha-512=1"}, 200, "sha-256", "two lines"},
		{"GET", "medium.txt", []string{both}, 200, "sha-512", "read for it"},
		{"GET", "large.bin", []string{both}, 200, "sha-512", "a file whose tag is not made of its content"},
		{"HEAD", "large.bin", []string{both}, 200, "sha-512", "remembered by now"},
		{"HEAD", "large.bin", []string{"Want-Repr-Digest: sha-256=9"}, 200, "sha-256", "and not under the other algorithm"},
		{"HEAD", "small.txt", []string{both}, 200, "sha-512", "HEAD says what GET says"},
		{"GET", "empty.txt", []string{both}, 200, "sha-512", "nothing has a digest, too"},
		{"GET", "", []string{both}, 200, "sha-512", "the index of a directory"},
		{"GET", "small.txt", []string{both, "Range: bytes=5-9"}, 206, "sha-512", "of the whole file"},
		{"GET", "large.bin", []string{both, "Range: bytes=5-9"}, 206, "sha-512", "of the whole large file"},
		{"GET", "medium.txt", []string{both, "Range: bytes=5-9,20-29"}, 206, "sha-512", "several parts"},
		{"HEAD", "medium.txt", []string{both, "Range: bytes=5-9"}, 200, "sha-512", "HEAD knows no ranges"},
		{"GET", "noise.txt", []string{both, "Accept-Encoding: gzip"}, 200, "sha-512", "plain, since a coding saves nothing"},
		{"GET", "medium.txt", []string{both, "Accept-Encoding: gzip"}, 200, "", "a coded representation"},
		{"GET", "medium.txt", []string{both, "If-None-Match: *"}, 304, "", "not modified"},
		{"GET", "medium.txt", []string{both, `If-Match: "x"`}, 412, "", "an error"},
		{"GET", "medium.txt", []string{both, "Range: bytes=999999-"}, 416, "", "no such range"},
		{"GET", "missing.txt", []string{both}, 404, "", "no file"},
		{"GET", "small.txt/", []string{both}, 301, "", "a redirect"},
		{"POST", "small.txt", []string{both}, 405, "", "no such method"},
		{"GET", "small.txt", nil, 200, "", "nobody asked"},
		{"GET", "small.txt", []string{"Want-Repr-Digest: sha-256=0"}, 200, "", "none is acceptable"},
		{"GET", "small.txt", []string{"Want-Repr-Digest: md5=1"}, 200, "", "none that is known"},
		{"GET", "small.txt", []string{"Want-Repr-Digest: sha-256=1,"}, 200, "", "malformed"},
	} {
		for name, server := range servers {
			got := server.Do(tt.method, "/"+tt.target, tt.fields...)
			want := ""
			if tt.want != "" && name != "default" {
				content, ok := files[tt.target]
				if !ok {
					content = files["index.html"]
				}
				want = digestOf(tt.want, content)
			}
			if got.Status != tt.status || got.Header.Get("Repr-Digest") != want {
				t.Errorf("%s: %s /%s %q: %s, want %d with Repr-Digest %q: %s",
					name, tt.method, tt.target, tt.fields, got.Head, tt.status, want, tt.reason)
			}
		}
	}
}

// TestReprDigestOfWhatChanges: an answer has the digest of what it sends, or none.
func TestReprDigestOfWhatChanges(t *testing.T) {
	server, path := serveTree(t, map[string]string{"small.txt": "x", "large.txt": "x"}, &servery.FileServerOptions{ReprDigest: true})
	digests := 0
	for i := range 40 {
		for name, size := range map[string]int{"small.txt": 3000, "large.txt": 50_000} {
			content := realText(t, size)[:size-1] + string(rune('A'+i)) // of one size
			testkit.Write(t, filepath.Join(path, name), content)
			if i%4 == 0 {
				testkit.Settle()
			}
			got := server.Get("/"+name, "Want-Repr-Digest: sha-256=1")
			field := got.Header.Get("Repr-Digest")
			if string(got.Body) != content || field != "" && field != digestOf("sha-256", content) {
				t.Fatalf("version %d of %s: a digest of other bytes:\n%s", i, name, got.Head)
			}
			switch {
			case field != "":
				digests++
			case name == "small.txt" || i%4 == 0:
				t.Errorf("version %d of %s has no digest", i, name)
			}
		}
	}
	if digests < 50 {
		t.Errorf("%d digests", digests)
	}
}

// gatedFS has files of one size whose reading is counted and goes through a gate.
type gatedFS struct {
	size  int
	gate  func(name string) error
	reads *atomic.Int64
}

func (g gatedFS) Open(name string) (fs.File, error) {
	f, err := fstest.MapFS{name: &fstest.MapFile{Data: make([]byte, g.size), Mode: 0o644}}.Open(name)
	return gatedFile{f, name, g}, err
}

type gatedFile struct {
	fs.File
	name string
	g    gatedFS
}

func (f gatedFile) ReadAt(p []byte, offset int64) (int, error) {
	if err := f.g.gate(f.name); err != nil {
		return 0, err
	}
	n := copy(p, make([]byte, max(0, int64(f.g.size)-offset)))
	f.g.reads.Add(int64(n))
	return n, nil
}

// wanting asks for a digest of a file in the bubble of a test, and returns it.
func wanting(root fs.FS) func(name string) string {
	handler := servery.FileServer(root, &servery.FileServerOptions{ReprDigest: true, ContentETagMax: -1})
	return func(name string) string {
		w, r := httptest.NewRecorder(), httptest.NewRequest("HEAD", "/"+name, nil)
		r.Header.Set("Want-Repr-Digest", "sha-256=1")
		handler.ServeHTTP(w, r)
		if w.Code != 200 {
			return w.Result().Status
		}
		return w.Header().Get("Repr-Digest")
	}
}

// TestReprDigestIsSharedAndRemembered: all who ask at once have one reading, and those
// who come later none.
func TestReprDigestIsSharedAndRemembered(t *testing.T) {
	const size = 100_000
	synctest.Test(t, func(t *testing.T) {
		goOn, reads := make(chan struct{}), new(atomic.Int64)
		ask := wanting(gatedFS{size, func(string) error { <-goOn; return nil }, reads})
		want := digestOf("sha-256", string(make([]byte, size)))
		var asking sync.WaitGroup
		for range 8 {
			asking.Go(func() {
				if got := ask("a.txt"); got != want {
					t.Errorf("got %q, want %q", got, want)
				}
			})
		}
		synctest.Wait()
		close(goOn)
		asking.Wait()
		if got := ask("a.txt"); got != want || reads.Load() != size {
			t.Errorf("got %q after %d bytes were read, want %q after %d", got, reads.Load(), want, size)
		}
	})
}

// TestReprDigestWaitsForASecond and not longer, while as many files as there are
// processors are read; what comes of those is remembered, what failed is not.
func TestReprDigestWaitsForASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		goOn, reads := make(chan struct{}), new(atomic.Int64)
		var failing atomic.Bool
		ask := wanting(gatedFS{100_000, func(name string) error {
			switch {
			case strings.HasPrefix(name, "slow"):
				<-goOn
			case failing.Load():
				return errors.New("the disk fails")
			}
			return nil
		}, reads})
		var asking sync.WaitGroup
		for i := range runtime.GOMAXPROCS(0) {
			asking.Go(func() {
				if got := ask("slow" + string(rune('a'+i)) + ".txt"); got == "" {
					t.Error("one that has a slot has no digest")
				}
			})
		}
		synctest.Wait()
		start := time.Now()
		if got := ask("b.txt"); got != "" || time.Since(start) != time.Second {
			t.Errorf("got %q without a slot, after %v", got, time.Since(start))
		}
		close(goOn)
		asking.Wait()
		failing.Store(true)
		if got := ask("b.txt"); got != "" {
			t.Errorf("got %q of what cannot be read", got)
		}
		failing.Store(false)
		if got := ask("b.txt"); got == "" || strings.HasPrefix(got, "5") {
			t.Errorf("got %q after all", got)
		}
	})
}

// TestReprDigestOfUnsettledFiles: the times of a file that was written a moment ago do
// not tell it from its next version. What is in memory has a digest all the same, which
// is not remembered.
func TestReprDigestOfUnsettledFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, size := range map[string]int{"small.txt": 2000, "large.txt": 200_000} {
			first, second := realText(t, size)[:size-1]+"1", realText(t, size)[:size-1]+"2"
			file := &fstest.MapFile{Data: []byte(first), Mode: 0o644, ModTime: time.Now()}
			ask := wanting(fstest.MapFS{name: file})
			want := ""
			if name == "small.txt" {
				want = digestOf("sha-256", first)
			}
			if got := ask(name); got != want {
				t.Errorf("%s, just written: got %q, want %q", name, got, want)
			}
			file.Data = []byte(second) // with the same times
			time.Sleep(3 * time.Second)
			if got, want := ask(name), digestOf("sha-256", second); got != want {
				t.Errorf("%s, settled: got %q, want %q", name, got, want)
			}
		}
	})
}
