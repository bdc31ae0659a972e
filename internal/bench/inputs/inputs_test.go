package inputs

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestSelect(t *testing.T) {
	tests := []struct {
		list   string
		want   []string
		reason string
	}{
		{"", []string{"1k", "1k-deep", "16k", "64k", "8m", "304"}, "nothing named means all"},
		{"1k", []string{"1k"}, "an item matches whole names"},
		{"304,1k", []string{"1k", "304"}, "scenarios keep their own order"},
		{"1k.*", []string{"1k", "1k-deep"}, "an item is a regular expression"},
		{"1k,1k|64k", []string{"1k", "64k"}, "one that is named twice runs once"},
	}
	for _, test := range tests {
		selected, err := Select(test.list)
		var got []string
		for _, s := range selected {
			got = append(got, s.Name)
		}
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

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	if err := Write(dir, Scenarios()); err != nil {
		t.Fatal(err)
	}
	for _, s := range Scenarios() {
		name := filepath.Join(dir, filepath.FromSlash(s.Path))
		content, err := os.ReadFile(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if len(content) != s.Size || !bytes.Contains(content, []byte("package ")) {
			t.Errorf("%s: %d bytes, want %d of Go source", s.Name, len(content), s.Size)
		}
		info, err := os.Stat(name)
		if err != nil || !info.ModTime().Equal(modified) {
			t.Errorf("%s: modified at %v (%v), want %v", s.Name, info.ModTime(), err, modified)
		}
	}
}
