//go:build unix

package anchor

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"servery/internal/testkit"
)

var (
	longest  = strings.Repeat("x", 255)
	deepest  = strings.Repeat("d/", 200) + "end"
	notUTF8  = "\xff\xfe\x80.txt"
	tooDeep  = strings.Repeat("d/", 2048) + "end"
	overlong = strings.Repeat("y", 256)
)

// buildTree makes a directory with one of everything, and a secret next to it.
func buildTree(t *testing.T) string {
	t.Helper()
	base := t.TempDir()
	root := mkdir(t, base, "root")
	mkdir(t, root, "sub", "deeper")
	mkdir(t, root, filepath.Dir(deepest))
	mkdir(t, base, "outside")
	write(t, filepath.Join(base, "outside", "secret"), "secret")
	for _, name := range []string{"a", "sub/b", "sub/deeper/c", ".dot", longest, deepest, "sp ace\n", "back\\slash", "co:lon"} {
		write(t, filepath.Join(root, name), name)
	}
	for link, target := range map[string]string{
		"rel":          "sub/b",
		"reldir":       "sub",
		"sub/up":       "../a",
		"sub/zigzag":   "../sub/deeper/../../sub/b",
		"chain":        "reldir/up",
		"leaves":       "../outside/secret",
		"leavesdir":    "../outside",
		"leavesdeep":   "sub/deeper/../../../outside/secret",
		"comesback":    "../root/a",
		"parent":       "..",
		"absolute":     filepath.Join(root, "a"),
		"absoluteroot": "/",
		"loop":         "loop2",
		"loop2":        "loop",
		"self":         "self",
		"dangling":     "nowhere",
		"belowfile":    "a/x",
		"magic":        "/proc/self/root",
		"magicdeep":    "/proc/self/cwd/anything",
	} {
		must(t, os.Symlink(target, filepath.Join(root, link)))
	}
	must(t, syscall.Mkfifo(filepath.Join(root, "fifo"), 0o644))
	listenAt(t, filepath.Join(root, "socket"))
	return root
}

// listenAt leaves a socket in the file system. Its path is short enough only from within its directory.
func listenAt(t *testing.T, path string) {
	t.Helper()
	t.Chdir(filepath.Dir(path))
	l, err := net.Listen("unix", filepath.Base(path))
	must(t, err)
	t.Cleanup(func() { l.Close() })
}

func TestOpen(t *testing.T) {
	root := buildTree(t)
	for _, w := range ways() {
		t.Run(w.name, func(t *testing.T) {
			r := openRootBy(t, root, w)
			t.Run("found", func(t *testing.T) { testFound(t, r) })
			t.Run("not found", func(t *testing.T) { testNotFound(t, r) })
		})
	}
}

func testFound(t *testing.T, r *Root) {
	for _, test := range []struct{ name, want, why string }{
		{"a", "a", "a file"},
		{"sub/b", "sub/b", "a file in a directory"},
		{"sub/deeper/c", "sub/deeper/c", "two directories down"},
		{".dot", ".dot", "a dot does not make a name special"},
		{deepest, deepest, "no limit on the depth short of the length"},
		{longest, longest, "the longest element that file systems have"},
		{"sp ace\n", "sp ace\n", "any byte but NUL and a slash"},
		{"back\\slash", "back\\slash", "no separator on Unix"},
		{"co:lon", "co:lon", "no stream on Unix"},
		{".", "<d--------->", "the directory itself"},
		{"sub", "<d--------->", "a directory"},
		{"fifo", "<p--------->", "a FIFO opens without a writer, so that nothing hangs"},
		{"rel", "sub/b", "a link that stays"},
		{"reldir/deeper/c", "sub/deeper/c", "a link to a directory on the way"},
		{"sub/up", "a", "a link upwards that stays"},
		{"sub/zigzag", "sub/b", "up and down and up"},
		{"chain", "a", "a link through a link"},
		{"reldir", "<d--------->", "a link to a directory"},
	} {
		got, err := read(r, test.name)
		if err != nil || got != test.want {
			t.Errorf("%.40q (%s): got %.40q, %v, want %.40q", test.name, test.why, got, err, test.want)
		}
	}
}

