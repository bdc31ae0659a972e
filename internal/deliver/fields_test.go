package deliver_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"servery/internal/deliver"
	"servery/internal/plan"
)

// fieldsAfter returns the fields of an answer to which outer code gave some.
func fieldsAfter(outer http.Header, p plan.Plan) http.Header {
	w := httptest.NewRecorder()
	maps.Copy(w.Header(), outer)
	deliver.Answer(w, false, p, file{text: digits}, nil)
	return w.Header()
}

func TestVaryIsMerged(t *testing.T) {
	const ours = "Accept-Encoding"
	tests := []struct {
		outer, want []string
		reason      string
	}{
		{nil, []string{ours}, "absent"},
		{[]string{}, []string{ours}, "present without a line, which is absent"},
		{[]string{""}, []string{ours}, "an empty line is no member"},
		{[]string{" ,"}, []string{ours}, "nor are blanks and commas"},
		{[]string{"Cookie"}, []string{"Cookie, " + ours}, "another member stays"},
		{[]string{"Cookie", "Origin"}, []string{"Cookie, Origin, " + ours}, "several lines are one list"},
		{[]string{ours}, []string{ours}, "it is there"},
		{[]string{"accept-ENCODING"}, []string{"accept-ENCODING"}, "it is there in another case"},
		{[]string{"Cookie,\taccept-encoding ,Origin"}, []string{"Cookie,\taccept-encoding ,Origin"}, "in the middle, between blanks"},
		{[]string{"Cookie", "Accept-Encoding"}, []string{"Cookie", "Accept-Encoding"}, "in another line"},
		{[]string{"*"}, []string{"*"}, "everything is said already"},
		{[]string{"Cookie, *"}, []string{"Cookie, *"}, "likewise, as one member of several"},
		{[]string{"X-Accept-Encoding"}, []string{"X-Accept-Encoding, " + ours}, "a name that holds ours is another"},
		{[]string{"Accept-Encoding-X"}, []string{"Accept-Encoding-X, " + ours}, "on either side"},
	}
	for _, tt := range tests {
		outer := http.Header{"Vary": slices.Clone(tt.outer)}
		if tt.outer == nil {
			outer = nil
		}
		if got := fieldsAfter(outer, plan.Plan{Status: 200, Vary: true})["Vary"]; !slices.Equal(got, tt.want) {
			t.Errorf("outer %q: got %q, want %q: %s", tt.outer, got, tt.want, tt.reason)
		}
		if got := fieldsAfter(outer, plan.Plan{Status: 200})["Vary"]; !slices.Equal(got, tt.outer) {
			t.Errorf("outer %q: got %q of an answer that does not vary", tt.outer, got)
		}
	}
}

func TestVaryOfBoth(t *testing.T) {
	for _, tt := range []struct {
		outer  []string
		plan   plan.Plan
		want   string
		reason string
	}{
		{nil, plan.Plan{Status: 200, VaryAccept: true}, "Accept", "alone"},
		{nil, plan.Plan{Status: 200, Vary: true, VaryAccept: true}, "Accept-Encoding, Accept", "one list of both"},
		{[]string{"Accept-Encoding"}, plan.Plan{Status: 200, VaryAccept: true}, "Accept-Encoding, Accept", "a longer name is another"},
		{[]string{"accept"}, plan.Plan{Status: 200, Vary: true, VaryAccept: true}, "accept, Accept-Encoding", "it is there"},
	} {
		for range 2 { // what is shared between answers is as it was
			got := fieldsAfter(http.Header{"Vary": tt.outer}, tt.plan)["Vary"]
			if len(got) != 1 || got[0] != tt.want {
				t.Errorf("outer %q, %s: got %q, want %q", tt.outer, tt.reason, got, tt.want)
			}
		}
	}
}

// TestOuterFields: what describes the body is the plan's alone; the rest is left
// as it is (contract, section 6).
func TestOuterFields(t *testing.T) {
	ours := []string{
		"Content-Type", "Content-Length", "Content-Range", "Content-Encoding", "Etag", "Last-Modified", "Cache-Control", "Accept-Ranges",
	}
	theirs := []string{"X-Content-Type-Options", "Allow", "Location", "Retry-After", "Set-Cookie", "Link", "Vary"}
	outer := func() http.Header {
		h := http.Header{}
		for _, name := range slices.Concat(ours, theirs) {
			h[name] = []string{"outer", "twice"}
		}
		return h
	}
	got := fieldsAfter(outer(), plan.Plan{Status: 200})
	for _, name := range ours {
		if lines, ok := got[name]; ok {
			t.Errorf("%s is %q, want none: the plan has none", name, lines)
		}
	}
	for _, name := range theirs {
		if !slices.Equal(got[name], []string{"outer", "twice"}) {
			t.Errorf("%s is %q, want it untouched", name, got[name])
		}
	}
	full := plan.Plan{
		Status: 200, ContentType: "1", ContentLength: "2", ContentRange: "3", ETag: "4", LastModified: "5", CacheControl: "6",
		AcceptRanges: "7", Allow: "8", Location: "9", RetryAfter: "10", NoSniff: true, Vary: true,
	}
	want := http.Header{
		"Content-Type": {"1"}, "Content-Length": {"2"}, "Content-Range": {"3"}, "Etag": {"4"}, "Last-Modified": {"5"},
		"Cache-Control": {"6"}, "Accept-Ranges": {"7"}, "Allow": {"8"}, "Location": {"9"}, "Retry-After": {"10"},
		"X-Content-Type-Options": {"nosniff"}, "Vary": {"outer, twice, Accept-Encoding"},
		"Set-Cookie": {"outer", "twice"}, "Link": {"outer", "twice"},
	}
	if got := fieldsAfter(outer(), full); !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
}

// TestNoTypeMeansNone: net/http guesses a type unless the field is there with no
// line at all.
func TestNoTypeMeansNone(t *testing.T) {
	p := decide(plan.Request{})
	p.ContentType = ""
	if lines, ok := fieldsAfter(http.Header{"Content-Type": nil}, p)["Content-Type"]; !ok || lines != nil {
		t.Errorf("Content-Type %q, present %t, want nil, present", lines, ok)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		deliver.Answer(w, false, p, file{text: digits}, nil)
	}))
	defer server.Close()
	response, err := server.Client().Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if lines, ok := response.Header["Content-Type"]; ok {
		t.Errorf("Content-Type %q on the wire, want none", lines)
	}
}

// TestValuesDoNotShareRoom: outer code may append to a field after the answer was
// planned, as wrappers of a ResponseWriter do.
func TestValuesDoNotShareRoom(t *testing.T) {
	p := decide(plan.Request{Range: []string{"bytes=0-0"}})
	p.NoSniff, p.Vary = true, true
	h := fieldsAfter(nil, p)
	before := h.Clone()
	for name := range before {
		h[name] = append(h[name], "appended")
	}
	for name, want := range before {
		if got := h[name]; !slices.Equal(got, append(slices.Clone(want), "appended")) {
			t.Errorf("%s became %q, want %q and what was appended", name, got, want)
		}
	}
}
