package servery_test

import (
	"net/http"
	"os/exec"
	"path/filepath"
	"testing"

	"servery/internal/testkit"
)

// System calls are what a request costs, more than anything else. They are counted
// beyond those of a bare handler, which net/http makes for any answer.
func TestSystemCalls(t *testing.T) {
	const large = 200_000
	small := realText(t, 1024)
	dir := testkit.Tree(t, map[string]string{"small.txt": small, "large.txt": realText(t, large)})
	tests := []struct {
		label, target, field string
		limit                map[string]int
		reason               string
	}{
		{"small", "/small.txt", "Accept: */*",
			map[string]int{"openat2": 1, "pread64": 1, "fstat": 1, "close": 1},
			"read into memory and written together with its head"},
		{"unmodified", "/small.txt", "If-None-Match: " + contentTag(small),
			map[string]int{"openat2": 1, "fstat": 1, "close": 1},
			"its tag is known, so it is not read"},
		{"part", "/small.txt", "Range: bytes=10-19",
			map[string]int{"openat2": 1, "pread64": 1, "fstat": 2, "close": 1},
			"read into memory between two looks"},
		{"large", "/large.txt", "Accept: */*",
			map[string]int{"openat2": 1, "pread64": 2, "fstat": 1, "read": 1, "sendfile": 4, "close": 1},
			"probed, and sent from the file to the socket; net/http reads its first bytes"},
		{"large-part", "/large.txt", "Range: bytes=1000-199999",
			map[string]int{"openat2": 1, "pread64": 1, "fstat": 1, "read": 1, "lseek": 1, "sendfile": 4, "close": 1},
			"the same from somewhere in the middle"},
	}
	server := trace(t, "", exampleBinary(t), "-dir", dir, "-addr", "127.0.0.1:0")
	prepared := fieldsOf(server.server.Dial().Do("GET", "/small.txt").Header)
	for _, tt := range tests {
		server.repeat(tt.label, tt.target, tt.field)
	}
	lines := server.end()

	bare := trace(t, roleVariable+"=serve bytes", append([]string{testBinary(t), small}, prepared...)...)
	bare.repeat("bare", "/small.txt")
	base := countOf(bare.end(), "bare")
	t.Logf("bare: %v", base)

	for _, tt := range tests {
		got := countOf(lines, tt.label)
		t.Logf("%s: %v", tt.label, got)
		for name, n := range got.count {
			if most := base.count[name] + tt.limit[name]; n > most {
				t.Errorf("GET %s, %s: %d times %s, want %d at most (%s)", tt.target, tt.field, n, name, most, tt.reason)
			}
		}
		if tt.limit["sendfile"] > 0 && (got.count["sendfile"] == 0 || got.bytes > large/10) {
			t.Errorf("GET %s, %s: %d times sendfile, %d bytes by read and write, want sendfile for the body",
				tt.target, tt.field, got.count["sendfile"], got.bytes)
		}
	}
}

// exampleBinary builds examples/static.
func exampleBinary(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "static")
	output, err := exec.Command(testkit.Tool(t, "go"), "build", "-o", path, "./examples/static").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return path
}

// fieldsOf returns the header as lines, without what net/http adds.
func fieldsOf(header http.Header) []string {
	var lines []string
	for name, values := range header {
		for _, value := range values {
			if name != "Date" {
				lines = append(lines, name+": "+value)
			}
		}
	}
	return lines
}
