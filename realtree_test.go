//go:build unix

package servery_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"servery/internal/testkit"
)

// realFile is what the contract says of one path of a tree.
type realFile struct {
	name string // slash-separated; a directory's ends in a slash
	sum  string // SHA-256 of the body in hexadecimal; "" where the answer is 404
}

// realTree is a tree that whole clients fetch.
type realTree struct {
	name    string
	dir     func(testing.TB) string
	found   int // the least number of paths that are answered with a file
	missing int // and of those with 404
}

func realTrees() []realTree {
	trees := []realTree{
		{"odd", oddTree, 200, 60},
		{"npm", npmTree, 400, 10},
		{"go", goTree, 10_000, 1000},
	}
	if testing.Short() {
		trees[2].found, trees[2].missing = 400, 10
	}
	return trees
}

// files lists every path of the tree at dir, and fails if they are fewer than
// the tree is there for.
func (r realTree) files(tb testing.TB, dir string) (found, missing []realFile) {
	tb.Helper()
	for _, file := range realFiles(tb, dir) {
		if file.sum != "" {
			found = append(found, file)
		} else {
			missing = append(missing, file)
		}
	}
	if len(found) < r.found || len(missing) < r.missing {
		tb.Fatalf("%s has %d files and %d paths without one, want at least %d and %d", dir, len(found), len(missing), r.found, r.missing)
	}
	return found, missing
}

// goTree is Go's own source.
func goTree(tb testing.TB) string {
	dir := filepath.Join(goRoot(tb), "src")
	if testing.Short() {
		dir = filepath.Join(dir, "net")
	}
	if _, err := os.Stat(dir); err != nil {
		testkit.Lacks(tb, "Go's source")
	}
	return dir
}

// npmTree is a folder of published packages with what was built for browsers.
// Their files all have the same date, decades ago.
func npmTree(tb testing.TB) string {
	dir := os.Getenv("SERVERY_NPM_TREE")
	if dir == "" {
		testkit.Lacks(tb, "the environment variable SERVERY_NPM_TREE, a tree of npm packages,")
	}
	return dir
}

// oddNames are legal names, each the name of a file and of a folder.
var oddNames = []string{
	"blank in it", " blanks around ", "100%", "%", "%%", "%zz", "a%2fb", "a%5cb", "%2e", "%2e%2e", "%252f", "%00",
	"semi;colon=1", "#hash", "a#b", "?query", "a?b=c", "a&b", "amp&amp;", "a+b", "a=b", "a,b", "a@b", "a:b", "$HOME", "!", "*",
	`double"quote`, "single'quote", "`back`", "<script>", "[1-3]", "{a,b}", "(round)", "^", "|", "~", "~user",
	"caf\u00e9", "cafe\u0301", "\u65e5\u672c\u8a9e", "\u202eltr", "\u00a0", "\u2028", "\u00df\u1e9e", "\U0001f600",
	"\U0001f469\u200d\U0001f4bb", "-dash", "--help", "-", "http:", "javascript:alert(1)", "example.com:80",
	"dot.", "two..dots", "...", ".hidden", ".well-known", "..below", "con", "nul.txt", "a.html.gz", "INDEX.HTML", "index.htm",
	"latin1-\xe9", "\xff\xfe", "back\\slash", "line\nend", "tab\tin it", "delete\x7f", "\x01",
	strings.Repeat("n", 255), strings.Repeat("\u00e9", 127) + "x", strings.Repeat("%", 255), strings.Repeat("\U0001f600", 63),
}

// oddTree has each odd name as a file, as a folder with an index, and as a file
// in a folder of that name, and links of every kind.
func oddTree(tb testing.TB) string {
	files := map[string]string{
		"empty": "", "empty.html": "", "folder/": "", "http:/example.com/index.html": "no other host",
		strings.Repeat("deep/", 200) + "file.txt": "deep", "index.html": "index", "noindex/file": "file", "isdir/index.html/": "",
		"large.bin": strings.Repeat("large", 1<<20),
	}
	for _, name := range oddNames {
		files["file/"+name] = "file " + name
		files["folder/"+name+"/index.html"] = "index " + name
		files["folder/"+name+"/"+name] = "file in folder " + name
	}
	dir := testkit.Tree(tb, files)
	for name, target := range map[string]string{
		"to-file": "large.bin", "to-folder": "folder", "folder/up": "../file/a%2fb", "%to 100%": "file/100%", "to-hidden": "file/.hidden",
		"away": "/etc/passwd", "absolute": filepath.Join(dir, "large.bin"), "loop": "loop", "dangling": "nowhere", "above": "../..",
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

// realFiles lists every path beneath dir with what it should be answered with.
// It reads the files by means of their own, beneath dir all the same.
func realFiles(tb testing.TB, dir string) []realFile {
	tb.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		tb.Fatal(err)
	}
	defer root.Close()
	var files []realFile
	err = fs.WalkDir(osDir(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := root.Stat(name)
		isDir := err == nil && info.IsDir()
		asked, read := name, name
		if isDir {
			asked, read = strings.TrimPrefix(name+"/", "./"), path.Join(name, "index.html")
		}
		file := realFile{name: asked}
		if !isUnreachable(asked) {
			file.sum = sumOf(root, read)
		}
		files = append(files, file)
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return files
}

// osDir is os.DirFS for names that need not be UTF-8, which fs.ValidPath demands.
type osDir string

func (d osDir) Open(name string) (fs.File, error) { return os.Open(filepath.Join(string(d), name)) }

func (d osDir) ReadDir(name string) ([]fs.DirEntry, error) {
	return os.ReadDir(filepath.Join(string(d), name))
}

// isUnreachable reports whether the contract denies a name whatever lies there.
func isUnreachable(name string) bool {
	for segment := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(segment, ".") && segment != ".well-known" {
			return true
		}
	}
	return strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' })
}

// sumOf is the SHA-256 of a regular file, "" if it is none.
func sumOf(root *os.Root, name string) string {
	info, err := root.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := root.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return ""
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// Three ways to write a name as a path, all of which mean the same (RFC 3986,
// section 6.2.2).
var pathEncodings = []struct {
	name   string
	encode func(name string) string
}{
	{"usual", func(name string) string {
		segments := strings.Split(name, "/")
		for i, segment := range segments {
			segments[i] = url.PathEscape(segment)
		}
		return strings.Join(segments, "/")
	}},
	{"least", func(name string) string {
		return encodeBytes(name, func(c byte) bool { return c <= ' ' || c == 0x7f || strings.IndexByte(`"#%?\`, c) >= 0 })
	}},
	{"all", func(name string) string { return encodeBytes(name, func(c byte) bool { return c != '/' }) }},
}

func encodeBytes(s string, needed func(byte) bool) string {
	const digits = "0123456789abcdef"
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; needed(c) {
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
