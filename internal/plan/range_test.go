package plan_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"servery/internal/byterange"
	"servery/internal/plan"
)

func sized(size int64) plan.Facts { return with(func(f *plan.Facts) { f.Size = size }) }

// Range counts for GET, in the unit of bytes, where it is valid (RFC 9110, section
// 14.2).
func TestRanges(t *testing.T) {
	noRanges := with(func(f *plan.Facts) { f.MostRanges = 0 })
	twoRanges := with(func(f *plan.Facts) { f.MostRanges = 2 })
	seventeen := "bytes=" + strings.Repeat("0-0,", 16) + "0-0"
	huge := sized(math.MaxInt64)
	tests := []struct {
		facts                       plan.Facts
		lines                       []string
		status                      int
		contentRange, contentLength string
		ranges                      []byterange.Range
		reason                      string
	}{
		{text(), nil, 200, "", "10", extents(0, 10), "no field"},
		{text(), []string{"bytes=0-0"}, 206, "bytes 0-0/10", "1", extents(0, 1), "the first byte"},
		{text(), []string{"bytes=0-"}, 206, "bytes 0-9/10", "10", extents(0, 10), "the whole file is a range as well"},
		{text(), []string{"bytes=-3"}, 206, "bytes 7-9/10", "3", extents(7, 3), "the last bytes"},
		{text(), []string{"bytes=-30"}, 206, "bytes 0-9/10", "10", extents(0, 10), "more of the last bytes than there are"},
		{text(), []string{"bytes=8-99999999999999999999"}, 206, "bytes 8-9/10", "2", extents(8, 2), "an end beyond int64 is the end"},
		{text(), []string{"bytes=20-30,3-3"}, 206, "bytes 3-3/10", "1", extents(3, 1), "one of two is there: no parts"},
		{text(), []string{"bytes=10-"}, 416, "bytes */10", "26", nil, "a start at the end"},
		{text(), []string{"bytes=99999999999999999999-"}, 416, "bytes */10", "26", nil, "a start beyond int64"},
		{text(), []string{"bytes=-0"}, 416, "bytes */10", "26", nil, "no last bytes"},
		{text(), []string{"bytes=20-30,-0"}, 416, "bytes */10", "26", nil, "neither of two is there"},
		{text(), []string{"bytes=2-1"}, 200, "", "10", extents(0, 10), "inverted"},
		{text(), []string{"bytes=x"}, 200, "", "10", extents(0, 10), "malformed"},
		{text(), []string{"lines=0-0"}, 200, "", "10", extents(0, 10), "an unknown unit"},
		{text(), []string{"bytes=0-0", "bytes=1-1"}, 200, "", "10", extents(0, 10), "two lines are no field"},
		{text(), []string{seventeen}, 200, "", "10", extents(0, 10), "more than 16"},
		{text(), []string{"bytes=0-8,0-8"}, 200, "", "10", extents(0, 10), "more in sum than the file has"},
		{twoRanges, []string{"bytes=0-0,1-1,2-2"}, 200, "", "10", extents(0, 10), "more than the option allows"},
		{noRanges, []string{"bytes=0-0"}, 200, "", "10", extents(0, 10), "ranges are off"},
		{noRanges, []string{"bytes=10-"}, 200, "", "10", extents(0, 10), "no 416 either, where they are off"},
		{sized(0), []string{"bytes=0-0"}, 200, "", "0", nil, "no range satisfies an empty file"},
		{sized(0), []string{"bytes=-1"}, 200, "", "0", nil, "nor do its last bytes"},
		{sized(0), nil, 200, "", "0", nil, "an empty file has no extent to write"},
		{huge, nil, 200, "", "9223372036854775807", extents(0, math.MaxInt64), "the largest file"},
		{huge, []string{"bytes=9223372036854775806-"}, 206, "bytes 9223372036854775806-9223372036854775806/9223372036854775807", "1",
			extents(math.MaxInt64-1, 1), "the last byte of the largest file"},
		{huge, []string{"bytes=9223372036854775807-"}, 416, "bytes */9223372036854775807", "26", nil, "the byte after it"},
		{huge, []string{"bytes=0-4611686018427387903,4611686018427387904-"}, 200, "", "9223372036854775807",
			extents(0, math.MaxInt64), "the parts with their heads have no length that fits"},
	}
	for _, tt := range tests {
		got := plan.Decide(plan.Request{Range: tt.lines, Boundary: boundary}, tt.facts)
		if got.Status != tt.status || got.ContentRange != tt.contentRange || got.ContentLength != tt.contentLength ||
			!slices.Equal(got.Ranges, tt.ranges) {
			t.Errorf("%q of %d bytes: got %+v, want %d, %q, %s, %v: %s",
				tt.lines, tt.facts.Size, got, tt.status, tt.contentRange, tt.contentLength, tt.ranges, tt.reason)
		}
		if got.Boundary != "" || strings.HasPrefix(got.ContentType, "multipart/") {
			t.Errorf("%q of %d bytes: parts in %+v: %s", tt.lines, tt.facts.Size, got, tt.reason)
		}
	}
}

