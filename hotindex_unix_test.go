//go:build unix

package servery_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"servery/internal/testkit"
)

// Who may search a directory and not read it can open what is in it by its name. That is so for the index,
// too, whether it is remembered or not.
func TestDirectoryThatCanOnlyBeSearched(t *testing.T) {
	dir := memoryDir(t)
	files := map[string]os.FileMode{"search/index.html": 0o311, "bare/page.html": 0o311, "closed/index.html": 0}
	for name := range files {
		if err := os.Mkdir(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		testkit.Write(t, filepath.Join(dir, name), name)
	}
	setModes := func(mode func(name string) os.FileMode) {
		for name := range files {
			if err := os.Chmod(filepath.Join(dir, filepath.Dir(name)), mode(name)); err != nil {
				t.Error(err)
			}
		}
	}
	setModes(func(name string) os.FileMode { return files[name] })
	defer setModes(func(string) os.FileMode { return 0o755 })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	testkit.Settle()
	server, end := serveAsNobody(t, dir)
	defer end()
	for _, tt := range []struct {
		target string
		status int
		reason string
	}{
		{"/search/", http.StatusOK, "opened by its name"},
		{"/search/index.html", http.StatusOK, "likewise"},
		{"/search/", http.StatusOK, "remembered by now"},
		{"/search", http.StatusForbidden, "nobody knows that it is a directory"},
		{"/search/missing.html", http.StatusNotFound, "it can be searched"},
		{"/bare/page.html", http.StatusOK, "opened by its name"},
		{"/bare/", http.StatusForbidden, "no index"},
		{"/closed/", http.StatusForbidden, "it cannot be searched"},
		{"/closed/index.html", http.StatusForbidden, "likewise"},
	} {
		if got := server.Get(tt.target); got.Status != tt.status {
			t.Errorf("%s, %s: got\n%s, want %d", tt.target, tt.reason, got.Head, tt.status)
		}
	}
}