func testNotFound(t *testing.T, r *Root) {
	for _, test := range []struct {
		name  string
		cause error // one of those that the chain must hold, nil for any
		why   string
	}{
		{"nothing", syscall.ENOENT, "nothing there"},
		{"nothing/b", syscall.ENOENT, "no directory there"},
		{"A", syscall.ENOENT, "names are bytes"},
		{"leaves", nil, "a link that leaves"},
		{"leavesdir/secret", nil, "a link to a directory outside"},
		{"leavesdir", nil, "the directory outside itself"},
		{"leavesdeep", nil, "down and then out"},
		{"comesback", nil, "a link that leaves and comes back tells the directory's name"},
		{"parent", nil, "the parent directory"},
		{"parent/root/a", nil, "through the parent directory"},
		{"absolute", nil, "an absolute link, even to the inside"},
		{"absoluteroot/etc/passwd", nil, "through an absolute link"},
		{"loop", syscall.ELOOP, "two links in a circle"},
		{"self", syscall.ELOOP, "a link to itself"},
		{"loop/b", syscall.ELOOP, "a circle on the way"},
		{"dangling", syscall.ENOENT, "a link to nothing"},
		{"belowfile", syscall.ENOTDIR, "a link below a file"},
		{"magic", nil, "a magic link behind a link"},
		{"magic/etc/passwd", nil, "through a magic link"},
		{"magicdeep", nil, "through the working directory"},
		{"socket", syscall.ENXIO, "a socket cannot be opened"},
		{"socket/b", syscall.ENOTDIR, "below a socket"},
		{"fifo/b", syscall.ENOTDIR, "below a FIFO, without waiting for it"},
		{"a/b", syscall.ENOTDIR, "below a file"},
		{"sub/b/c/d", syscall.ENOTDIR, "far below a file"},
		{overlong, syscall.ENAMETOOLONG, "an element too long"},
		{"sub/" + overlong + "/b", syscall.ENAMETOOLONG, "an element too long on the way"},
		{notUTF8, syscall.ENOENT, "no file of that name yet"},
		{tooDeep, fs.ErrInvalid, "a path too long"},
		{"", fs.ErrInvalid, "no name"},
		{"/", fs.ErrInvalid, "absolute"},
		{"/a", fs.ErrInvalid, "absolute"},
		{"a/", fs.ErrInvalid, "an empty element"},
		{"sub/", fs.ErrInvalid, "an empty element, though a directory"},
		{"sub//b", fs.ErrInvalid, "an empty element"},
		{"./a", fs.ErrInvalid, "a second name for a"},
		{"sub/.", fs.ErrInvalid, "a second name for sub"},
		{"..", fs.ErrInvalid, "the parent directory"},
		{"../outside/secret", fs.ErrInvalid, "beside the directory"},
		{"../root/a", fs.ErrInvalid, "out and back"},
		{"sub/../a", fs.ErrInvalid, "a .. that would stay inside"},
		{"a\x00", fs.ErrInvalid, "NUL ends no name"},
		{"a\x00/../../outside/secret", fs.ErrInvalid, "nor hides the rest of one"},
	} {
		f, err := r.Open(test.name)
		if err == nil {
			f.Close()
			t.Errorf("%.40q (%s): opened", test.name, test.why)
			continue
		}
		wantNotExist(t, test.name, err)
		if test.cause != nil && !errors.Is(err, test.cause) {
			t.Errorf("%.40q (%s): got %v, want it to hold %v", test.name, test.why, err, test.cause)
		}
	}
}

// Names of bytes that are not UTF-8 have a test of their own because some file systems refuse to hold them.
func TestOpenNotUTF8(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, notUTF8), []byte("bytes"), 0o644); err != nil {
		testkit.Lacks(t, "a file system for such names: "+err.Error())
	}
	for _, w := range ways() {
		got, err := read(openRootBy(t, root, w), notUTF8)
		if err != nil || got != "bytes" {
			t.Errorf("%s: got %q, %v", w.name, got, err)
		}
	}
}

// What was opened is the file, whatever happens to its name and to the path of the directory.
func TestOpenFollowsTheDirectoryNotItsPath(t *testing.T) {
	for _, w := range ways() {
		t.Run(w.name, func(t *testing.T) {
			base := t.TempDir()
			root := mkdir(t, base, "root")
			write(t, filepath.Join(root, "a"), "first")
			r := openRootBy(t, root, w)
			must(t, os.Rename(root, filepath.Join(base, "moved")))
			mkdir(t, base, "root")
			write(t, filepath.Join(root, "a"), "second")
			got, err := read(r, "a")
			if err != nil || got != "first" {
				t.Errorf("got %q, %v, want the file of the directory that was opened", got, err)
			}
		})
	}
}