// TestHeadHasNoRanges: the head is that of a GET without Range (RFC 9110, section
// 14.2), whatever is asked for.
func TestHeadHasNoRanges(t *testing.T) {
	for _, size := range []int64{0, 10, math.MaxInt64} {
		want := plan.Decide(plan.Request{}, sized(size))
		want.Ranges = nil
		for _, field := range []string{"bytes=0-0", "bytes=0-0,2-2", "bytes=-0", "bytes=9223372036854775807-", "x"} {
			if got := plan.Decide(plan.Request{Head: true, Range: []string{field}}, sized(size)); !equal(got, want) {
				t.Errorf("%d bytes, %q: got %+v, want %+v", size, field, got, want)
			}
		}
	}
}

// See RFC 9110, section 15.5.17.
func TestUnsatisfiable(t *testing.T) {
	got := seen(plan.Decide(plan.Request{Range: []string{"bytes=10-"}}, text()))
	want := visible{
		status: 416, contentType: mediaType, contentLength: "26", contentRange: "bytes */10",
		vary: true, noSniff: true, body: "416 Range Not Satisfiable\n",
	}
	if got != want {
		t.Errorf("got\n%+v, want\n%+v: an error has no validator, no policy and no ranges of its own", got, want)
	}
}

// Each part says what it is (RFC 9110, section 15.3.7.2).
func TestMultipart(t *testing.T) {
	tests := []struct{ contentType, partType, reason string }{
		{mediaType, mediaType, "each part says the type of the file"},
		{"", "", "outer code wants none: the parts have none"},
		{"text/plain\r\nX: y", "", "outer code's line breaks would end the head of the part"},
		{"text/plain\n", "", "a line break in its short form"},
	}
	for _, tt := range tests {
		facts := with(func(f *plan.Facts) { f.ContentType = tt.contentType })
		got := plan.Decide(plan.Request{Range: []string{"bytes=8-,0-0"}, Boundary: boundary}, facts)
		field := ""
		if tt.partType != "" {
			field = "Content-Type: " + tt.partType + "\r\n"
		}
		body := "--B0UNDARY\r\n" + field + "Content-Range: bytes 8-9/10\r\n\r\n89" +
			"\r\n--B0UNDARY\r\n" + field + "Content-Range: bytes 0-0/10\r\n\r\n0" +
			"\r\n--B0UNDARY--\r\n"
		want := plan.Decide(plan.Request{}, facts)
		want.Status = 206
		want.ContentType = "multipart/byteranges; boundary=B0UNDARY"
		want.ContentLength = fmt.Sprint(len(body))
		want.Ranges = extents(8, 2, 0, 1) // in the order asked
		want.Boundary, want.PartType, want.CompleteSize = boundary, tt.partType, 10
		if !equal(got, want) {
			t.Errorf("type %q: got\n%+v, want\n%+v: %s", tt.contentType, got, want, tt.reason)
		}
	}
}
