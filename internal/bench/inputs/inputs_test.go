package inputs

import (
	"bytes"
	"crypto/sha256"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestSelect(t *testing.T) {
	tests := []struct {
		list   string
		want   []string
		reason string
	}{
		{"", namesOf(Scenarios()), "nothing named means all"},
		{"1k", []string{"1k"}, "an item matches whole names"},
		{"304,1k", []string{"1k", "304"}, "scenarios keep their own order"},
		{"1k.*", []string{"1k", "1k-deep", "1k-10-deep", "1k-many", "1k-churn"}, "an item is a regular expression"},
		{"tiny-behind-8", []string{"tiny-behind-8"}, "a dash is no end of a name"},
		{"1k,1k|64k", []string{"1k", "64k"}, "one that is named twice runs once"},
		{"compress-behind-1-.*default",
			[]string{"compress-behind-1-write-default", "compress-behind-1-chunks-default", "compress-behind-1-copy-default"},
			"each way to write has scenarios of its own"},
	}
	for _, test := range tests {
		selected, err := Select(test.list)
		got := namesOf(selected)
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("Select(%q) = %q, %v, want %q: %s", test.list, got, err, test.want, test.reason)
		}
	}
	for _, list := range []string{"1k,17k", "(", "1k,"} {
		if got, err := Select(list); err == nil {
			t.Errorf("Select(%q) = %v without an error", list, got)
		}
	}
}

func namesOf(scenarios []Scenario) []string {
	var names []string
	for _, s := range scenarios {
		names = append(names, s.Name)
	}
	return names
}

// TestScenarios holds what the driver and the tables rely on.
func TestScenarios(t *testing.T) {
	seen := make(map[string]bool)
	for _, s := range Scenarios() {
		if seen[s.Name] {
			t.Errorf("%s is there twice", s.Name)
		}
		seen[s.Name] = true
		if !slices.Contains(s.Peers, s.Reference) {
			t.Errorf("%s: the reference %q does not take part", s.Name, s.Reference)
		}
		if (s.Files > 0) != strings.Contains(s.Path, "*") || s.Behind == 0 && s.LargePath != "" {
			t.Errorf("%s: numbers without a place for them, or a place without numbers", s.Name)
		}
		if s.NotModified && s.Coding != "" {
			t.Errorf("%s: two fields in one request", s.Name)
		}
		if (s.Behind > 0 || s.Churn) && s.Protocol != HTTP1 || s.Files > 0 && s.Protocol == HTTP2 {
			t.Errorf("%s: no load generator can do all of that", s.Name)
		}
	}
}

func TestString(t *testing.T) {
	for _, test := range []struct{ name, want, reason string }{
		{"1k", "1k: GET /1k.txt, 1024 bytes", "nothing else is to be said"},
		{"304", "304: conditional GET, answered 304, /1k.txt, 1024 bytes", "it is conditional"},
		{"1k-many", "1k-many: GET /many/*.txt, 1024 bytes, 10000 files", "there are many"},
		{"1k-churn", "1k-churn: GET /1k.txt, 1024 bytes, each on a new connection", "connections are not kept"},
		{"tls-1k", "tls-1k: GET /1k.txt, 1024 bytes, by HTTP/1.1 over TLS", "it is encrypted"},
		{"h2-gzip-64k", "h2-gzip-64k: GET in gzip /64k.txt, 65536 bytes, by HTTP/2", "two things at once"},
		{"tiny-behind-8", "tiny-behind-8: GET /tiny.txt, 200 bytes, while 8 clients pull a /large/*.txt each, " +
			"10485760 bytes in gzip at level 9", "there is a load beside"},
	} {
		selected, err := Select(test.name)
		if err != nil || selected[0].String() != test.want {
			t.Errorf("got %v, %v, want %s: %s", selected, err, test.want, test.reason)
		}
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	few := []Scenario{behind(3, 9), compressBehind(ByCopy, 3, 9)} // the disk need not hold all large files
	scenarios := append(slices.DeleteFunc(Scenarios(), func(s Scenario) bool { return s.Behind > 0 }), few...)
	if err := Write(dir, scenarios...); err != nil {
		t.Fatal(err)
	}
	for _, s := range scenarios {
		checkFiles(t, dir, s.Paths(), s.Size)
	}
	for _, s := range few {
		checkFiles(t, dir, s.LargePaths(), s.LargeSize)
	}
}

// checkFiles wants all files to be different text of the same size.
func checkFiles(t *testing.T, dir string, paths []string, size int) {
	t.Helper()
	seen := make(map[[sha256.Size]byte]string)
	for _, path := range paths {
		name := filepath.Join(dir, filepath.FromSlash(path))
		content, err := os.ReadFile(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if len(content) != size || bytes.IndexByte(content, 0) >= 0 || bytes.IndexByte(content, '\n') < 0 {
			t.Errorf("%s: %d bytes, want %d of text", path, len(content), size)
		}
		sum := sha256.Sum256(content)
		if other, ok := seen[sum]; ok {
			t.Errorf("%s is the same as %s", path, other)
		}
		seen[sum] = path
		info, err := os.Stat(name)
		if err != nil || !info.ModTime().Equal(modified) {
			t.Errorf("%s: modified at %v (%v), want %v", path, info.ModTime(), err, modified)
		}
	}
}
