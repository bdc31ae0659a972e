package servery_test

import (
	"fmt"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"servery/internal/testkit"
)

// Outcomes besides a status. A status that says success is that of the whole answer.
const (
	spared = 0  // the fault lies on no way that this request takes: as if there were none
	torn   = -1 // nothing, or an answer that breaks off
)

// hits are the requests that a fault is put in the way of. Each has a file of its own,
// the only one of those it opens whose system calls fail.
var hits = []struct {
	method, target, field string
	faulty                string
	status                int
	reason                string
}{
	{"GET", "/small.txt", "", "small.txt", 200, "read into memory, and remembered where that can be"},
	{"HEAD", "/head.txt", "", "head.txt", 200, "read for its tag"},
	{"GET", "/part.txt", "Range: bytes=1-9", "part.txt", 206, "read between two looks"},
	{"GET", "/medium.txt", "", "medium.txt", 200, "read for its tag in a flight, and sent by sendfile"},
	{"GET", "/coded.txt", acceptGzip, "coded.txt", 200, "encoded in a flight"},
	{"GET", "/packed.txt", acceptGzip, "packed.txt.gz", 200, "a sidecar, without which there is the original"},
	{"GET", "/docs/", "", "docs/index.html", 200, "an index"},
	{"GET", "/large.bin", "", "large.bin", 200, "probed, and sent by sendfile"},
	{"GET", "/middle.bin", "Range: bytes=1000000-3999999", "middle.bin", 206, "sent from somewhere in the middle"},
}

// faults are the ways in which system calls fail, and what becomes of each of hits.
var faults = []struct {
	inject []string // as strace writes them, which counts the calls of a thread whatever file they are for
	want   [9]int
	reason string
}{
	{[]string{"openat2:error=ENOENT"}, [9]int{404, 404, 404, 404, 404, 200, 404, 404, 404}, "it is gone"},
	{[]string{"openat2:error=EXDEV"}, [9]int{404, 404, 404, 404, 404, 200, 404, 404, 404}, "it leads out"},
	{[]string{"openat2:error=EACCES"}, [9]int{403, 403, 403, 403, 403, 200, 403, 403, 403}, "no permission"},
	{[]string{"openat2:error=EMFILE"}, [9]int{503, 503, 503, 503, 503, 200, 503, 503, 503}, "the process has no descriptors"},
	{[]string{"openat2:error=ENFILE"}, [9]int{503, 503, 503, 503, 503, 200, 503, 503, 503}, "the system has none"},
	{[]string{"openat2:error=EIO"}, [9]int{500, 500, 500, 500, 500, 200, 500, 500, 500}, "the disk fails"},
	{[]string{"openat2:error=ESTALE"}, [9]int{500, 500, 500, 500, 500, 200, 500, 500, 500}, "the file server has forgotten it"},
	{[]string{"openat2:error=ENOMEM"}, [9]int{500, 500, 500, 500, 500, 200, 500, 500, 500}, "no memory"},
	{[]string{"openat2:error=EINTR:when=1+2"}, [9]int{200, 200, 206, 200, 200, 200, 200, 200, 206}, "signals"},
	{[]string{"openat2:error=EAGAIN"}, [9]int{200, 200, 206, 200, 200, 200, 200, 200, 206}, "renames without end: os.Root opens it"},
	{[]string{"openat2:error=EPERM"}, [9]int{200, 200, 206, 200, 200, 200, 200, 200, 206}, "refused for these files: os.Root opens them"},
	{[]string{"openat2:error=ENOSYS", "openat:error=EMFILE"}, [9]int{503, 503, 503, 503, 503, 200, 503, 503, 503}, "os.Root has no descriptors either"},
	{[]string{"openat2:error=EAGAIN", "openat:error=EIO"}, [9]int{500, 500, 500, 500, 500, 200, 500, 500, 500}, "os.Root finds the disk failing"},
	{[]string{"openat2:error=EPERM", "openat:error=EACCES"}, [9]int{403, 403, 403, 403, 403, 200, 403, 403, 403}, "os.Root is refused as well"},

	{[]string{"fstat:error=EIO"}, [9]int{500, 500, 500, 500, 500, 200, 500, 500, 500}, "what was opened cannot be looked at"},
	{[]string{"fstat:error=ESTALE"}, [9]int{500, 500, 500, 500, 500, 200, 500, 500, 500}, "it is forgotten once it is open"},
	{[]string{"fstat:error=EACCES"}, [9]int{403, 403, 403, 403, 403, 200, 403, 403, 403}, "a security module lets nobody look"},
	{[]string{"fstat:error=EINTR:when=1+2"}, [9]int{200, 200, 206, 200, 200, 200, 200, 200, 206}, "signals"},
	{[]string{"newfstatat:error=EIO"}, [9]int{200, 200, 206, spared, 200, spared, 200, spared, spared}, "what is remembered cannot be looked at: it is opened"},

	{[]string{"pread64:error=EIO"}, [9]int{500, 500, 500, 500, 500, 200, 500, 500, 500}, "it cannot be read"},
	{[]string{"pread64:retval=0"}, [9]int{500, 500, 500, 500, 500, 200, 500, 500, 500}, "it is truncated"},
	{[]string{"pread64:retval=1:poke_exit=@arg2=78"}, [9]int{200, 200, 206, 200, 200, 200, 200, 200, 206}, "it is read byte by byte"},
	{[]string{"pread64:error=EINTR:when=1+2"}, [9]int{200, 200, 206, 200, 200, 200, 200, 200, 206}, "signals"},

	{[]string{"lseek:error=EIO"}, [9]int{spared, spared, spared, spared, spared, spared, spared, spared, torn}, "the middle is not found"},
	{[]string{"read:error=EIO"}, [9]int{spared, spared, spared, torn, spared, spared, spared, torn, torn}, "the first bytes of what is sent"},
	{[]string{"read:retval=0"}, [9]int{spared, spared, spared, torn, spared, spared, spared, torn, torn}, "truncated when the head is decided"},
	{[]string{"sendfile:error=EIO"}, [9]int{spared, spared, spared, torn, spared, spared, spared, torn, torn}, "the disk fails at once"},
	{[]string{"sendfile:error=EINVAL"}, [9]int{spared, spared, spared, 200, spared, spared, spared, 200, 206}, "no file for sendfile: it is copied"},
	{[]string{"sendfile:error=ENOSYS"}, [9]int{spared, spared, spared, 200, spared, spared, spared, 200, 206}, "no sendfile: it is copied"},

	{[]string{"close:error=EIO"}, [9]int{200, 200, 206, 200, 200, 200, 200, 200, 206}, "nothing was written that could be lost"},
	{[]string{"close:error=EINTR"}, [9]int{200, 200, 206, 200, 200, 200, 200, 200, 206}, "not repeated: another file may have the number"},
}

