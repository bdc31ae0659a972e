package plan_test

import (
	"testing"

	"servery/internal/plan"
)

// text is a file with every field that an answer can have.
func text() plan.Facts { return representations[0].facts() }

// A client that refuses all there is gets nothing of it (RFC 9110, sections 12.5.3 and
// 15.5.7).
func TestNotAcceptable(t *testing.T) {
	image := text()
	image.Negotiable = false
	tests := []struct {
		request plan.Request
		facts   plan.Facts
		want    int
		reason  string
	}{
		{plan.Request{}, text(), 200, "no field: anything will do"},
		{plan.Request{AcceptEncoding: []string{"gzip"}}, text(), 200, "identity need not be named"},
		{plan.Request{AcceptEncoding: []string{"gzip", "identity;q=0"}}, text(), 406, "refused in the second line"},
		{plan.Request{AcceptEncoding: []string{"*;q=0"}}, text(), 406, "refused by the wildcard"},
		{plan.Request{AcceptEncoding: []string{"*;q=0"}}, image, 406, "a type that is never coded is refused as well"},
		{plan.Request{AcceptEncoding: []string{"*;q=0"}, Head: true}, text(), 406, "HEAD is answered as GET"},
		{plan.Request{AcceptEncoding: []string{"*;q=0"}, IfMatch: []string{`"no"`}}, text(), 406,
			"a precondition does not count where there is nothing to send (RFC 9110, 13.2.1)"},
		{plan.Request{AcceptEncoding: []string{"*;q=0"}, IfNoneMatch: []string{`*`}}, text(), 406, "nor does one that would be 304"},
		{plan.Request{AcceptEncoding: []string{"*;q=0"}, Range: []string{"bytes=0-0"}}, text(), 406, "nor a range"},
		{plan.Request{AcceptEncoding: []string{"*;q=0"}, Range: []string{"bytes=10-"}}, text(), 406, "nor one beyond the end"},
	}
	for _, tt := range tests {
		got := seen(plan.Decide(tt.request, tt.facts))
		if got.status != tt.want {
			t.Errorf("%+v: status %d, want %d: %s", tt.request, got.status, tt.want, tt.reason)
		}
		refusal := visible{
			status: 406, contentType: mediaType, contentLength: "19", vary: true, noSniff: true, body: "406 Not Acceptable\n",
		}
		if tt.want == 406 && got != refusal {
			t.Errorf("%+v: got\n%+v, want\n%+v: %s", tt.request, got, refusal, tt.reason)
		}
	}
}

// TestVary has every status of a file, once for a type that could be coded and once for
// one that could not. Each says what it depends on (RFC 9110, section 12.5.5).
func TestVary(t *testing.T) {
	tests := []struct {
		request plan.Request
		status  int
		always  bool
		reason  string
	}{
		{plan.Request{}, 200, false, "the whole file"},
		{plan.Request{Head: true}, 200, false, "its head"},
		{plan.Request{Range: []string{"bytes=0-0"}}, 206, false, "a part: another request might have got a coded 200"},
		{plan.Request{Range: []string{"bytes=0-0,2-2"}, Boundary: boundary}, 206, false, "several parts"},
		{plan.Request{IfNoneMatch: []string{`"v1"`}}, 304, false, "a cache updates the stored 200 by it"},
		{plan.Request{IfMatch: []string{`"v2"`}}, 412, false, "the tag that it compares with depends on the coding"},
		{plan.Request{Range: []string{"bytes=10-"}}, 416, false, "without the range it might be coded"},
		{plan.Request{AcceptEncoding: []string{"identity;q=0"}}, 406, true, "the field is the reason for it"},
	}
	for _, tt := range tests {
		for _, negotiable := range []bool{false, true} {
			facts := text()
			facts.Negotiable = negotiable
			got := plan.Decide(tt.request, facts)
			if want := negotiable || tt.always; got.Status != tt.status || got.Vary != want {
				t.Errorf("negotiable %t: status %d with Vary %t, want %d with %t: %s",
					negotiable, got.Status, got.Vary, tt.status, want, tt.reason)
			}
		}
	}
}

func TestFailure(t *testing.T) {
	tests := []struct {
		status  int
		message string
		reason  string
	}{
		{403, "403 Forbidden\n", "no permission"},
		{404, "404 Not Found\n", "nothing there"},
		{405, "405 Method Not Allowed\n", "another method"},
		{406, "406 Not Acceptable\n", "no coding"},
		{412, "412 Precondition Failed\n", "a precondition"},
		{416, "416 Range Not Satisfiable\n", "the name that RFC 9110 has, not RFC 2616"},
		{500, "500 Internal Server Error\n", "a failing disk"},
		{503, "503 Service Unavailable\n", "no descriptors"},
	}
	for _, tt := range tests {
		got := plan.Failure(tt.status)
		want := plan.Plan{
			Status: tt.status, ContentType: mediaType, ContentLength: length(tt.message), NoSniff: true, Message: tt.message,
		}
		switch tt.status {
		case 405:
			want.Allow = "GET, HEAD, OPTIONS" // RFC 9110, section 15.5.6
		case 503:
			want.RetryAfter, want.CacheControl = "1", "no-store"
		}
		if !equal(got, want) {
			t.Errorf("Failure(%d) = %+v, want %+v: %s", tt.status, got, want, tt.reason)
		}
	}
}

// See RFC 9110, sections 9.3.7 and 10.2.1.
func TestOptions(t *testing.T) {
	want := plan.Plan{Status: 204, Allow: "GET, HEAD, OPTIONS"}
	if got := plan.Options(); !equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestRedirect(t *testing.T) {
	want := plan.Plan{Status: 301, Location: "./a/?q", CacheControl: "no-cache", ContentLength: "0"}
	if got := plan.Redirect("./a/?q"); !equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestAbsentFacts has files that lack what most have: the field is not sent, and
// no other takes its place.
func TestAbsentFacts(t *testing.T) {
	full := seen(plan.Decide(plan.Request{}, text()))
	tests := []struct {
		facts  plan.Facts
		want   func(*visible)
		reason string
	}{
		{with(func(f *plan.Facts) { f.ETag = "" }), func(v *visible) { v.etag = "" }, "no tag"},
		{with(func(f *plan.Facts) { f.ModTime = never }), func(v *visible) { v.lastModified = "" }, "no date"},
		{with(func(f *plan.Facts) { f.ContentType = "" }), func(v *visible) { v.contentType = "" }, "a type that outer code switched off"},
		{with(func(f *plan.Facts) { f.CacheControl = "" }), func(v *visible) { v.cacheControl = "" }, "no policy"},
		{with(func(f *plan.Facts) { f.CacheControl = "private" }), func(v *visible) { v.cacheControl = "private" }, "another policy"},
		{with(func(f *plan.Facts) { f.MostRanges = 0 }), func(v *visible) { v.acceptRanges = "" }, "no ranges"},
	}
	for _, tt := range tests {
		want := full
		tt.want(&want)
		if got := seen(plan.Decide(plan.Request{}, tt.facts)); got != want {
			t.Errorf("%s: got\n%+v, want\n%+v", tt.reason, got, want)
		}
	}
}
