package byterange_test

import (
	"slices"
	"strings"
	"testing"

	"servery/internal/byterange"
)

const (
	whole         = byterange.Whole
	partial       = byterange.Partial
	unsatisfiable = byterange.Unsatisfiable

	maxInt64 = 1<<63 - 1
)

type ranges = []byterange.Range

// Units, forms and what they stand for are those of RFC 9110, sections 14.1, 14.1.1 and
// 14.1.2.
func TestParseOne(t *testing.T) {
	tests := []struct {
		field   string
		size    int64
		want    ranges
		verdict byterange.Verdict
		reason  string
	}{
		{"bytes=0-1", 10, ranges{{0, 2}}, partial, "both ends count"},
		{"bytes=0-0", 10, ranges{{0, 1}}, partial, "the shortest range has one byte"},
		{"bytes=3-", 10, ranges{{3, 7}}, partial, "open: up to the end"},
		{"bytes=9-", 10, ranges{{9, 1}}, partial, "the last byte"},
		{"bytes=0-9", 10, ranges{{0, 10}}, partial, "everything is a range as well"},
		{"bytes=0-10", 10, ranges{{0, 10}}, partial, "an end beyond the end is clipped"},
		{"bytes=-3", 10, ranges{{7, 3}}, partial, "suffix"},
		{"bytes=-10", 10, ranges{{0, 10}}, partial, "a suffix as long as the file"},
		{"bytes=-11", 10, ranges{{0, 10}}, partial, "a longer one is the entire file"},
		{"BYTES=0-1", 10, ranges{{0, 2}}, partial, "units are case-insensitive"},
		{"\t bytes=\t0-1 \t", 10, ranges{{0, 2}}, partial, "blanks around the member and the field"},
		{"bytes=007-08", 10, ranges{{7, 2}}, partial, "leading zeros, not octal"},

		{"bytes=10-", 10, nil, unsatisfiable, "a start at the end"},
		{"bytes=10-11", 10, nil, unsatisfiable, "both beyond the end"},
		{"bytes=-0", 10, nil, unsatisfiable, "no byte at all"},
		{"bytes=-00", 10, nil, unsatisfiable, "no byte at all, at length"},

		{"bytes=0-0", 0, nil, whole, "an empty file is answered with 200"},
		{"bytes=-1", 0, nil, whole, "an empty file, suffix"},
		{"bytes=5-", 0, nil, whole, "an empty file, beyond its end"},

		{"", 10, nil, whole, "no unit"},
		{"bytes", 10, nil, whole, "no equals sign"},
		{"bytes=", 10, nil, whole, "no member"},
		{"lines=0-1", 10, nil, whole, "an unknown unit"},
		{"byte=0-1", 10, nil, whole, "the beginning of the unit"},
		{"bytesx=0-1", 10, nil, whole, "a longer unit"},
		{"bytes =0-1", 10, nil, whole, "a blank before the equals sign"},
		{"b\x59tes\x1d0-1", 10, nil, whole, "a byte that differs from the equals sign in one bit"},
		{"0-1", 10, nil, whole, "a range without a unit"},
		{"bytes=5-2", 10, nil, whole, "inverted"},
		{"bytes=50-20", 10, nil, whole, "inverted, both beyond the end"},
		{"bytes=-", 10, nil, whole, "neither end"},
		{"bytes=5", 10, nil, whole, "no dash"},
		{"bytes=--5", 10, nil, whole, "a negative suffix"},
		{"bytes=1-2-3", 10, nil, whole, "two dashes"},
		{"bytes=+1-2", 10, nil, whole, "a sign before the first position"},
		{"bytes=1-+2", 10, nil, whole, "a sign before the last position"},
		{"bytes=1 -2", 10, nil, whole, "a blank before the dash"},
		{"bytes=1- 2", 10, nil, whole, "a blank after the dash"},
		{"bytes=- 2", 10, nil, whole, "a blank in a suffix"},
		{"bytes=0x1-2", 10, nil, whole, "hexadecimal"},
		{"bytes=1_0-20", 10, nil, whole, "a digit separator"},
		{"bytes=a-b", 10, nil, whole, "letters"},
		{"bytes=\u0661-2", 10, nil, whole, "a digit that is not ASCII"},
		{"bytes=*", 10, nil, whole, "any is for answers"},
		{"bytes=0-1\r", 10, nil, whole, "a line break is not a blank"},
	}
	for _, tt := range tests {
		got, verdict := byterange.Parse([]string{tt.field}, tt.size, 16)
		if !slices.Equal(got, tt.want) || verdict != tt.verdict {
			t.Errorf("Parse(%q, %d) = %v, %d, want %v, %d: %s", tt.field, tt.size, got, verdict, tt.want, tt.verdict, tt.reason)
		}
	}
}

