package etag_test

import (
	"strings"
	"testing"

	"servery/internal/etag"
)

// All lines are one list (RFC 9110, sections 5.3, 13.1.1 and 13.1.2).
func TestMatches(t *testing.T) {
	tests := []struct {
		lines        []string
		tag          etag.Tag
		strong, weak bool
		reason       string
	}{
		{nil, `"a"`, false, false, "no line, no member"},
		{[]string{``}, `"a"`, false, false, "an empty line has no member"},
		{[]string{`"a"`}, `"a"`, true, true, "the only member"},
		{[]string{`"b"`}, `"a"`, false, false, "another member"},
		{[]string{`"b", "a"`}, `"a"`, true, true, "the last of a list"},
		{[]string{`"b","a","c"`}, `"a"`, true, true, "no blank is needed"},
		{[]string{"\t \"b\" \t,\t \"a\" "}, `"a"`, true, true, "blanks around members"},
		{[]string{`,, ,"a",`}, `"a"`, true, true, "empty members are skipped"},
		{[]string{`,`}, `"a"`, false, false, "nothing but an empty member"},
		{[]string{`"b"`, `"a"`}, `"a"`, true, true, "all lines are one list"},
		{[]string{``, `,`, `"a"`}, `"a"`, true, true, "lines without a member are skipped"},
		{[]string{`W/"a"`}, `"a"`, false, true, "a weakened member matches weakly only"},
		{[]string{`"a"`}, `W/"a"`, false, true, "so does a weak representation"},
		{[]string{`W/"a"`, `"a"`}, `"a"`, true, true, "a strong member after a weak one"},
		{[]string{`"a,b"`}, `"a,b"`, true, true, "a comma inside the quotes belongs to the tag"},
		{[]string{`"x, "a", y"`}, `"a"`, false, false, "a member that stands in the quotes of others"},
		{[]string{`"x,"a",y"`}, `"a"`, false, false, "the same without blanks"},
		{[]string{`"a`, `b"`}, `"a`, false, false, "a tag does not go on in the next line"},
		{[]string{`"a"`}, ``, false, false, "a representation without a tag matches no member"},
		{[]string{``}, ``, false, false, "nor does it match an empty field"},

		{[]string{`*`}, `"a"`, true, true, "any"},
		{[]string{`*`}, `W/"a"`, true, true, "any, whatever the comparison"},
		{[]string{`*`}, ``, true, true, "any needs no tag"},
		{[]string{" *\t"}, ``, true, true, "blanks around any"},
		{[]string{`"*"`}, `"a"`, false, false, "a quoted star is a tag"},
		{[]string{`*, "b"`}, `"a"`, false, false, "any is not a member"},
		{[]string{`"b", *`}, `"a"`, false, false, "not the last one either"},
		{[]string{`*`, `"a"`}, `"a"`, false, false, "nor in a line of its own"},
		{[]string{`*`, ``}, `"a"`, false, false, "two lines are a list, even if one is empty"},
		{[]string{`*,`}, `"a"`, false, false, "a comma makes a list"},
		{[]string{`**`}, `"a"`, false, false, "two stars are nothing"},

		{[]string{`"a", x, "b"`}, `"a"`, true, true, "what came before a malformed member counts"},
		{[]string{`"a", x, "b"`}, `"b"`, false, false, "what comes after it does not"},
		{[]string{`x`, `"a"`}, `"a"`, false, false, "nor does a later line"},
		{[]string{`"a"x`}, `"a"`, false, false, "a member with more after its tag is malformed"},
		{[]string{`"a" "b"`}, `"a"`, false, false, "so are two members without a comma"},
		{[]string{`w/"a"`}, `"a"`, false, false, "so is one with the wrong mark"},
		{[]string{`a`}, `a`, false, false, "a bare word equals nothing, not even itself"},
	}
	for _, tt := range tests {
		if got := etag.MatchesStrong(tt.lines, tt.tag); got != tt.strong {
			t.Errorf("MatchesStrong(%q, %q) = %t: %s", tt.lines, tt.tag, got, tt.reason)
		}
		if got := etag.MatchesWeak(tt.lines, tt.tag); got != tt.weak {
			t.Errorf("MatchesWeak(%q, %q) = %t: %s", tt.lines, tt.tag, got, tt.reason)
		}
	}
}

func TestMatchingAllocatesNothing(t *testing.T) {
	lines := []string{strings.Repeat(`W/"b", ,`, 1000), `"a"`}
	tag := etag.Strong("a")
	allocs := testing.AllocsPerRun(10, func() {
		if !etag.MatchesStrong(lines, tag) || !etag.MatchesWeak(lines, tag) {
			t.Error("the last member was not found")
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations, want none", allocs)
	}
}

// Fields of this length take milliseconds in linear time and minutes in quadratic time, so that the test needs no
// clock: it would not end.
func TestLongFieldsTakeLinearTime(t *testing.T) {
	const repeats = 1 << 20
	tests := []struct{ repeated, reason string }{
		{`,`, "empty members"},
		{` `, "blanks"},
		{`"b",`, "members"},
		{`"b" `, "a malformed list"},
		{`"`, "quotes"},
		{`W/`, "marks"},
		{`"b`, "tags that begin and do not end"},
	}
	for _, tt := range tests {
		if etag.MatchesWeak([]string{strings.Repeat(tt.repeated, repeats)}, `"a"`) {
			t.Errorf("%s: matched", tt.reason)
		}
	}
}