// System calls that fail under a running server: each answer is whole, an error with its
// status, or torn, and afterwards nothing is held and the same files are served well
// under names whose calls succeed.
func TestFailingSystemCalls(t *testing.T) {
	dir := faultTree(t)
	for _, tt := range faults {
		t.Run(strings.Join(tt.inject, " "), func(t *testing.T) {
			t.Parallel()
			options := []string{"-y", "--seccomp-bpf"}
			for _, hit := range hits {
				options = append(options, "-P", hit.faulty, "-P", path.Base(hit.faulty), "-P", filepath.Join(dir, hit.faulty)) // os.Root opens one element after the other
			}
			s := traceWith(t, injecting(options, tt.inject), roleVariable+"=serve faults", testBinary(t), dir)
			control := s.server.Dial()
			begin(control)
			slow := make(map[string]bool)
			for i, hit := range hits {
				start := time.Now()
				for round := range 2 { // at once: what is remembered is trusted for a second
					wantOutcome(t, s.server, dir, hit.method, hit.target, hit.field, tt.want[i], hit.status, fmt.Sprintf("%s (%s), round %d", hit.reason, tt.reason, round))
				}
				// On a machine that is too slow for that nothing remembered is looked at.
				slow[hit.faulty] = time.Since(start) > time.Second/2 && strings.HasPrefix(tt.inject[0], "newfstatat:")
			}
			for _, hit := range hits {
				wantOutcome(t, s.server, dir, hit.method, "/good"+hit.target, hit.field, hit.status, hit.status, "another name of "+hit.faulty)
			}
			lost := 0
			if strings.HasPrefix(tt.inject[0], "close:") {
				lost = s.injected(t, "") // strace keeps the kernel from closing
			}
			if rest := end(control, lost); rest != "" {
				t.Errorf("not at rest:\n%s", rest)
			}
			s.end()
			if strings.Contains(tt.inject[0], ":when=") { // which strace counts for each thread: any file may be spared
				if s.injected(t, "") == 0 {
					t.Error("no call failed")
				}
				return
			}
			for i, hit := range hits {
				if n := s.injected(t, hit.faulty); (n > 0) != (tt.want[i] != spared) && !slow[hit.faulty] {
					t.Errorf("%s: %d calls failed", hit.faulty, n)
				}
			}
		})
	}
}

