//go:build unix

package servery_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"servery"
	"servery/internal/testkit"
)

const (
	curlPartial     = 18 // the connection ended before the answer did
	curlCannotRange = 33 // the answer to a range was the whole file, which cannot be appended
)

// download is a file on disk that curl is to complete.
type download struct {
	t    *testing.T
	url  string
	path string
}

// resume runs curl --continue-at - and checks its exit code, the answer's status
// and what is on disk then.
func (d download) resume(reason string, code int, status, content string, args ...string) {
	d.t.Helper()
	args = append(args, "--continue-at", "-", "--write-out", "%{http_code}", "--output", d.path, d.url)
	got, exit := curl(d.t, "", args...)
	if exit != code || got != status {
		d.t.Errorf("exit %d, status %s, want %d, %s: %s", exit, got, code, status, reason)
	}
	d.has(content, reason)
}

func (d download) has(content, reason string) {
	d.t.Helper()
	data, err := os.ReadFile(d.path)
	if err != nil || string(data) != content {
		d.t.Errorf("%d bytes on disk (%v) that are not the %d of %s", len(data), err, len(content), reason)
	}
}

func (d download) holds(content string) {
	d.t.Helper()
	if err := os.WriteFile(d.path, []byte(content), 0o644); err != nil {
		d.t.Fatal(err)
	}
}

func TestCurlResume(t *testing.T) {
	text := realText(t, 3<<20) // more than a content tag is made for
	server, _ := serveTree(t, map[string]string{"large.txt": text, "small.txt": text[:10_000]}, nil)
	for name, content := range map[string]string{"large.txt": text, "small.txt": text[:10_000]} {
		d := download{t, "http://" + server.Addr + "/" + name, filepath.Join(t.TempDir(), name)}
		for _, held := range []int{1, 511, 4096, len(content) / 2, len(content) - 1} {
			d.holds(content[:held])
			d.resume("a part is completed", 0, "206", content)
			d.holds(content[:held])
			d.resume("a part is completed, whatever codings are offered", 0, "206", content, "--header", "Accept-Encoding: gzip, br, zstd")
		}
		d.resume("nothing is missing (RFC 9110, section 15.5.17)", 0, "416", content)
		d.holds("")
		d.resume("nothing is there yet", 0, "200", content)
	}
}

// An answer that broke off is completed, and the tag of the first answer is good
// for the rest of it.
func TestCurlResumeAfterCut(t *testing.T) {
	text := realText(t, 3<<20)
	inner := servery.FileServer(openDir(t, testkit.Tree(t, map[string]string{"file.txt": text})), nil)
	var cut atomic.Bool
	cut.Store(true)
	server := testkit.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if cut.Swap(false) {
			w = &cutWriter{w, 1 << 20}
		}
		inner.ServeHTTP(w, r)
	}))
	d := download{t, "http://" + server.Addr + "/file.txt", filepath.Join(t.TempDir(), "file.txt")}
	tag := filepath.Join(t.TempDir(), "tag")
	if _, exit := curl(t, "", "--etag-save", tag, "--output", d.path, d.url); exit != curlPartial {
		t.Fatalf("exit %d, want %d", exit, curlPartial)
	}
	held, err := os.ReadFile(d.path)
	if err != nil || len(held) == 0 || len(held) == len(text) {
		t.Fatalf("%d bytes before the cut (%v)", len(held), err)
	}
	d.has(text[:len(held)], "the beginning")
	d.resume("If-Range with the tag of what is there", 0, "206", text, "--header", "If-Range: "+saved(t, tag))
}

// cutWriter ends the connection within the body.
type cutWriter struct {
	http.ResponseWriter
	left int
}

func (w *cutWriter) Write(p []byte) (int, error) {
	if len(p) >= w.left {
		w.ResponseWriter.Write(p[:w.left])
		http.NewResponseController(w.ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
	w.left -= len(p)
	return w.ResponseWriter.Write(p)
}

// A file that changes between the parts. curl sends no If-Range by itself, and
// what it makes of the two versions then is its own affair: nothing in such a
// request tells the server of the first one.
func TestCurlResumeOfChangedFile(t *testing.T) {
	first := realText(t, 2<<20)
	second := strings.ToUpper(first)
	for _, size := range []int{10_000, 2 << 20} {
		first, second := first[:size], second[:size]
		half := size / 2
		server, path := serveTree(t, map[string]string{"file.txt": first}, nil)
		d := download{t, "http://" + server.Addr + "/file.txt", filepath.Join(t.TempDir(), "file.txt")}
		tag := filepath.Join(t.TempDir(), "tag")
		curlOK(t, "--etag-save", tag, "--output", d.path, d.url)
		ifRange := "If-Range: " + saved(t, tag)

		if err := os.WriteFile(filepath.Join(path, "file.txt"), []byte(second), 0o644); err != nil {
			t.Fatal(err)
		}
		testkit.Settle()
		d.holds(first[:half])
		d.resume("without If-Range: both versions, one after the other", 0, "206", first[:half]+second[half:])
		d.holds(first[:half])
		d.resume("with If-Range: refused, and left as it was", curlCannotRange, "200", first[:half], "--header", ifRange)
		curlOK(t, "--fail", "--header", ifRange, "--range", "5000-", "--output", d.path, d.url)
		d.has(second, "a range of the changed file, which comes whole")

		if err := os.WriteFile(filepath.Join(path, "file.txt"), []byte(second[:half/2]), 0o644); err != nil {
			t.Fatal(err)
		}
		testkit.Settle()
		d.holds(first[:half])
		d.resume("shorter than what is there: curl takes 416 for an end", 0, "416", first[:half])
		d.resume("with If-Range: refused", curlCannotRange, "200", first[:half], "--header", ifRange)
	}
}

// saved is the entity-tag that curl has put into a file.
func saved(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tag := strings.TrimSpace(string(data))
	if !strings.HasPrefix(tag, `"`) {
		t.Fatalf("%q is no strong tag", tag)
	}
	return tag
}
