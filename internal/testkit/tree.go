package testkit

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Past is a modification time that nothing is the matter with.
var Past = time.Date(2024, time.March, 1, 12, 0, 0, 0, time.UTC)

// Tree writes files, keyed by slash-separated names, into a new directory and
// waits until they are settled. A name that ends in a slash is a directory. Every
// file was modified at Past.
func Tree(tb testing.TB, files map[string]string) string {
	tb.Helper()
	dir := tb.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if name[len(name)-1] == '/' {
			mustDo(tb, os.MkdirAll(path, 0o755))
			continue
		}
		mustDo(tb, os.MkdirAll(filepath.Dir(path), 0o755))
		Write(tb, path, content)
	}
	Settle()
	return dir
}

// Write writes a file that was modified at Past. It is not settled yet.
func Write(tb testing.TB, path, content string) {
	tb.Helper()
	mustDo(tb, os.WriteFile(path, []byte(content), 0o644))
	mustDo(tb, os.Chtimes(path, Past, Past))
}

// Settle waits until what was written before it is settled. The passing of time
// is the event itself: nothing else announces it.
func Settle() { <-time.After(25 * time.Millisecond) }

func mustDo(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
