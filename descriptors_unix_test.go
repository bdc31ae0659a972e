//go:build linux || darwin

package servery_test

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"

	"servery"
	"servery/internal/testkit"
)

func TestOutOfDescriptors(t *testing.T) {
	server, _ := serveTree(t, map[string]string{"file.txt": "file", "docs/index.html": "docs"},
		&servery.FileServerOptions{HotBytes: -1})
	conn := server.Dial()
	if got := conn.Do("GET", "/file.txt"); got.Status != 200 {
		t.Fatalf("before: status %d", got.Status)
	}
	restore := leaveDescriptors(t, 0)
	for _, target := range []string{"/file.txt", "/docs/", "/missing"} {
		if got := conn.Do("GET", target); got.Status != 503 {
			t.Errorf("%s: status %d, want 503", target, got.Status)
		}
	}
	restore()
	if got := conn.Do("GET", "/file.txt"); got.Status != 200 {
		t.Errorf("afterwards: status %d, want 200", got.Status)
	}
}

// A listing without its links, for want of a descriptor to follow them by, would be taken
// for all that there is, and be held by caches.
func TestListingOutOfDescriptors(t *testing.T) {
	dir := testkit.Tree(t, map[string]string{"plain/file": "x", "d/file": "x", "d/other": "x"})
	for name, to := range map[string]string{"link": "file", "next": "other", "dangling": "nowhere"} {
		if err := os.Symlink(to, filepath.Join(dir, "d", name)); err != nil {
			t.Fatal(err)
		}
	}
	server := testkit.Serve(t, servery.FileServer(openDir(t, dir), listingOn))
	conn := server.Dial()
	targets := []string{"/d/", "/d/?sort=size", "/plain/"}
	before := make(map[string]testkit.Response)
	for _, target := range targets {
		before[target] = conn.Do("GET", target)
	}
	restore := leaveDescriptors(t, 1) // for the directory
	short := make(map[string]testkit.Response)
	for _, target := range targets {
		short[target] = conn.Do("GET", target)
	}
	restore()
	wants := map[string]int{"/d/": 503, "/d/?sort=size": 503, "/plain/": 200}
	if runtime.GOOS != "linux" { // os.Root takes one more to look for an index
		wants["/plain/"] = 503
	}
	for target, want := range wants {
		if got := short[target]; got.Status != want || want == 503 && got.Header.Get("Retry-After") == "" {
			t.Errorf("%s: got\n%s, want %d", target, got.Head, want)
		}
		got := conn.Do("GET", target)
		if got.Status != 200 || string(got.Body) != string(before[target].Body) {
			t.Errorf("%s afterwards: got\n%s%s, want\n%s", target, got.Head, got.Body, before[target].Body)
		}
	}
}

// leaveDescriptors lets this process have but as many descriptors more, until restore is
// called, at the latest at the end of the test.
func leaveDescriptors(t *testing.T, more uint64) (restore func()) {
	t.Helper()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	short := limit
	short.Cur = uint64(lowestFree(t)) + more
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &short); err != nil {
		t.Fatal(err)
	}
	restore = sync.OnceFunc(func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(restore)
	return restore
}

// lowestFree is the number that the next descriptor will have.
func lowestFree(t *testing.T) uintptr {
	t.Helper()
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return f.Fd()
}