func TestParseBeyondInt64(t *testing.T) {
	const (
		huge   = "99999999999999999999"
		larger = "100000000000000000000"
		zeros  = "00000000000000000000000"
	)
	tests := []struct {
		field   string
		size    int64
		want    ranges
		verdict byterange.Verdict
		reason  string
	}{
		{"bytes=0-" + huge, 10, ranges{{0, 10}}, partial, "an end is clipped"},
		{"bytes=-" + huge, 10, ranges{{0, 10}}, partial, "a suffix is the entire file"},
		{"bytes=" + huge + "-", 10, nil, unsatisfiable, "a start is beyond the end"},
		{"bytes=" + huge + "-" + huge, 10, nil, unsatisfiable, "equal ends are not inverted"},
		{"bytes=" + huge + "-" + larger, 10, nil, unsatisfiable, "two numbers in order"},
		{"bytes=" + larger + "-" + huge, 10, nil, whole, "two numbers inverted by their length"},
		{"bytes=" + huge + "-99999999999999999998", 10, nil, whole, "two numbers inverted by their last digit"},
		{"bytes=" + huge + "-5", 10, nil, whole, "inverted although one is beyond int64"},
		{"bytes=" + zeros + "5-" + zeros + "4", 10, nil, whole, "inverted behind zeros"},
		{"bytes=" + zeros + "5-6", 10, ranges{{5, 2}}, partial, "zeros make no number longer"},
		{"bytes=5-" + zeros + "6", 10, ranges{{5, 2}}, partial, "zeros make no number larger"},
		{"bytes=9-10", 20, ranges{{9, 2}}, partial, "numbers, not text, are compared"},
		{"bytes=0-9223372036854775808", maxInt64, ranges{{0, maxInt64}}, partial, "2^63 does not wrap to a negative end"},
		{"bytes=-9223372036854775809", 10, ranges{{0, 10}}, partial, "nor does a suffix of one more"},
		{"bytes=18446744073709551616-18446744073709551617", 10, nil, unsatisfiable, "2^64 does not wrap to 0"},
		{"bytes=-18446744073709551616", 10, ranges{{0, 10}}, partial, "a suffix of 2^64 does not wrap to 0"},
		{"bytes=9223372036854775807-", maxInt64, nil, unsatisfiable, "the largest int64 is the end of the largest file"},
		{"bytes=9223372036854775808-", maxInt64, nil, unsatisfiable, "one more is beyond it"},
		{"bytes=9223372036854775806-", maxInt64, ranges{{maxInt64 - 1, 1}}, partial, "the last byte of the largest file"},
		{"bytes=0-9223372036854775807", maxInt64, ranges{{0, maxInt64}}, partial, "the length of the largest file does not wrap"},
		{"bytes=0-0,-9223372036854775807", maxInt64, nil, whole, "the sum does not wrap"},
	}
	for _, tt := range tests {
		got, verdict := byterange.Parse([]string{tt.field}, tt.size, 16)
		if !slices.Equal(got, tt.want) || verdict != tt.verdict {
			t.Errorf("Parse(%q, %d) = %v, %d, want %v, %d: %s", tt.field, tt.size, got, verdict, tt.want, tt.verdict, tt.reason)
		}
	}
}