// injecting adds the options that let system calls fail, and others not even stop.
func injecting(options, inject []string) []string {
	var calls []string
	for _, fault := range inject {
		call, _, _ := strings.Cut(fault, ":")
		calls = append(calls, call)
		options = append(options, "-e", "inject="+fault)
	}
	return append(options, "-e", "trace="+strings.Join(calls, ","))
}

// injected counts the calls for a file, or for all if it is "", that were made to fail.
func (s *traced) injected(t *testing.T, name string) int {
	t.Helper()
	n := 0
	for line := range strings.Lines(readFile(t, s.file)) {
		if strings.Contains(line, "(INJECTED") && (name == "" || strings.Contains(line, `"`+name+`"`) ||
			strings.Contains(line, `"`+path.Base(name)+`"`) || strings.Contains(line, "/"+name+">")) {
			n++
		}
	}
	return n
}

// faultTree has each file a second time beneath good, and no bytes but x, which is what
// a faked read gives.
func faultTree(t *testing.T) string {
	t.Helper()
	sizes := map[string]int{
		"small.txt": 1100, "head.txt": 1100, "part.txt": 1100, "medium.txt": 2500, "coded.txt": 1100, "packed.txt": 1100,
		"docs/index.html": 1100, "large.bin": 9 << 20, "middle.bin": 9 << 20,
	}
	files := map[string]string{"good/docs/": ""}
	for name, size := range sizes {
		files[name] = strings.Repeat("x", size)
	}
	files["packed.txt.gz"] = gzipped(files["packed.txt"])
	dir := testkit.Tree(t, files)
	for name := range files {
		if !strings.HasSuffix(name, "/") {
			if err := os.Link(filepath.Join(dir, name), filepath.Join(dir, "good", name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	testkit.Settle()
	return dir
}

// wantOutcome asks on a connection of its own and demands the outcome.
func wantOutcome(t *testing.T, server *testkit.Server, dir, method, target, field string, want, whole int, reason string) {
	t.Helper()
	c := server.Dial()
	defer c.Close()
	fields := slices.DeleteFunc([]string{field}, func(s string) bool { return s == "" })
	c.Send(method, target, fields...)
	if want == torn {
		if plain, err := readWhole(c.Conn); err == nil {
			t.Errorf("%s %s: a whole answer of %d bytes, want none: %s", method, target, len(plain), reason)
		}
		return
	}
	got := c.Read(method)
	for _, fault := range testkit.Lint(method, fields, got) {
		t.Errorf("%s %s: %s\n%s", method, target, fault, got.Head)
	}
	if want == spared {
		want = whole
	}
	if got.Status != want || got.Err != nil {
		t.Errorf("%s %s: %v, got\n%s, want %d: %s", method, target, got.Err, got.Head, want, reason)
	}
	if got.Status >= 400 || method == http.MethodHead {
		return
	}
	plain := decoded(t, got.Header.Get("Content-Encoding"), got.Body)
	length := map[string]int{"Range: bytes=1-9": 9, "Range: bytes=1000000-3999999": 3_000_000}[field]
	if length == 0 {
		name := filepath.Join(dir, filepath.FromSlash(target))
		if strings.HasSuffix(target, "/") {
			name = filepath.Join(name, "index.html")
		}
		length = len(readFile(t, name))
	}
	if plain != strings.Repeat("x", length) {
		t.Errorf("%s %s: %d bytes that are not the %d of the file: %s", method, target, len(plain), length, reason)
	}
	if second := c.Do("OPTIONS", "/"); second.Status != http.StatusNoContent {
		t.Errorf("%s %s: the next answer on the connection is\n%s", method, target, second.Head)
	}
}
