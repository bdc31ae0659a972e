//go:build linux

package servery_test

import (
	"cmp"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"servery/internal/testkit"
)

// oracleFiles is the tree that both servers serve. Other systems than Linux cannot
// hold all of its names.
var oracleFiles = map[string]string{
	"index.html":               "<!doctype html><title>root</title>",
	"empty.txt":                "",
	"digits.txt":               "0123456789",
	"hundred.txt":              strings.Repeat("0123456789", 10),
	"buffer.css":               strings.Repeat("a { color: red }\n", 1000),
	"large.js":                 strings.Repeat("let x = 0; // and so on\n", 5000),
	"words":                    "a file without an extension\n",
	"binary":                   "\x00\x01\x02\xfe\xff",
	"rows.jsonl":               "{}\n{}\n",
	"a b.txt":                  "blank",
	"é.txt":                    "not ASCII",
	"q?m#.txt":                 "delimiters",
	"%41.txt":                  "not decoded twice",
	"co:lon.txt":               "no scheme",
	"back\\slash.txt":          "no separator",
	"tab\there.txt":            "control byte",
	"\xff.txt":                 "0123456789", // as digits.txt
	"sub/index.html":           "<!doctype html><title>sub</title>",
	"sub/inner.txt":            "inner",
	"sub/.git/config":          "secret",
	"co:lon/index.html":        "a directory",
	"q?m/index.html":           "a directory",
	"50%41/index.html":         "a directory",
	"a b/index.html":           "a directory",
	"unlisted/file.txt":        "in a directory without an index",
	"nested/index.html/in.txt": "the index is a directory",
	".hidden":                  "secret",
	".well-known/acme.txt":     "there to be asked for",
	"future.txt":               "dated after its time",
	"epoch.txt":                "dated one second after the epoch",
}

var oracleLinks = map[string]string{
	"inside.txt":   "digits.txt",
	"inside":       "sub",
	"sub/up.txt":   "../digits.txt",
	"dangling":     "nowhere",
	"loop":         "loop",
	"outside.txt":  "../outside.txt",
	"outside":      "..",
	"absolute.txt": "/etc/passwd",
}

// oracleDateless are the files whose date means nothing (contract, section 3).
var oracleDateless = map[string]time.Time{
	"future.txt": time.Date(2090, time.January, 1, 0, 0, 0, 0, time.UTC),
	"epoch.txt":  time.Unix(1, 0),
}

func oracleTree(tb testing.TB) string {
	tb.Helper()
	dir := testkit.Tree(tb, oracleFiles)
	must := func(err error) {
		if err != nil {
			tb.Fatal(err)
		}
	}
	for name, target := range oracleLinks {
		must(os.Symlink(target, filepath.Join(dir, name)))
	}
	for name, date := range oracleDateless {
		must(os.Chtimes(filepath.Join(dir, name), date, date))
	}
	testkit.Write(tb, filepath.Join(filepath.Dir(dir), "outside.txt"), "outside")
	testkit.Settle()
	return dir
}

// question is one request. It is written as a text: the request line without its
// version, then a field a line. {tag} stands for the entity-tag of the file asked
// for, {date} for its date.
type question struct {
	method, target string
	fields         [][2]string
}

var oracleFields = []string{
	"Range", "If-Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "Accept-Encoding",
}

// questionOf reads a text, and reports false where no client could send it or the
// servers of net/http refuse it before any handler sees it.
func questionOf(text string) (q question, ok bool) {
	head, rest, _ := strings.Cut(text, "\n")
	q.method, q.target, _ = strings.Cut(head, " ")
	if _, err := url.ParseRequestURI(q.target); err != nil || len(text) > 8000 || !strings.HasPrefix(q.target, "/") || !isVisible(q.target) {
		return q, false
	}
	if q.method == "" || strings.Trim(q.method, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") != "" || q.method == "CONNECT" {
		return q, false
	}
	for line := range strings.SplitSeq(rest, "\n") {
		name, value, _ := strings.Cut(line, ":")
		if !slices.Contains(oracleFields, name) {
			continue
		}
		value = strings.ReplaceAll(value, "{tag}", cmp.Or(q.tag(), `"none"`))
		value = strings.ReplaceAll(value, "{date}", testkit.Past.Format("Mon, 02 Jan 2006 15:04:05 GMT"))
		if value = strings.Trim(value, " \t"); strings.ContainsFunc(value, isControl) {
			return q, false
		}
		q.fields = append(q.fields, [2]string{name, value})
	}
	return q, true
}

func isVisible(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == utf8.RuneError })
}

func isControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

func (q question) String() string {
	return q.method + " " + q.target + "\n" + strings.Join(q.lines(), "\n")
}

func (q question) lines() []string {
	var lines []string
	for _, field := range q.fields {
		lines = append(lines, field[0]+": "+field[1])
	}
	return lines
}

// values are the lines of one field.
func (q question) values(name string) []string {
	var values []string
	for _, field := range q.fields {
		if field[0] == name {
			values = append(values, field[1])
		}
	}
	return values
}

func (q question) has(name string) bool { return len(q.values(name)) > 0 }

func (q question) without(names ...string) question {
	q.fields = slices.DeleteFunc(slices.Clone(q.fields), func(f [2]string) bool { return slices.Contains(names, f[0]) })
	return q
}

// saying returns the question with one line of this field.
func (q question) saying(name, value string) question {
	q = q.without(name)
	q.fields = append(q.fields, [2]string{name, value})
	return q
}

// at returns the question for another path.
func (q question) at(path string) question {
	u := q.url()
	q.target = (&url.URL{Path: path, RawQuery: u.RawQuery}).RequestURI()
	return q
}

func (q question) url() *url.URL {
	u, err := url.ParseRequestURI(q.target)
	if err != nil {
		panic(err) // questionOf has looked
	}
	return u
}

func (q question) path() string { return q.url().Path }

// name is the name beneath the root, "" for the root.
func (q question) name() string { return path.Clean("/" + q.path())[1:] }

// resolved is the name that is left when the links are followed that stay inside.
func (q question) resolved() string {
	name := q.name()
	if first, rest, _ := strings.Cut(name, "/"); first == "inside" {
		name = path.Join("sub", rest)
	}
	if target := oracleLinks[name]; target != "" {
		name = path.Join(path.Dir(name), target)
	}
	return name
}

// file is the name of the file that answers, "" if there is none.
func (q question) file() string {
	for _, name := range []string{q.resolved(), path.Join(q.resolved(), "index.html")} {
		if _, ok := oracleFiles[name]; ok {
			return name
		}
	}
	return ""
}

// tag is the entity-tag of that file.
func (q question) tag() string {
	if name := q.file(); name != "" {
		return contentTag(oracleFiles[name])
	}
	return ""
}
