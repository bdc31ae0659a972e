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
		cold, hot            map[string]int // hot is nil where it is cold
		reason               string
	}{
		{"small", "/small.txt", "Accept: */*",
			map[string]int{"openat2": 1, "pread64": 1, "fstat": 1, "close": 1}, map[string]int{"newfstatat": 1},
			"read into memory and written together with its head, or in memory already"},
		{"unmodified", "/small.txt", "If-None-Match: " + contentTag(small),
			map[string]int{"openat2": 1, "fstat": 1, "close": 1}, map[string]int{"newfstatat": 1},
			"its tag is known, so it is not read"},
		{"part", "/small.txt", "Range: bytes=10-19",
			map[string]int{"openat2": 1, "pread64": 1, "fstat": 2, "close": 1}, map[string]int{"newfstatat": 1},
			"read into memory between two looks, or in memory already"},
		{"large", "/large.txt", "Accept: */*",
			map[string]int{"openat2": 1, "pread64": 2, "fstat": 1, "read": 1, "sendfile": 4, "close": 1},
			map[string]int{"openat2": 1, "pread64": 1, "fstat": 1, "read": 1, "sendfile": 4, "close": 1},
			"probed, and sent from the file to the socket; net/http reads its first bytes, and nothing else does if it is known to be large"},
		{"large-part", "/large.txt", "Range: bytes=1000-199999",
			map[string]int{"openat2": 1, "pread64": 1, "fstat": 1, "read": 1, "lseek": 1, "sendfile": 4, "close": 1}, nil,
			"the same from somewhere in the middle"},
		{"large-unmodified", "/large.txt", "If-None-Match: " + contentTag(realText(t, large)),
			map[string]int{"openat2": 1, "fstat": 1, "close": 1}, map[string]int{"newfstatat": 1},
			"its bytes are not needed"},
		{"coded", "/large.txt", "Accept-Encoding: gzip",
			map[string]int{"openat2": 1, "fstat": 1, "close": 1, "write": 4}, map[string]int{"newfstatat": 1, "write": 4},
			"what is made of its bytes is kept"},
	}
	hot := trace(t, "", exampleBinary(t), "-dir", dir, "-addr", "127.0.0.1:0")
	prepared := fieldsOf(hot.server.Dial().Do("GET", "/small.txt").Header)
	cold := trace(t, roleVariable+"=serve cold", testBinary(t), dir)
	for _, tt := range tests {
		hot.repeat(tt.label, tt.target, tt.field)
		cold.repeat(tt.label, tt.target, tt.field)
	}
	hotLines, coldLines := hot.end(), cold.end()

	bare := trace(t, roleVariable+"=serve bytes", append([]string{testBinary(t), small}, prepared...)...)
	bare.repeat("bare", "/small.txt")
	base := countOf(bare.end(), "bare")
	t.Logf("bare: %v", base)

	for _, tt := range tests {
		limits := map[string]map[string]int{"cold": tt.cold, "hot": tt.hot}
		if tt.hot == nil {
			limits["hot"] = tt.cold
		}
		for name, lines := range map[string][]string{"cold": coldLines, "hot": hotLines} {
			got, limit := countOf(lines, tt.label), limits[name]
			t.Logf("%s, %s: %v", tt.label, name, got)
			for call, n := range got.count {
				if most := base.count[call] + limit[call]; n > most {
					t.Errorf("%s GET %s, %s: %d times %s, want %d at most (%s)", name, tt.target, tt.field, n, call, most, tt.reason)
				}
			}
			if limit["sendfile"] > 0 && (got.count["sendfile"] == 0 || got.bytes > large/10) {
				t.Errorf("%s GET %s, %s: %d times sendfile, %d bytes by read and write, want sendfile for the body",
					name, tt.target, tt.field, got.count["sendfile"], got.bytes)
			}
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
