package servery_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"servery"
	"servery/internal/testkit"
)

// serveTree serves files through a Dir that is closed when the test ends.
func serveTree(tb testing.TB, files map[string]string, opts *servery.FileServerOptions) (*testkit.Server, string) {
	tb.Helper()
	path := testkit.Tree(tb, files)
	server := testkit.Serve(tb, servery.FileServer(openDir(tb, path), opts))
	server.Rules = testkit.Lint
	return server, path
}

func openDir(tb testing.TB, path string) *servery.Dir {
	tb.Helper()
	dir, err := servery.OpenDir(path)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { dir.Close() })
	return dir
}

// contentTag is the tag that the contract demands for a file of this content.
func contentTag(content string) string {
	sum := sha256.Sum256([]byte(content))
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// realText returns size bytes of Go's own source.
func realText(tb testing.TB, size int) string {
	tb.Helper()
	text, err := os.ReadFile("testdata/site/large.txt")
	if err != nil {
		tb.Fatal(err)
	}
	for len(text) < size {
		text = append(text, text...)
	}
	return string(text[:size])
}

func readAll(tb testing.TB, response *http.Response) string {
	tb.Helper()
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return string(body)
}

// undated is a head without the one field that differs from second to second.
func undated(r testkit.Response) string {
	return regexp.MustCompile("Date: .*\r\n").ReplaceAllString(r.Head, "")
}

func readFile(tb testing.TB, path string) string {
	tb.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return string(content)
}

func setDate(tb testing.TB, path string, date time.Time) {
	tb.Helper()
	if err := os.Chtimes(path, date, date); err != nil {
		tb.Fatal(err)
	}
}

func goRoot(tb testing.TB) string {
	tb.Helper()
	root, err := exec.Command(testkit.Tool(tb, "go"), "env", "GOROOT").Output()
	if err != nil {
		tb.Fatal(err)
	}
	return strings.TrimSpace(string(root))
}

// leaveToPlain leaves a test out under the race detector: it waits for other programs for
// long, and what the handlers do meanwhile is tried for races by tests that do it faster.
func leaveToPlain(tb testing.TB) {
	tb.Helper()
	if raced {
		tb.Skip("runs without the race detector only")
	}
}
