//go:build linux || darwin

package servery_test

import (
	"fmt"
	"io/fs"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"servery"
	"servery/internal/testkit"
)

// specialTree holds one of each kind of file that is not to be served.
func specialTree(t *testing.T) string {
	t.Helper()
	dir := testkit.Tree(t, map[string]string{"file.txt": "file", "closed/a.txt": "a", "closed.txt": "closed"})
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo.html"), 0o644); err != nil {
		t.Fatal(err)
	}
	// A socket's name may be no longer than about 100 bytes, so it is made from inside.
	t.Chdir(dir)
	socket, err := net.Listen("unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { socket.Close() })
	if os.Getuid() == 0 && runtime.GOOS == "linux" {
		if err := syscall.Mknod("device", syscall.S_IFCHR|0o644, 1<<8|5); err != nil { // /dev/zero
			t.Fatal(err)
		}
	}
	return dir
}

func TestSpecialFiles(t *testing.T) {
	dir := specialTree(t)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	servers := map[string]*testkit.Server{
		"Dir":     testkit.Serve(t, servery.FileServer(openDir(t, dir), nil)),
		"DirFS":   testkit.Serve(t, servery.FileServer(os.DirFS(dir), nil)),
		"Root.FS": testkit.Serve(t, servery.FileServer(root.FS(), nil)),
	}
	for name, server := range servers {
		for _, target := range []string{"/fifo", "/fifo.html", "/socket", "/device", "/fifo/", "/fifo/below", "/file.txt/below"} {
			for _, method := range []string{"GET", "HEAD"} {
				if got := server.Do(method, target); got.Status != 404 {
					t.Errorf("%s: %s %s: status %d, want 404", name, method, target, got.Status)
				}
			}
		}
		if got := server.Get("/file.txt"); got.Status != 200 {
			t.Errorf("%s: status %d for a file beside them, want 200", name, got.Status)
		}
	}
}

// asNobody is set, to the directory to serve, in the process that a test starts to
// run itself again.
const asNobody = "SERVERY_TEST_AS_NOBODY"

// runAsNobody runs the calling test again as a user whom permissions mean something
// to, unlike root, and returns what it printed. dir, but not what is in it,
// is opened to that user.
func runAsNobody(t *testing.T, dir string) string {
	t.Helper()
	for parent := dir; strings.HasPrefix(parent, os.TempDir()+"/"); parent = filepath.Dir(parent) {
		info, err := os.Stat(parent)
		if err == nil {
			err = os.Chmod(parent, info.Mode().Perm()|0o555)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	exe := "/proc/self/exe" // not its path, which nobody else may walk
	if runtime.GOOS != "linux" {
		exe = os.Args[0]
	}
	again := exec.Command(exe, "-test.run=^"+t.Name()+"$", "-test.v")
	again.Env = append(os.Environ(), asNobody+"="+dir)
	again.Dir = "/"
	if os.Getuid() == 0 {
		again.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	output, err := again.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return string(output)
}

// Whoever runs as root may read everything, so the test asks as somebody else. 403 is
// what it gets (RFC 9110, section 15.5.4).
func TestPermission(t *testing.T) {
	targets := []string{"/closed.txt", "/closed/a.txt", "/closed/"}
	if dir := os.Getenv(asNobody); dir != "" {
		handler := servery.FileServer(openDir(t, dir), nil)
		for _, target := range targets {
			recorder := httptest.NewRecorder()
			request := httptest.NewRequest("GET", target, nil)
			handler.ServeHTTP(recorder, request)
			testkit.LintRecorded(t, request, recorder, testkit.Lint)
			fmt.Printf("%s %d %q\n", target, recorder.Code, recorder.Body)
		}
		return
	}
	dir := specialTree(t)
	for _, name := range []string{"closed", "closed.txt"} {
		if err := os.Chmod(filepath.Join(dir, name), 0); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { os.Chmod(filepath.Join(dir, "closed"), 0o755) })
	output := runAsNobody(t, dir)
	for _, target := range targets {
		if want := target + ` 403 "403 Forbidden\n"`; !strings.Contains(output, want) {
			t.Errorf("no %s in\n%s", want, output)
		}
	}
}

// inJail is set, to the directory that becomes the root of the file system, in the
// process that a test starts to run itself again.
const inJail = "SERVERY_TEST_IN_JAIL"

// A container that was made with little care, and a chroot, have no /proc to find an
// opened directory's path by. What is in it is found all the same.
func TestDirWithoutProc(t *testing.T) {
	if jail := os.Getenv(inJail); jail != "" {
		if err := syscall.Chroot(jail); err != nil {
			t.Fatal(err)
		}
		t.Chdir("/")
		dir := openDir(t, "/site")
		entries, err := dir.ReadDir(".")
		for _, entry := range entries {
			info, err := entry.Info()
			fmt.Println("entry", entry, info.Size(), err)
		}
		names, globErr := fs.Glob(dir, "*/*.txt")
		stats, warmErr := servery.Warm(t.Context(), servery.FileServer(dir, nil))
		fmt.Println(len(entries), err, names, globErr, stats.Files, warmErr)
		return
	}
	if os.Getuid() != 0 {
		testkit.Lacks(t, "the right of root to change the root")
	}
	jail := testkit.Tree(t, map[string]string{"site/a.txt": realText(t, 5000), "site/d/b.txt": realText(t, 4000)})
	if err := os.Symlink("a.txt", filepath.Join(jail, "site", "link.png")); err != nil {
		t.Fatal(err)
	}
	again := exec.Command(testBinary(t), "-test.run=^"+t.Name()+"$")
	again.Env = append(os.Environ(), inJail+"="+jail)
	output, err := again.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	for _, want := range []string{"entry - a.txt 5000 <nil>\n", "entry d d/ ", "entry L link.png 5 <nil>\n", "3 <nil> [d/b.txt] <nil> 2 <nil>\n"} {
		if !strings.Contains(string(output), want) {
			t.Errorf("no %q in\n%s", want, output)
		}
	}
}
