package plan_test

import (
	"testing"
	"time"

	"servery/internal/plan"
)

// TestDateForms asks with If-Modified-Since: 304 says that the field was read as a date
// that is not before that of the file, 200 that it is earlier or no date. All three
// forms of RFC 9110, section 5.6.7, are dates.
func TestDateForms(t *testing.T) {
	at := func(year int) time.Time { return time.Date(year, time.March, 1, 12, 0, 0, 0, time.UTC) }
	tests := []struct {
		lines         []string
		modified, now time.Time
		want          int
		reason        string
	}{
		{[]string{"Fri, 01 Mar 2024 12:00:00 GMT"}, at(2024), at(2026), 304, "IMF-fixdate"},
		{[]string{"Friday, 01-Mar-24 12:00:00 GMT"}, at(2024), at(2026), 304, "the form of RFC 850"},
		{[]string{"Fri Mar  1 12:00:00 2024"}, at(2024), at(2026), 304, "the form of asctime"},
		{[]string{"Fri, 01 Mar 2024 11:59:59 GMT"}, at(2024), at(2026), 200, "IMF-fixdate, a second before"},
		{[]string{"Friday, 01-Mar-24 11:59:59 GMT"}, at(2024), at(2026), 200, "RFC 850, a second before"},
		{[]string{"Fri Mar  1 11:59:59 2024"}, at(2024), at(2026), 200, "asctime, a second before"},
		{[]string{"Fri, 01 Mar 2024 12:00:00 EST"}, at(2024), at(2026), 200, "no other zone than GMT"},
		{[]string{"Friday, 01-Mar-24 12:00:00 EST"}, at(2024), at(2026), 200, "no other zone in that form either"},
		{[]string{"2024-03-01T12:00:00Z"}, at(2024), at(2026), 200, "a date of another standard"},
		{[]string{"Fri, 30 Feb 2024 12:00:00 GMT"}, at(2024), at(2026), 200, "no such day"},
		{[]string{""}, at(2024), at(2026), 200, "nothing"},
		{[]string{"Fri, 01 Mar 2024 12:00:00 GMT", "Fri, 01 Mar 2024 12:00:00 GMT"}, at(2024), at(2026), 200, "two dates are none"},
		{[]string{"Sunday, 01-Mar-76 12:00:00 GMT"}, at(2024), at(2026), 304, "exactly 50 years ahead: taken as it seems"},
		{[]string{"Sunday, 01-Mar-76 12:00:01 GMT"}, at(2024), at(2026), 200, "a second more: 1976 (RFC 9110, 5.6.7)"},
		{[]string{"Monday, 01-Mar-77 12:00:00 GMT"}, at(2024), at(2026), 200, "51 years ahead: 1977"},
		{[]string{"Saturday, 01-Mar-69 12:00:00 GMT"}, at(2024), at(2026), 304, "43 years ahead: 2069, where Go's time says 1969"},
		{[]string{"Wednesday, 01-Mar-00 12:00:00 GMT"}, at(1995), at(1999), 200, "99 years behind: 1900, which is the past"},
		{[]string{"Monday, 01-Mar-99 12:00:00 GMT"}, at(2024), at(2026), 200, "1999"},
		{[]string{"Monday, 01-Mar-99 12:00:00 GMT"}, at(1999), at(2026), 304, "1999 is when the file is of"},
	}
	for _, tt := range tests {
		facts := with(func(f *plan.Facts) { f.ETag, f.ModTime, f.Now = "", tt.modified, tt.now })
		got := plan.Decide(plan.Request{IfModifiedSince: tt.lines}, facts)
		if got.Status != tt.want {
			t.Errorf("%q for a file of %d in %d: %d, want %d: %s",
				tt.lines, tt.modified.Year(), tt.now.Year(), got.Status, tt.want, tt.reason)
		}
		// If-Unmodified-Since reads the same dates: what is earlier is 412, and what
		// is no date goes ahead.
		got = plan.Decide(plan.Request{IfUnmodifiedSince: tt.lines}, facts)
		if tt.want == 304 && got.Status != 200 {
			t.Errorf("If-Unmodified-Since %q: %d, want 200: %s", tt.lines, got.Status, tt.reason)
		}
	}
}

func TestIfRangeDate(t *testing.T) {
	const equal, zero = "Fri, 01 Mar 2024 12:00:00 GMT", "Mon, 01 Jan 0001 00:00:00 GMT"
	tests := []struct {
		lines  []string
		file   time.Time
		age    time.Duration
		want   int
		reason string
	}{
		{[]string{equal}, modified, time.Hour, 206, "the very date"},
		{[]string{equal}, modified, time.Second, 206, "a second before the answer"},
		{[]string{equal}, modified, 999 * time.Millisecond, 200, "within the second of the answer: weak (RFC 9110, 8.8.2.2)"},
		{[]string{equal}, modified, 0, 200, "at the moment of the answer"},
		{[]string{"Friday, 01-Mar-24 12:00:00 GMT"}, modified, time.Hour, 206, "the form of RFC 850"},
		{[]string{"Fri Mar  1 12:00:00 2024"}, modified, time.Hour, 206, "the form of asctime"},
		{[]string{"Fri, 01 Mar 2024 12:00:01 GMT"}, modified, time.Hour, 200, "later is not equal, whatever If-Modified-Since says"},
		{[]string{"Fri, 01 Mar 2024 11:59:59 GMT"}, modified, time.Hour, 200, "nor is earlier"},
		{[]string{equal, equal}, modified, time.Hour, 200, "two dates are none"},
		{[]string{""}, modified, time.Hour, 200, "nothing is no validator"},
		{[]string{equal}, never, time.Hour, 200, "the file has no date"},
		{[]string{zero}, never, time.Hour, 200, "the file has no date, which is not the first of all dates"},
	}
	for _, tt := range tests {
		facts := with(func(f *plan.Facts) { f.ModTime, f.Now = tt.file, modified.Add(tt.age) })
		got := plan.Decide(plan.Request{Range: []string{"bytes=0-0"}, IfRange: tt.lines}, facts)
		if got.Status != tt.want {
			t.Errorf("%q, %v later: %d, want %d: %s", tt.lines, tt.age, got.Status, tt.want, tt.reason)
		}
	}
}
