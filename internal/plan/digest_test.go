package plan_test

import (
	"testing"

	"servery/internal/digest"
	"servery/internal/plan"
)

// TestDigest: only what sends the file as it is, or parts of it, may say its digest.
func TestDigest(t *testing.T) {
	coded := with(func(f *plan.Facts) {
		f.Negotiable = true
		f.Codings = []plan.Coding{{Name: "gzip", ETag: `"v1-gz"`}}
	})
	for _, tt := range []struct {
		request plan.Request
		facts   plan.Facts
		status  int
		want    digest.Algorithm
		reason  string
	}{
		{plan.Request{}, text(), 200, digest.SHA512, "the whole file"},
		{plan.Request{Head: true}, text(), 200, digest.SHA512, "HEAD says what GET says"},
		{plan.Request{Range: []string{"bytes=0-1"}}, text(), 206, digest.SHA512, "of the whole, with a part"},
		{plan.Request{Range: []string{"bytes=0-1,5-6"}, Boundary: "b"}, text(), 206, digest.SHA512, "and with several"},
		{plan.Request{Range: []string{"bytes=9999-"}}, text(), 416, digest.None, "no such part"},
		{plan.Request{IfNoneMatch: []string{"*"}}, text(), 304, digest.None, "nothing is sent that could be checked"},
		{plan.Request{IfMatch: []string{`"other"`}}, text(), 412, digest.None, "an error is not the file"},
		{plan.Request{AcceptEncoding: []string{"identity;q=0"}}, text(), 406, digest.None, "nor is this one"},
		{plan.Request{AcceptEncoding: []string{"gzip"}}, coded, 200, digest.None, "the digest would be of other bytes"},
		{plan.Request{AcceptEncoding: []string{"gzip"}, Range: []string{"bytes=0-1"}}, coded, 206, digest.SHA512, "a range selects identity"},
	} {
		if got := plan.Decide(tt.request, tt.facts); got.Status != tt.status || got.Digest != digest.None {
			t.Errorf("%+v: %d with digest %d, though nobody wants one: %s", tt.request, got.Status, got.Digest, tt.reason)
		}
		tt.request.WantReprDigest = []string{"sha-512=1"}
		if got := plan.Decide(tt.request, tt.facts); got.Status != tt.status || got.Digest != tt.want {
			t.Errorf("%+v: %d with digest %d, want %d with %d: %s", tt.request, got.Status, got.Digest, tt.status, tt.want, tt.reason)
		}
	}
}
