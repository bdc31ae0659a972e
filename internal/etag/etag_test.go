package etag_test

import (
	"testing"

	"servery/internal/etag"
)

// The grammar is that of RFC 9110, section 8.8.3.
func TestParse(t *testing.T) {
	tests := []struct {
		in     string
		want   etag.Tag
		ok     bool
		reason string
	}{
		{`"x"`, `"x"`, true, "a strong tag"},
		{`W/"x"`, `W/"x"`, true, "a weak tag"},
		{`""`, `""`, true, "the opaque part may be empty"},
		{`W/""`, `W/""`, true, "so may that of a weak tag"},
		{" \t\"x\"\t ", `"x"`, true, "blanks around are not part of the tag"},
		{`"a,b"`, `"a,b"`, true, "a comma is etagc"},
		{`"a\"`, `"a\"`, true, "a backslash is etagc and escapes nothing"},
		{`"!#~"`, `"!#~"`, true, "the ends of both ASCII ranges"},
		{"\"\x80\xff\"", "\"\x80\xff\"", true, "obs-text, valid UTF-8 or not"},
		{`"*"`, `"*"`, true, "a quoted star is a tag"},
		{``, "", false, "absent"},
		{`x`, "", false, "not quoted"},
		{`"x`, "", false, "not closed"},
		{`x"`, "", false, "not opened"},
		{`"`, "", false, "a lone quote"},
		{`W/`, "", false, "a mark and nothing after it"},
		{`W/x`, "", false, "a mark and no quotes"},
		{`w/"x"`, "", false, "the mark is case-sensitive"},
		{`W /"x"`, "", false, "no blank within the mark"},
		{`W/ "x"`, "", false, "no blank after the mark"},
		{`W"x"`, "", false, "half a mark"},
		{`"a b"`, "", false, "a blank is not etagc"},
		{"\"a\tb\"", "", false, "nor is a tab"},
		{"\"a\x00b\"", "", false, "nor is NUL"},
		{"\"a\x7fb\"", "", false, "nor is DEL"},
		{"\"x\"\r\n", "", false, "a line break is not a blank"},
		{`"a""b"`, "", false, "two tags"},
		{`"a","b"`, "", false, "a list is not one tag"},
		{`"a",`, "", false, "a comma makes a list"},
		{`*`, "", false, "any is not a tag"},
	}
	for _, tt := range tests {
		if got, ok := etag.Parse(tt.in); got != tt.want || ok != tt.ok {
			t.Errorf("Parse(%q) = %q, %t, want %q, %t: %s", tt.in, got, ok, tt.want, tt.ok, tt.reason)
		}
	}
}

// The first four rows are the table of RFC 9110, section 8.8.3.2.
func TestComparison(t *testing.T) {
	tests := []struct {
		a, b         etag.Tag
		strong, weak bool
		reason       string
	}{
		{`W/"1"`, `W/"1"`, false, true, "both weak"},
		{`W/"1"`, `W/"2"`, false, false, "both weak, different"},
		{`W/"1"`, `"1"`, false, true, "one weak"},
		{`"1"`, `"1"`, true, true, "both strong"},
		{`"1"`, `"2"`, false, false, "both strong, different"},
		{`"a"`, `"A"`, false, false, "the opaque part is case-sensitive"},
		{`""`, `""`, true, true, "an empty opaque part is a value"},
		{``, ``, false, false, "absent never matches, not even absent"},
		{``, `""`, false, false, "absent is not empty"},
		{`"W/"`, `W/"W/"`, false, true, "a mark inside the quotes is no mark"},
	}
	for _, tt := range tests {
		for _, pair := range [][2]etag.Tag{{tt.a, tt.b}, {tt.b, tt.a}} {
			if got := pair[0].StrongMatch(pair[1]); got != tt.strong {
				t.Errorf("%q.StrongMatch(%q) = %t: %s", pair[0], pair[1], got, tt.reason)
			}
			if got := pair[0].WeakMatch(pair[1]); got != tt.weak {
				t.Errorf("%q.WeakMatch(%q) = %t: %s", pair[0], pair[1], got, tt.reason)
			}
		}
	}
}

// Two codings are two representations (RFC 9110, section 8.8.3.3).
func TestForCoding(t *testing.T) {
	tests := []struct {
		in, want etag.Tag
		reason   string
	}{
		{`"x"`, `"x-gz"`, "the suffix goes inside the quotes"},
		{`W/"x"`, `W/"x-gz"`, "a weak tag stays weak"},
		{`""`, `"-gz"`, "an empty opaque part takes a suffix as well"},
		{``, ``, "an absent tag stays absent"},
		{`x`, ``, "a malformed tag would be shared by two representations"},
		{`x"`, ``, "a quote at the end does not make it well-formed"},
		{`"`, ``, "nor does one that is both ends"},
	}
	for _, tt := range tests {
		if got := tt.in.ForCoding("-gz"); got != tt.want {
			t.Errorf("Tag(%q).ForCoding = %q, want %q: %s", tt.in, got, tt.want, tt.reason)
		}
	}
}

func TestMadeTagsAreWellFormed(t *testing.T) {
	tests := []struct {
		made, want etag.Tag
		weak       bool
		reason     string
	}{
		{etag.Strong("x"), `"x"`, false, "strong"},
		{etag.Weak("x"), `W/"x"`, true, "weak"},
		{etag.Strong(""), `""`, false, "strong and empty"},
		{etag.Strong("W/"), `"W/"`, false, "what looks like the mark is inside"},
	}
	for _, tt := range tests {
		if tt.made != tt.want || tt.made.IsWeak() != tt.weak {
			t.Errorf("got %q, weak %t, want %q, weak %t: %s", tt.made, tt.made.IsWeak(), tt.want, tt.weak, tt.reason)
		}
		if got, ok := etag.Parse(string(tt.made)); !ok || got != tt.made {
			t.Errorf("Parse(%q) = %q, %t: %s", tt.made, got, ok, tt.reason)
		}
	}
	if etag.Tag("").IsWeak() {
		t.Error("an absent tag is weak")
	}
}
