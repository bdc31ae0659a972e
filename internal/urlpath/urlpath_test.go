package urlpath_test

import (
	"io/fs"
	"net/url"
	"path"
	"strings"
	"testing"

	"servery/internal/urlpath"
)

func TestParse(t *testing.T) {
	tests := []struct {
		path   string
		want   urlpath.Target
		reason string
	}{
		{"/", urlpath.Target{Name: ".", Slash: true}, "the root"},
		{"", urlpath.Target{Name: ".", Slash: true}, "what remains of a prefix that is taken off entirely"},
		{"/a", urlpath.Target{Name: "a"}, "a name"},
		{"/a/", urlpath.Target{Name: "a", Slash: true}, "a directory"},
		{"/a/b.txt", urlpath.Target{Name: "a/b.txt"}, "a name in a directory"},
		{"a/b", urlpath.Target{Name: "a/b"}, "a leading slash that is missing is added"},
		{"a/", urlpath.Target{Name: "a", Slash: true}, "the same with a slash behind"},
		{"//a//b//", urlpath.Target{Name: "a/b", Slash: true}, "empty segments are removed"},
		{"//", urlpath.Target{Name: ".", Slash: true}, "nothing but slashes"},
		{"/./a/./b", urlpath.Target{Name: "a/b"}, "so are dots"},
		{"/a/.", urlpath.Target{Name: "a"}, "a dot behind is no slash"},
		{"/a/b/..", urlpath.Target{Name: "a"}, "nor are two dots"},
		{"/a/b/../", urlpath.Target{Name: "a", Slash: true}, "unless a slash follows"},
		{"/..", urlpath.Target{Name: "."}, "the root has no parent"},
		{"/../../a/../../b", urlpath.Target{Name: "b"}, "nothing leaves the root"},
		{"../../a", urlpath.Target{Name: "a"}, "not even without a leading slash"},
		{"/a//../b", urlpath.Target{Name: "b"}, "an empty segment is removed before the dots are"},
		{"/...", urlpath.Target{Name: "..."}, "three dots are a name"},
		{"/..a/.b", urlpath.Target{Name: "..a/.b"}, "so are dots with a letter"},
		{"/%2e%2e/a", urlpath.Target{Name: "%2e%2e/a"}, "the path is decoded once and not again"},
		{"/a:b?c#d;e f", urlpath.Target{Name: "a:b?c#d;e f"}, "delimiters that were encoded are part of the name"},
		{"/é", urlpath.Target{Name: "é"}, "UTF-8"},
		{"/\xff\x80", urlpath.Target{Name: "\xff\x80"}, "bytes that are not UTF-8 are a name on many systems"},
	}
	for _, tt := range tests {
		got, ok := urlpath.Parse(tt.path, escape(tt.path))
		if got != tt.want || !ok {
			t.Errorf("Parse(%q) = %+v, %t, want %+v: %s", tt.path, got, ok, tt.want, tt.reason)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	tests := []struct{ escaped, reason string }{
		{"/a%2fb", "an encoded slash"},
		{"/a%2Fb", "an encoded slash, upper case"},
		{"/%2e%2e%2fb", "an encoded slash after encoded dots"},
		{"/a%2f", "an encoded slash at the end"},
		{"/a%5cb", "an encoded backslash"},
		{"/a%5Cb", "an encoded backslash, upper case"},
		{`/a\b`, "a backslash"},
		{"/a%00", "NUL"},
		{"/a%00.txt", "NUL before an extension"},
		{"/a%0d%0ab", "a line break"},
		{"/a%09", "a tab"},
		{"/a%1f", "the last of the control bytes"},
		{"/a%7f", "DEL"},
		{"/a%01/..", "a control byte in a segment that is removed"},
	}
	for _, tt := range tests {
		decoded, err := url.PathUnescape(tt.escaped)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := urlpath.Parse(decoded, tt.escaped); ok || got != (urlpath.Target{}) {
			t.Errorf("Parse(%q) = %+v, %t: %s", tt.escaped, got, ok, tt.reason)
		}
	}
}

func TestParseAcceptsWhatOnlyResemblesAnEncodedSeparator(t *testing.T) {
	tests := []struct{ escaped, name, reason string }{
		{"/a%252fb", "a%2fb", "an encoded percent sign"},
		{"/a%255cb", "a%5cb", "the same before a backslash's digits"},
		{"/a%2ef", "a.f", "another byte before an f"},
		{"/2f5c", "2f5c", "digits without a percent sign"},
	}
	for _, tt := range tests {
		decoded, err := url.PathUnescape(tt.escaped)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := urlpath.Parse(decoded, tt.escaped); !ok || got.Name != tt.name {
			t.Errorf("Parse(%q) = %+v, %t, want %q: %s", tt.escaped, got, ok, tt.name, tt.reason)
		}
	}
}

func TestCleanPathsAreNotCopied(t *testing.T) {
	for _, p := range []string{"/", "", "/index.html", "/a/b/c.txt", "/a/b/", "/" + strings.Repeat("long/", 100)} {
		allocs := testing.AllocsPerRun(10, func() {
			if target, ok := urlpath.Parse(p, p); !ok || urlpath.Hidden(target.Name) {
				t.Errorf("%q is refused or hidden", p)
			}
		})
		if allocs != 0 {
			t.Errorf("Parse(%q): %v allocations, want none", p, allocs)
		}
	}
}

func TestServes(t *testing.T) {
	tests := []struct {
		name          string
		want, showing bool
		reason        string
	}{
		{".", true, true, "the root"},
		{"a", true, true, "a name"},
		{"a/b c", true, true, "one in a directory"},
		{"a\xff", true, true, "bytes that are not UTF-8"},
		{"a%2fb", true, true, "a percent sign, which is sent encoded"},
		{".a", false, true, "a hidden name"},
		{"a/.b/c", false, true, "what is in a hidden directory"},
		{".well-known/a", true, true, "what is not hidden"},
		{"", false, false, "no name: the root has another"},
		{"..", false, false, "the parent"},
		{"a/..", false, false, "another name of the root"},
		{"a/", false, false, "a slash behind"},
		{"/a", false, false, "a slash before"},
		{"a//b", false, false, "an empty segment"},
		{"a/./b", false, false, "a dot segment"},
		{`a\b`, false, false, "a separator elsewhere"},
		{"a\nb", false, false, "a control byte"},
		{strings.Repeat("a", 8192), true, true, "as long as can be asked for"},
		{strings.Repeat("a", 8193), false, false, "and longer"},
	}
	for _, tt := range tests {
		if got, showing := urlpath.Serves(tt.name, false), urlpath.Serves(tt.name, true); got != tt.want || showing != tt.showing {
			t.Errorf("Serves(%.20q) = %t, showing hidden names %t, want %t and %t: %s", tt.name, got, showing, tt.want, tt.showing, tt.reason)
		}
	}
}

func TestHidden(t *testing.T) {
	tests := []struct {
		name   string
		want   bool
		reason string
	}{
		{".", false, "the root is not hidden"},
		{"a", false, "no dot"},
		{"a.b/c.d", false, "dots inside and between"},
		{"a.", false, "a dot behind"},
		{".git", true, "a dot before"},
		{".git/config", true, "a directory with a dot before"},
		{"a/.env", true, "in a directory"},
		{"a/.b/c", true, "between"},
		{"...", true, "three dots begin with one"},
		{".well-known", false, "the exception"},
		{".well-known/acme-challenge/x", false, "what is in it"},
		{"a/.well-known/x", false, "the exception has no place"},
		{".well-known/.x", true, "a hidden name in the exception"},
		{".git/.well-known", true, "the exception in a hidden directory"},
		{".well-known.x", true, "a longer name"},
		{".Well-Known", true, "another name where case counts"},
		{".\xff", true, "not UTF-8"},
	}
	for _, tt := range tests {
		if got := urlpath.Hidden(tt.name); got != tt.want {
			t.Errorf("Hidden(%q) = %t: %s", tt.name, got, tt.reason)
		}
	}
}

// FuzzParse compares with path.Clean, which is what net/http cleans with, and with the names that io/fs accepts.
func FuzzParse(f *testing.F) {
	f.Fuzz(func(t *testing.T, p string) {
		escaped := (&url.URL{Path: p}).EscapedPath()
		got, ok := urlpath.Parse(p, escaped)
		refused := strings.ContainsFunc(p, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' })
		if ok == refused {
			t.Fatalf("Parse(%q) = %t", p, ok)
		}
		if !ok {
			return
		}
		want := urlpath.Target{Name: strings.TrimPrefix(path.Clean("/"+p), "/"), Slash: strings.HasSuffix("/"+p, "/")}
		if want.Name == "" {
			want.Name = "."
		}
		if got != want {
			t.Errorf("Parse(%q) = %+v, want %+v", p, got, want)
		}
		if name := strings.ToValidUTF8(got.Name, "x"); !fs.ValidPath(name) {
			t.Errorf("Parse(%q) made %q, which is no name", p, got.Name)
		}
	})
}
