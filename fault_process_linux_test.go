package servery_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"servery/internal/testkit"
)

// A body that breaks off in the middle is the beginning of the file and is not taken for
// all of it.
func TestSendfileFailsInTheMiddle(t *testing.T) {
	const size = 16 << 20
	text := strings.Repeat("0123456789abcdef", size/16)
	dir := testkit.Tree(t, map[string]string{"large.bin": text})
	// The first call of a thread takes no more than the socket's buffer does.
	s := traceWith(t, injecting([]string{"--seccomp-bpf"}, []string{"sendfile:error=EIO:when=2+"}),
		roleVariable+"=serve faults", testBinary(t), dir)
	control := s.server.Dial()
	begin(control)
	c := s.server.Dial()
	c.Send("GET", "/large.bin")
	got := c.Read("GET")
	if got.Status != http.StatusOK || got.Err == nil || len(got.Body) <= 512 || len(got.Body) >= size || !strings.HasPrefix(text, string(got.Body)) {
		t.Errorf("%d bytes, %v after\n%s, want a beginning and a broken connection", len(got.Body), got.Err, got.Head)
	}
	if rest := end(control, 0); rest != "" {
		t.Errorf("not at rest:\n%s", rest)
	}
	s.end()
}

// What a system or a filter does not offer to the whole process changes no answer: not
// what is served, and not what is kept from being served.
func TestMissingSystemCalls(t *testing.T) {
	text := realText(t, 300_000)
	outside := testkit.Tree(t, map[string]string{"secret.txt": "secret", "below/secret.txt": "secret"})
	dir := testkit.Tree(t, map[string]string{
		"file.txt": text[:3000], "large.txt": text, "docs/index.html": text[:2000], "deep/er/file.txt": text[:10],
	})
	for name, to := range map[string]string{
		"inside": "deep/er/file.txt", "deep/up": "../file.txt", "leaves": "../" + filepath.Base(outside) + "/secret.txt",
		"absolute": filepath.Join(outside, "secret.txt"), "folder": filepath.Join(outside, "below"), "loop": "loop", "magic": "/proc/self/root",
	} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	testkit.Settle()
	for _, tt := range []struct {
		inject string // "" for none: what is wanted is not made for the faults
		reason string
	}{
		{"", "as it should be"},
		{"openat2:error=ENOSYS", "an old kernel"},
		{"openat2:error=EPERM", "a seccomp filter"},
		{"openat2:error=EAGAIN", "renames without end"},
		{"sendfile:error=ENOSYS", "no sendfile"},
		{"pipe2:error=EMFILE", "long work cannot give way"},
		{"pipe2:error=ENOSYS", "nor ever will"},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			options := []string{"--seccomp-bpf", "-e", "trace=openat2"}
			if tt.inject != "" {
				options = injecting(options[:1], []string{tt.inject})
			}
			s := traceWith(t, options, roleVariable+"=serve faults", testBinary(t), dir)
			control := s.server.Dial()
			control.Do("GET", "/file.txt") // opens what stays open
			control.Do("GET", "/large.txt", acceptGzip)
			begin(control)
			for range 2 {
				wantSite(t, s.server, text)
			}
			if rest := end(control, 0); rest != "" {
				t.Errorf("not at rest:\n%s", rest)
			}
			if n := s.injected(t, ""); (n > 0) != (tt.inject != "") {
				t.Errorf("%d calls failed", n)
			}
			s.end()
		})
	}
}

func wantSite(t *testing.T, server *testkit.Server, text string) {
	t.Helper()
	for _, tt := range []struct {
		target, field string
		status        int
		body          string
		reason        string
	}{
		{"/file.txt", "Accept: */*", 200, text[:3000], "small"},
		{"/file.txt", acceptGzip, 200, text[:3000], "small and coded"},
		{"/large.txt", "Accept: */*", 200, text, "large"},
		{"/large.txt", acceptGzip, 200, text, "large and coded"},
		{"/large.txt", "Range: bytes=100000-100009", 206, text[100_000:100_010], "a part"},
		{"/docs/", "Accept: */*", 200, text[:2000], "an index"},
		{"/inside", "Accept: */*", 200, text[:10], "a link that stays"},
		{"/deep/up", "Accept: */*", 200, text[:3000], "a link up that stays"},
		{"/leaves", "Accept: */*", 404, "", "a link that leaves"},
		{"/absolute", "Accept: */*", 404, "", "an absolute link"},
		{"/folder/secret.txt", "Accept: */*", 404, "", "beneath a link that leaves"},
		{"/magic/etc/passwd", "Accept: */*", 404, "", "beneath the system's root"},
		{"/loop", "Accept: */*", 404, "", "a link to itself"},
		{"/fifo", "Accept: */*", 404, "", "no file"},
		{"/..%2f" + "secret.txt", "Accept: */*", 404, "", "an encoded separator"},
		{"/missing.txt", "Accept: */*", 404, "", "not there"},
	} {
		got := fetch(t, server, "GET", tt.target, tt.field)
		if got.Status != tt.status || got.Err != nil {
			t.Errorf("%s, %s: %v, got\n%s, want %d: %s", tt.target, tt.field, got.Err, got.Head, tt.status, tt.reason)
		}
		if tt.body != "" && decoded(t, got.Header.Get("Content-Encoding"), got.Body) != tt.body {
			t.Errorf("%s, %s: %d bytes that are not the file's: %s", tt.target, tt.field, len(got.Body), tt.reason)
		}
	}
}
