package servery_test

import (
	"testing"

	"servery"
)

func TestETag(t *testing.T) {
	parse := func(s string) servery.ETag {
		t.Helper()
		tag, err := servery.ParseETag(s)
		if err != nil || tag.String() != s {
			t.Fatalf("ParseETag(%s) = %s, %v", s, tag, err)
		}
		return tag
	}
	strong, weak, other, none := parse(`"a"`), parse(`W/"a"`), parse(`"b"`), servery.ETag{}
	for _, tt := range []struct {
		a, b            servery.ETag
		isWeak, isEqual bool // by weak and by strong comparison
	}{ // the table of RFC 9110, section 8.8.3.2, and the absence of a tag
		{weak, weak, true, false},
		{weak, other, false, false},
		{weak, strong, true, false},
		{strong, strong, true, true},
		{strong, other, false, false},
		{none, none, false, false},
		{none, strong, false, false},
	} {
		if got := tt.a.WeakMatch(tt.b); got != tt.isWeak {
			t.Errorf("%s and %s match weakly: %v, want %v", tt.a, tt.b, got, tt.isWeak)
		}
		if got := tt.a.StrongMatch(tt.b); got != tt.isEqual {
			t.Errorf("%s and %s match strongly: %v, want %v", tt.a, tt.b, got, tt.isEqual)
		}
	}
	for _, tt := range []struct{ coding, strong, weak string }{
		{"gzip", `"a-gz"`, `W/"a-gz"`}, {"x-gzip", `"a-gz"`, `W/"a-gz"`}, {"zstd", `"a-zst"`, `W/"a-zst"`},
		{"br", `"a-br"`, `W/"a-br"`}, {"identity", `"a"`, `W/"a"`}, {"", `"a"`, `W/"a"`},
		{"GZIP", `"a-gz"`, `W/"a-gz"`}, {`x" y`, "", ""},
	} {
		if a, b := strong.ForCoding(tt.coding), weak.ForCoding(tt.coding); a.String() != tt.strong || b.String() != tt.weak {
			t.Errorf("ForCoding(%q) = %s and %s, want %s and %s", tt.coding, a, b, tt.strong, tt.weak)
		}
	}
	if !weak.IsWeak() || strong.IsWeak() || none.IsWeak() || none.String() != "" {
		t.Error("weakness is not as it is written")
	}
	for _, malformed := range []string{"", "a", `"a`, `a"`, `w/"a"`, `W/a`, `"a""b"`, `"a","b"`, "\"a\n\"", "*"} {
		if tag, err := servery.ParseETag(malformed); err == nil {
			t.Errorf("ParseETag(%q) = %s, want an error", malformed, tag)
		}
	}
}
