package servery_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"servery"
	"servery/internal/testkit"
)

// program is the command line that belongs to a content coding: those who deploy
// make sidecars by it, and as a decoder it shares no code with the encoders here.
type program struct{ name, extension, tagSuffix string }

var programs = map[string]program{
	"gzip": {"gzip", ".gz", "-gz"},
	"zstd": {"zstd", ".zst", "-zst"},
	"br":   {"brotli", ".br", "-br"},
}

// pack puts a sidecar beside the file at path, as its program makes it. The file
// must be there, and its sidecar is as old as it.
func pack(tb testing.TB, coding, path string, args ...string) {
	tb.Helper()
	p := programs[coding]
	if out, err := exec.Command(testkit.Tool(tb, p.name), append(args, "-k", "-f", path)...).CombinedOutput(); err != nil {
		tb.Fatalf("%s %s: %v\n%s", p.name, path, err, out)
	}
}

// packed returns what the program of a coding makes of a file with this content.
func packed(tb testing.TB, coding, content string, args ...string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "file")
	testkit.Write(tb, path, content)
	pack(tb, coding, path, args...)
	return readFile(tb, path+programs[coding].extension)
}

// unpacked undoes a coding by its program.
func unpacked(tb testing.TB, coding string, body []byte) string {
	tb.Helper()
	if coding == "" {
		return string(body)
	}
	if coding == "zstd" && bytes.HasPrefix(body, []byte("\x1f\x8b")) { // which the program would undo as well
		tb.Errorf("gzip under the name of zstd, %d bytes", len(body))
	}
	cmd := exec.Command(testkit.Tool(tb, programs[coding].name), "-d", "-c")
	cmd.Stdin = bytes.NewReader(body)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		tb.Errorf("%s -d of %d bytes: %v\n%s", programs[coding].name, len(body), err, &stderr)
	}
	return stdout.String()
}

// realContents are files as they are served, by names that give them their types.
func realContents(tb testing.TB) map[string]string {
	tb.Helper()
	names, err := filepath.Glob(filepath.Join(goRoot(tb), "src", "net", "http", "*.go"))
	if err != nil || len(names) < 40 {
		testkit.Lacks(tb, "Go's source")
	}
	files := make(map[string]string)
	for _, name := range names {
		if content := readFile(tb, name); len(content) >= 1024 {
			files[filepath.Base(name)+".txt"] = content
		}
	}
	var list strings.Builder
	for random := rand.New(rand.NewPCG(1, 2)); list.Len() < 200_000; {
		fmt.Fprintf(&list, `{"id":%d,"size":%d.%02d,"name":"item %[1]d"},`, random.IntN(1e9), random.IntN(1e4), random.IntN(100))
	}
	files["list.json"] = "[" + strings.TrimSuffix(list.String(), ",") + "]"
	text := realText(tb, 10<<20)
	files["least.txt"], files["most.txt"] = text[:1024], text
	files["a.html"] = "<!doctype html>" + strings.Repeat("<p>\u65e5\u672c\u8a9e \U0001f600</p>\n", 1000)
	files["zeros.txt"] = strings.Repeat("\x00", 1<<20)
	files["hardly.txt"] = incompressible(100_000) + text[:50_000]
	return files
}

// Whoever decodes gets the file, whatever they decode by.
func TestProgramsDecodeWhatIsCoded(t *testing.T) {
	files := realContents(t)
	server, _ := serveTree(t, files, nil)
	best, _ := serveTree(t, files, &servery.FileServerOptions{Encoders: []servery.Encoder{servery.Zstd(19), servery.Gzip(9)}})
	for coding := range programs {
		for name, content := range files {
			for quality, server := range map[string]*testkit.Server{"default": server, "best": best} {
				got := server.Get("/"+name, "Accept-Encoding: "+coding)
				sent := got.Header.Get("Content-Encoding")
				if want := map[string]string{"gzip": "gzip", "zstd": "zstd"}[coding]; sent != want {
					t.Errorf("%s, %s of %s: got\n%s, want the coding %q", quality, coding, name, got.Head, want)
				}
				if unpacked(t, sent, got.Body) != content {
					t.Errorf("%s, %s of %s: %d bytes are not the file's %d", quality, coding, name, len(got.Body), len(content))
				}
			}
		}
	}
}

func TestEmptyIsNeverCoded(t *testing.T) {
	server, _ := serveTree(t, map[string]string{"empty.txt": ""}, &servery.FileServerOptions{MinSize: -1})
	for coding := range programs {
		if got := server.Get("/empty.txt", "Accept-Encoding: "+coding); got.Status != 200 || got.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s: got\n%s, want the empty file as it is", coding, got.Head)
		}
	}
}
