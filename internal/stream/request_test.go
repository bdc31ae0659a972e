package stream_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTagsThatTheHandlerSees(t *testing.T) {
	m := middleware(t, nil)
	for _, tt := range []struct {
		fields []string // beside gz
		want   []string // instead; nil for the request as it is
		reason string
	}{
		{[]string{`If-None-Match: "x"`}, nil, "the handler's own tag"},
		{[]string{`If-None-Match: "x-gz6.1"`}, []string{`If-None-Match: "x"`, `If-None-Match: "x-gz6.1"`}, "without the suffix, and as it came"},
		{[]string{`If-None-Match: "a", "x-gz6.1"`, `If-None-Match: W/"y-gz6.1"`},
			[]string{`If-None-Match: "x", W/"y", "a", "x-gz6.1"`, `If-None-Match: W/"y-gz6.1"`}, "lines that many handlers do not read"},
		{[]string{`If-Match: "x-gz6.1"`}, []string{`If-Match: "x"`, `If-Match: "x-gz6.1"`}, "the other condition"},
		{[]string{`If-None-Match: "x-gz9.1"`}, nil, "another level is another representation"},
		{[]string{`If-None-Match: "x-zst3.1"`}, nil, "the answer will not be in that coding"},
		{[]string{`If-Match: "x-zst3.1"`}, nil, "nor will it in this one"},
		{[]string{`If-None-Match: *`}, nil, "any"},
		{[]string{`If-None-Match: "x-gz6.1"`, "Range: bytes=0-1"}, nil, "the answer will be plain"},
		{[]string{`If-Range: "x-gz6.1"`, "Range: bytes=5-"}, []string{}, "plain bytes would spoil the coded copy"},
		{[]string{`If-Range: "x-zst3.1"`, "Range: bytes=5-"}, []string{}, "in whichever coding"},
		{[]string{`If-Range: "x-zst3.1"`, "Range: bytes=5-", `If-None-Match: "x-gz6.1"`},
			[]string{`If-None-Match: "x"`, `If-None-Match: "x-gz6.1"`}, "without its range the answer may be coded"},
		{[]string{`If-Range: "x"`, "Range: bytes=5-"}, nil, "the copy is plain"},
		{[]string{"If-Range: Sat, 28 Nov 2026 09:00:00 GMT", "Range: bytes=5-"}, []string{}, "a date, which the coded copy has as well"},
		{[]string{`If-None-Match: "x", "x-gz6.1"`}, nil, "both forms are there, the handler's first"},
		{[]string{`If-None-Match: "x"`, `If-None-Match: "x-gz6.1"`}, nil, "as a middleware outside of this one has put them"},
		{[]string{`If-None-Match: "xy", "x-gz6.1"`}, []string{`If-None-Match: "x", "xy", "x-gz6.1"`}, "one that only begins so"},
	} {
		r := request(get, append(tt.fields, gz)...)
		before := r.Header.Clone()
		seen := m.Seen(r)
		if tt.want == nil {
			if seen != r {
				t.Errorf("the request was copied: %s", tt.reason)
			}
			continue
		}
		if diff := cmp.Diff(header(append(tt.want, gz)...), seen.Header); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
		if diff := cmp.Diff(before, r.Header); diff != "" {
			t.Errorf("the request itself was changed (-was +is): %s\n%s", tt.reason, diff)
		}
	}
}

// A date is no coded copy's where the client negotiates no coding.
func TestDateOfAPlainCopy(t *testing.T) {
	r := request(get, "If-Range: Sat, 28 Nov 2026 09:00:00 GMT", "Range: bytes=5-")
	if seen := middleware(t, nil).Seen(r); seen != r {
		t.Errorf("the handler sees %v", seen.Header)
	}
}

// Whoever changes a resource may know its state in another coding than the answer will have, or in none.
func TestTagsOfChanges(t *testing.T) {
	m := middleware(t, nil)
	for _, tt := range []struct {
		fields, want []string
		reason       string
	}{
		{[]string{`If-Match: "x-zst3.1"`, gz}, []string{`If-Match: "x"`, `If-Match: "x-zst3.1"`, gz}, "read in zstd"},
		{[]string{`If-Match: "x-gz6.1"`}, []string{`If-Match: "x"`, `If-Match: "x-gz6.1"`}, "no coding accepted now"},
		{[]string{`If-Match: "x-gz6.1", "y-zst3.1"`}, []string{`If-Match: "x", "y", "x-gz6.1", "y-zst3.1"`}, "some of each"},
		{[]string{`If-None-Match: "x-zst3.1"`, gz}, []string{`If-None-Match: "x-zst3.1"`, gz}, "what is held in another coding stays so"},
	} {
		if diff := cmp.Diff(header(tt.want...), m.Seen(request("PUT", tt.fields...)).Header); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
	}
}
