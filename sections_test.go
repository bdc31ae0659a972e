package servery_test

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// citation is how a test names what it proves, in its doc comment, in a comment of its
// body or in a reason: "RFC 9110, section 8.4", "RFC 9110, sections 13.1.1 and 13.1.2",
// "RFC 9110, 13.2.2" and "RFC 9659". Whatever stands between two tests proves nothing.
var citation = regexp.MustCompile(`RFC (\d{4})(?:[,:] (?:sections? )?(\d+(?:\.\d+)*(?:(?:, and |, | and )\d+(?:\.\d+)*)*))?`)

var sectionNumber = regexp.MustCompile(`\d+(?:\.\d+)*`)

// section is one of an RFC, or all of it where number is empty.
type section struct{ rfc, number string }

func (s section) compare(other section) int {
	numbers := func(s section) (list []int) {
		for number := range strings.SplitSeq(s.rfc+"."+s.number, ".") {
			n, _ := strconv.Atoi(number) // 0 for all of an RFC, which comes first
			list = append(list, n)
		}
		return list
	}
	return slices.Compare(numbers(s), numbers(other))
}

func citedIn(text string) (list []section) {
	for _, m := range citation.FindAllStringSubmatch(strings.Join(strings.Fields(text), " "), -1) {
		numbers := sectionNumber.FindAllString(m[2], -1)
		if numbers == nil {
			numbers = []string{""}
		}
		for _, number := range numbers {
			list = append(list, section{m[1], number})
		}
	}
	return list
}

func TestCitations(t *testing.T) {
	for text, want := range map[string]string{
		"whole (RFC 9659)":                               "[{9659 }]",
		"a tag (RFC 9110, section 8.8.3.3).":             "[{9110 8.8.3.3}]",
		"RFC 9110, section\n14.2, says":                  "[{9110 14.2}]",
		"RFC 9110, sections 13.1.1, 13.1.2 and 14.2: x":  "[{9110 13.1.1} {9110 13.1.2} {9110 14.2}]",
		"RFC 9110, 13.2.2. And RFC 9112: section 6.3":    "[{9110 13.2.2} {9112 6.3}]",
		"contract, section 7; section 3 of a table":      "[]",
		"the form of RFC 850":                            "[]",
		"RFC 9110, 5.6.7, and 5 bytes of the 17 are one": "[{9110 5.6.7} {9110 5}]",
	} {
		if got := fmt.Sprint(citedIn(text)); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

// citations has the tests of each section, as "package: name".
func citations(t *testing.T) map[section][]string {
	t.Helper()
	found := make(map[section][]string)
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && isForeign(path):
			return fs.SkipDir
		case !entry.IsDir() && strings.HasSuffix(path, "_test.go") && filepath.Base(path) != "sections_test.go":
			return collect(found, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// isForeign reports whether a folder's tests prove nothing of this module: those of
// others, and of what the tests have in common.
func isForeign(path string) bool {
	_, err := os.Stat(filepath.Join(path, "go.mod"))
	name := filepath.Base(path)
	return err == nil || name == "testdata" || name == "testkit" || strings.HasPrefix(name, ".")
}

func collect(found map[section][]string, path string) error {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	where := filepath.ToSlash(filepath.Dir(path))
	for _, declared := range file.Decls {
		f, ok := declared.(*ast.FuncDecl)
		if !ok || !regexp.MustCompile(`^(Test|Fuzz|Example)`).MatchString(f.Name.Name) {
			continue
		}
		for _, s := range citedIn(wordsOf(file, f)) {
			if name := where + ": " + f.Name.Name; !slices.Contains(found[s], name) {
				found[s] = append(found[s], name)
			}
		}
	}
	return nil
}

// wordsOf are the comments and the strings of a function, one a paragraph.
func wordsOf(file *ast.File, f *ast.FuncDecl) string {
	words := []string{f.Doc.Text()}
	for _, group := range file.Comments {
		if f.Pos() <= group.Pos() && group.End() <= f.End() {
			words = append(words, group.Text())
		}
	}
	ast.Inspect(f, func(node ast.Node) bool {
		if literal, ok := node.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			text, _ := strconv.Unquote(literal.Value)
			words = append(words, text)
		}
		return true
	})
	return strings.Join(words, " ; ")
}

// The table of docs/rfc.md is what the tests say of themselves. Every section that the
// library has to do with is proved by a test, or this one fails. After a change of a
// comment: go test -run TestSections -update.
func TestSections(t *testing.T) {
	const golden = "docs/rfc.md"
	found := citations(t)
	for s, title := range sectionTitles {
		if len(found[s]) == 0 {
			t.Errorf("no test says that it proves RFC %s, section %s (%s)", s.rfc, s.number, title)
		}
	}
	got := sectionTable(found)
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(golden); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what the tests say (%v): go test -run TestSections -update", golden, err)
	}
}

func sectionTable(found map[section][]string) []byte {
	var b bytes.Buffer
	b.WriteString("# Which test proves what\n\n" +
		"Made of the tests' own words by `go test -run TestSections -update`; a test fails if this is out of date.\n" +
		"Beyond that the linter of `internal/testkit` holds every answer of every test to the rules of each single answer\n" +
		"and of all answers together.\n\n" +
		"| RFC | section | | tests |\n|---|---|---|---|\n")
	sections := make([]section, 0, len(found))
	for s := range found {
		if s.number != "" || sectionTitles[s] != "" { // an RFC is also named where it is not proved
			sections = append(sections, s)
		}
	}
	slices.SortFunc(sections, section.compare)
	for _, s := range sections {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", s.rfc, cmp.Or(s.number, "all"), sectionTitles[s], namesByPackage(found[s]))
	}
	return b.Bytes()
}

func namesByPackage(tests []string) string {
	slices.Sort(tests)
	var b strings.Builder
	last := ""
	for _, test := range tests {
		where, name, _ := strings.Cut(test, ": ")
		switch {
		case where == last:
			b.WriteString(", ")
		case last != "":
			b.WriteString("; ")
		}
		if where != last && where != "." {
			b.WriteString(strings.TrimPrefix(where, "internal/") + ": ")
		}
		b.WriteString(name)
		last = where
	}
	return b.String()
}
