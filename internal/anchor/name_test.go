package anchor

import (
	"io/fs"
	"strings"
	"testing"
)

func TestIsName(t *testing.T) {
	for _, test := range []struct {
		name string
		want bool
		why  string
	}{
		{".", true, "the directory"},
		{"a", true, "one element"},
		{"a/b", true, "two elements"},
		{"..a/b..", true, "dots among others"},
		{"...", true, "three dots are a name"},
		{"\xff", true, "no UTF-8 needed"},
		{strings.Repeat("a", maxName), true, "as long as the kernel takes"},
		{strings.Repeat("a", maxName+1), false, "longer"},
		{"", false, "nothing"},
		{"/", false, "two empty elements"},
		{"/a", false, "absolute"},
		{"a/", false, "ends in an empty element"},
		{"a//b", false, "an empty element"},
		{"./a", false, "dot"},
		{"a/.", false, "dot"},
		{"..", false, "dot dot"},
		{"a/../b", false, "dot dot"},
		{"a/..", false, "dot dot"},
		{"a\x00b", false, "NUL"},
	} {
		if got := isName(test.name); got != test.want {
			t.Errorf("isName(%.20q) = %v, want %v: %s", test.name, got, test.want, test.why)
		}
	}
}

// For names that are UTF-8 and not too long, isName is what every fs.FS goes by.
func FuzzIsName(f *testing.F) {
	for _, seed := range []string{".", "a/b", "a/../b", "a//b", "\xff", "", "/a"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		valid := strings.ToValidUTF8(name, "u")
		want := fs.ValidPath(valid) && len(name) <= maxName && !strings.Contains(name, "\x00")
		if got := isName(name); got != want {
			t.Errorf("isName(%q) = %v, want %v", name, got, want)
		}
	})
}

func TestIsWindowsAlias(t *testing.T) {
	for _, test := range []struct {
		name string
		want bool
		why  string
	}{
		{".", false, "the directory"},
		{"a/b.txt", false, "an ordinary name"},
		{".hidden/..b", false, "dots at the start"},
		{"a b/c", false, "a blank within"},
		{"ä~b", false, "a tilde before a letter"},
		{"a~", false, "a tilde at the end, as editors leave it"},
		{"a~/1", false, "a tilde and a digit of two elements"},
		{"a:b", true, "an alternate stream"},
		{"a.txt::$DATA", true, "the stream of the content"},
		{"c:", true, "a drive"},
		{`a\b`, true, "a separator"},
		{`..\a`, true, "upwards through a separator"},
		{"PROGRA~1", true, "a short name"},
		{"a/GIT~10/b", true, "a short name on the way"},
		{"a.", true, "a dot that is cut off"},
		{"a./b", true, "a dot that is cut off on the way"},
		{"...", true, "nothing but dots"},
		{"a ", true, "a blank that is cut off"},
		{"a /b", true, "a blank that is cut off on the way"},
		{"a*", true, "a wildcard"},
		{"a?", true, "a wildcard"},
		{"a<", true, "a wildcard of old"},
		{`a"`, true, "a wildcard of old"},
		{"a|b", true, "forbidden"},
		{"a\x1f", true, "a control byte"},
		{"\xff", true, "replaced by another character"},
	} {
		if got := isWindowsAlias(test.name); got != test.want {
			t.Errorf("isWindowsAlias(%q) = %v, want %v: %s", test.name, got, test.want, test.why)
		}
	}
}
