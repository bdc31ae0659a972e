package servery_test

import (
	"path/filepath"
	"strings"
	"testing"

	"servery/internal/testkit"
)

// A listing leaves out what nobody can ask for. Where it could not be found out what an
// entry is, there is none, since it would seem that there is less in the directory.
func TestListingOfWhatCannotBeLookedAt(t *testing.T) {
	dir := testkit.Tree(t, map[string]string{"d/good.txt": "x", "d/faulty.txt": "x"})
	for _, tt := range []struct {
		inject string
		status int
		reason string
	}{
		{"newfstatat:error=ENOENT", 200, "it is gone"},
		{"newfstatat:error=EACCES", 200, "a security module lets nobody look"},
		{"newfstatat:error=EIO", 500, "the disk fails"},
		{"newfstatat:error=EMFILE", 503, "no descriptors"},
	} {
		options := []string{"-y", "--seccomp-bpf", "-P", "faulty.txt", "-P", filepath.Join(dir, "d/faulty.txt")}
		s := traceWith(t, injecting(options, []string{tt.inject}), roleVariable+"=serve faults", testBinary(t), dir)
		control := s.server.Dial()
		begin(control)
		for _, target := range []string{"/d/", "/d/?sort=size"} { // looked at when the page is cut, and before it is sorted
			c := s.server.Dial()
			c.Send("GET", listedFaults+target)
			got := c.Read("GET")
			c.Close()
			if listed := string(got.Body); got.Status != tt.status || tt.status == 200 && !strings.Contains(listed, "good.txt") || strings.Contains(listed, "faulty.txt") {
				t.Errorf("%s, %s: got\n%s%s, want %d: %s", tt.inject, target, got.Head, listed, tt.status, tt.reason)
			}
		}
		if rest := end(control, 0); rest != "" {
			t.Errorf("%s: not at rest:\n%s", tt.inject, rest)
		}
		s.end()
		if s.injected(t, "d/faulty.txt") == 0 {
			t.Errorf("%s: no call failed", tt.inject)
		}
	}
}
