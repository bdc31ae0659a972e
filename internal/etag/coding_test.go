package etag_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"servery/internal/etag"
)

func TestWithoutCoding(t *testing.T) {
	for _, tt := range []struct {
		lines  []string
		want   []etag.Tag
		reason string
	}{
		{nil, nil, "there is no list"},
		{[]string{`"a"`}, nil, "no suffix"},
		{[]string{`"a-gz"`}, []etag.Tag{`"a"`}, "the suffix goes, the quotes stay"},
		{[]string{`W/"a-gz"`}, []etag.Tag{`W/"a"`}, "a cache on the way may have weakened it"},
		{[]string{`"-gz"`}, []etag.Tag{`""`}, "an empty opaque part had a suffix as well"},
		{[]string{`"b", "a-gz" ,"c-gz"`}, []etag.Tag{`"a"`, `"c"`}, "some of a list"},
		{[]string{`"a-gz"`, `"b-gz"`}, []etag.Tag{`"a"`, `"b"`}, "all lines are one list"},
		{[]string{`"a-gz-gz"`}, []etag.Tag{`"a-gz"`}, "one suffix for one coding"},
		{[]string{`"a-gzip"`, `"a-g"`, `"-gz-"`, `"gz"`}, nil, "not quite the suffix"},
		{[]string{`"a-gz", x, "b-gz"`}, []etag.Tag{`"a"`}, "a malformed member ends it"},
		{[]string{`*`}, nil, "any is no tag"},
	} {
		if diff := cmp.Diff(tt.want, etag.WithoutCoding(tt.lines, "-gz")); diff != "" {
			t.Errorf("%q: %s (-want +got):\n%s", tt.lines, tt.reason, diff)
		}
	}
	if got, ok := etag.Tag(`"a"`).WithoutCoding(""); ok {
		t.Errorf("no suffix was taken from a tag, and %q was left", got)
	}
}
