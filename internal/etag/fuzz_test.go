package etag_test

import (
	"regexp"
	"strings"
	"testing"

	"servery/internal/etag"
)

// The oracle reads a field with regular expressions, over runes that stand for one byte each.
var (
	oracleTag    = regexp.MustCompile(`^[ \t]*((?:W/)?"[\x21\x23-\x7e\x{80}-\x{ff}]*")[ \t]*$`)
	oracleMember = regexp.MustCompile(`^[ \t]*((?:W/)?"[\x21\x23-\x7e\x{80}-\x{ff}]*")?[ \t]*(?:,|$)`)
	oracleAny    = regexp.MustCompile(`^[ \t]*\*[ \t]*$`)
)

func latin1(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(rune(s[i]))
	}
	return b.String()
}

// oracleMembers returns the members of lines up to the first malformed one.
func oracleMembers(lines []string) (members []string) {
	for _, line := range lines {
		for rest := latin1(line); rest != ""; {
			m := oracleMember.FindStringSubmatch(rest)
			if m == nil {
				return members
			}
			if m[1] != "" {
				members = append(members, m[1])
			}
			rest = rest[len(m[0]):]
		}
	}
	return members
}

func oracleMatches(lines []string, tag string, weak bool) bool {
	if len(lines) == 1 && oracleAny.MatchString(lines[0]) {
		return true
	}
	for _, member := range oracleMembers(lines) {
		if weak {
			if tag != "" && strings.TrimPrefix(member, "W/") == strings.TrimPrefix(latin1(tag), "W/") {
				return true
			}
		} else if member == latin1(tag) && !strings.HasPrefix(member, "W/") {
			return true
		}
	}
	return false
}

// FuzzList reads the lines of field, and checks reading and comparing against the oracle.
func FuzzList(f *testing.F) {
	f.Fuzz(func(t *testing.T, field, tag string) {
		lines := strings.Split(field, "\n")
		if got, want := etag.MatchesStrong(lines, etag.Tag(tag)), oracleMatches(lines, tag, false); got != want {
			t.Errorf("MatchesStrong(%q, %q) = %t, want %t", lines, tag, got, want)
		}
		if got, want := etag.MatchesWeak(lines, etag.Tag(tag)), oracleMatches(lines, tag, true); got != want {
			t.Errorf("MatchesWeak(%q, %q) = %t, want %t", lines, tag, got, want)
		}
		checkParse(t, tag)
		checkParse(t, lines[0])
	})
}

func checkParse(t *testing.T, s string) {
	want := ""
	if m := oracleTag.FindStringSubmatch(latin1(s)); m != nil {
		want = m[1]
	}
	got, ok := etag.Parse(s)
	if latin1(string(got)) != want || ok != (want != "") {
		t.Fatalf("Parse(%q) = %q, %t, want %q", s, got, ok, want)
	}
	coded := got.ForCoding("-gz")
	if !ok {
		if coded != "" {
			t.Errorf("ForCoding made %q of nothing", coded)
		}
		return
	}
	if again, ok := etag.Parse(string(coded)); !ok || again != coded || coded.IsWeak() != got.IsWeak() || coded.WeakMatch(got) {
		t.Errorf("ForCoding made %q of %q", coded, got)
	}
}
