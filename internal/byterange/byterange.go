// Package byterange decides which bytes a Range field asks for (RFC 9110, section 14), and writes the fields and the
// framing of the answer.
//
// The field comes from anyone: every decision takes time linear in its length, and memory that the caller bounds.
// The package imports nothing.
package byterange

// Range is a satisfiable extent of a representation, in bytes: 0 <= Start, 0 < Length, and Start+Length is at most
// the size of the representation.
type Range struct{ Start, Length int64 }

// Extent is all of a representation: its length as the field says it, and the one range that it is, or none. It is made
// once for any number of answers, and never changes.
type Extent struct {
	Length string
	Ranges []Range
}

// ExtentOf returns the extent of a representation of size bytes.
func ExtentOf(size int64) Extent {
	var room [20]byte
	e := Extent{Length: string(appendDecimal(room[:0], size))}
	if size > 0 {
		e.Ranges = []Range{{0, size}}
	}
	return e
}

// Verdict says how a request with a Range field is to be answered.
type Verdict uint8

const (
	// Whole: the field is not in force, answer 200 with the entire representation. A server may always ignore a
	// Range field (RFC 9110, section 14.2), which makes this the answer to everything that is not understood.
	Whole Verdict = iota
	// Partial: answer 206 with the ranges.
	Partial
	// Unsatisfiable: answer 416 (RFC 9110, section 15.5.17) with [Unsatisfied] as Content-Range.
	Unsatisfiable
)

// Parse reads the lines of a Range field against a representation of size bytes. The ranges come in the order asked
// and are not merged; there is at least one where the verdict is Partial, and none otherwise.
//
// The field is ignored as a whole where any member is malformed or inverted, where it has more than most members, and
// where it asks for more bytes in sum than the representation has: such a request costs more than the full answer
// does (RFC 9110, section 17.15). It is ignored for an empty representation, too, which no range can satisfy although
// a client that resumes a download has done nothing wrong.
//
// Otherwise members that lie beyond the end are dropped, unless all do.
func Parse(lines []string, size int64, most int) ([]Range, Verdict) {
	// Range is not a list field, so that several lines are not one field (RFC 9110, section 5.3).
	if len(lines) != 1 || size <= 0 {
		return nil, Whole
	}
	set, ok := cutUnit(trimBlanks(lines[0]))
	if !ok {
		return nil, Whole
	}
	members := count(set, most)
	if members == 0 || members > most {
		return nil, Whole
	}
	ranges, ok := collect(make([]Range, 0, members), set, size)
	switch {
	case !ok:
		return nil, Whole
	case len(ranges) == 0:
		return nil, Unsatisfiable
	}
	return ranges, Partial
}

// collect appends the satisfiable members of set to ranges. It reports false where a member is not a range, or where
// the sum exceeds size.
func collect(ranges []Range, set string, size int64) ([]Range, bool) {
	left := size
	for set != "" {
		var member string
		if member, set = next(set); member == "" {
			continue
		}
		r, ok := resolve(member, size)
		if !ok || r.Length > left {
			return nil, false
		}
		left -= r.Length
		if r.Length > 0 {
			ranges = append(ranges, r)
		}
	}
	return ranges, true
}

// resolve reads one member, `first-last`, `first-` or `-length`, and clips it to size. It reports false where the
// member is malformed or inverted; a Length of 0 says that it is unsatisfiable.
func resolve(member string, size int64) (Range, bool) {
	dash := 0
	for dash < len(member) && member[dash] != '-' {
		dash++
	}
	if dash == len(member) || len(member) == 1 {
		return Range{}, false
	}
	open := dash == len(member)-1
	first, ok1 := parseDecimal(member[:dash])
	last, ok2 := parseDecimal(member[dash+1:])
	switch {
	case !ok1 || !ok2:
		return Range{}, false
	case dash == 0:
		length := last.atMost(size)
		return Range{size - length, length}, true
	case open:
		start := first.atMost(size)
		return Range{start, size - start}, true
	case last.less(first):
		return Range{}, false
	}
	// A start at or beyond the end becomes size, and so does the byte after its end, which is not before it.
	start, end := first.atMost(size), last.atMost(size-1)+1
	return Range{start, end - start}, true
}
