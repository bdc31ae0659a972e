//go:build unix

package servery_test

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"servery"
	"servery/internal/testkit"
)

// What is never served is not listed, neither itself nor by a link, and listing waits for
// no other end of a pipe. That holds for a file system of package os as well.
func TestListingWithoutIrregularFiles(t *testing.T) {
	dir := testkit.Tree(t, map[string]string{"file": "x", "sub/x": ""})
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	socket, err := net.Listen("unix", filepath.Join(dir, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	for name, target := range map[string]string{"to-pipe": "pipe", "to-socket": "socket", "to-file": "file", "loop": "loop"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	dirFS := testkit.Serve(t, servery.FileServer(os.DirFS(dir), listingOn))
	anchored := testkit.Serve(t, servery.FileServer(openDir(t, dir), listingOn))
	for _, server := range []*testkit.Server{anchored, dirFS} {
		if got, want := list(t, server, "/").names(), "sub/ file to-file"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