// Many small ranges cost more than they are worth (RFC 9110, section 17.15).
func TestParseSeveral(t *testing.T) {
	tests := []struct {
		lines   []string
		most    int
		want    ranges
		verdict byterange.Verdict
		reason  string
	}{
		{[]string{"bytes=0-0,-1"}, 4, ranges{{0, 1}, {9, 1}}, partial, "two members"},
		{[]string{"bytes=5-6,0-1"}, 4, ranges{{5, 2}, {0, 2}}, partial, "in the order asked"},
		{[]string{"bytes=0-1,2-3"}, 4, ranges{{0, 2}, {2, 2}}, partial, "neighbours are not merged"},
		{[]string{"bytes=0-2,1-3"}, 4, ranges{{0, 3}, {1, 3}}, partial, "overlaps are not merged"},
		{[]string{"bytes=,0-0 ,\t, 1-1,"}, 2, ranges{{0, 1}, {1, 1}}, partial, "empty members are skipped and not counted"},
		{[]string{"bytes=0-0,20-30,99-,-0"}, 4, ranges{{0, 1}}, partial, "members beyond the end are dropped"},
		{[]string{"bytes=20-30,-0"}, 4, nil, unsatisfiable, "no member is satisfiable"},
		{[]string{"bytes=0-4,5-9"}, 4, ranges{{0, 5}, {5, 5}}, partial, "a sum that is the size"},
		{[]string{"bytes=0-4,4-9"}, 4, nil, whole, "a sum above the size"},
		{[]string{"bytes=0-,0-0"}, 4, nil, whole, "a sum above the size by one byte"},
		{[]string{"bytes=0-9,10-99"}, 4, ranges{{0, 10}}, partial, "an unsatisfiable member adds nothing to the sum"},
		{[]string{"bytes=0-0,1-1"}, 2, ranges{{0, 1}, {1, 1}}, partial, "as many as are allowed"},
		{[]string{"bytes=0-0,1-1,2-2"}, 2, nil, whole, "one too many"},
		{[]string{"bytes=0-0,98-99,99-99"}, 2, nil, whole, "members are counted before they are dropped"},
		{[]string{"bytes=98-98,99-99,100-100"}, 2, nil, whole, "too many, even if none is satisfiable"},
		{[]string{"bytes=0-0"}, 0, nil, whole, "no range is allowed"},
		{[]string{"bytes=0-0"}, -1, nil, whole, "fewer than none"},
		{[]string{"bytes=0-0,5-2"}, 4, nil, whole, "an inverted member spoils the field"},
		{[]string{"bytes=0-0,x"}, 4, nil, whole, "so does a malformed one"},
		{[]string{"bytes=99-,x"}, 4, nil, whole, "which weighs more than an unsatisfiable one"},
		{[]string{"bytes=0-0;1-1"}, 4, nil, whole, "a semicolon separates nothing"},
		{[]string{"bytes=0-0 1-1"}, 4, nil, whole, "nor does a blank"},
		{[]string{"bytes= , ,"}, 4, nil, whole, "no member but empty ones"},
		{nil, 4, nil, whole, "no line"},
		{[]string{"bytes=0-0", "bytes=1-1"}, 4, nil, whole, "Range is not a list field"},
		{[]string{"bytes=0-0", "1-1"}, 4, nil, whole, "nor is the second line part of the set"},
	}
	for _, tt := range tests {
		got, verdict := byterange.Parse(tt.lines, 10, tt.most)
		if !slices.Equal(got, tt.want) || verdict != tt.verdict {
			t.Errorf("Parse(%q, 10, %d) = %v, %d, want %v, %d: %s", tt.lines, tt.most, got, verdict, tt.want, tt.verdict, tt.reason)
		}
	}
}

// Fields of this length take milliseconds in linear time and minutes in quadratic time, so that the test needs no
// clock: it would not end.
func TestLongFieldsCostLittle(t *testing.T) {
	const repeats = 1 << 20
	tests := []struct {
		field   string
		verdict byterange.Verdict
		allocs  float64
		reason  string
	}{
		{strings.Repeat("0-0,", repeats), whole, 0, "too many members allocate no range"},
		{strings.Repeat(",", repeats), whole, 0, "empty members"},
		{strings.Repeat(",", repeats) + "0-0", partial, 1, "empty members before one"},
		{"0-0" + strings.Repeat(" ,\t", repeats), partial, 1, "empty members after one"},
		{strings.Repeat(" ", repeats) + "0-0", partial, 1, "blanks"},
		{strings.Repeat(" ", repeats) + "x", whole, 1, "blanks and something else"},
		{strings.Repeat("-", repeats), whole, 1, "dashes"},
		{strings.Repeat("9", repeats) + "-", unsatisfiable, 1, "a long number"},
		{"0-" + strings.Repeat("9", repeats), partial, 1, "a long end"},
		{strings.Repeat("0", repeats) + "-" + strings.Repeat("0", repeats), partial, 1, "zeros"},
	}
	for _, tt := range tests {
		lines := []string{"bytes=" + tt.field}
		allocs := testing.AllocsPerRun(3, func() {
			got, verdict := byterange.Parse(lines, 1000, 16)
			if verdict != tt.verdict || cap(got) > 16 {
				t.Errorf("%s: room for %d ranges, verdict %d, want %d", tt.reason, cap(got), verdict, tt.verdict)
			}
		})
		if allocs > tt.allocs {
			t.Errorf("%s: %v allocations, want at most %v", tt.reason, allocs, tt.allocs)
		}
	}
}
