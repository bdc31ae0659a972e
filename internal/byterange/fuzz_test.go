package byterange_test

import (
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"

	"servery/internal/byterange"
)

var (
	oracleField  = regexp.MustCompile(`^[ \t]*(?i:bytes)=([^\n]*)$`)
	oracleMember = regexp.MustCompile(`^[ \t]*([0-9]*)-([0-9]*)[ \t]*$`)
)

// oracle reads the field slowly, with numbers of any size and every member in memory.
func oracle(lines []string, size int64, most int) (ranges, byterange.Verdict) {
	if len(lines) != 1 || size <= 0 {
		return nil, whole
	}
	field := oracleField.FindStringSubmatch(lines[0])
	if field == nil {
		return nil, whole
	}
	members := slices.DeleteFunc(strings.Split(field[1], ","), func(m string) bool {
		return strings.Trim(m, " \t") == ""
	})
	if len(members) == 0 || len(members) > most {
		return nil, whole
	}
	var got ranges
	sum := new(big.Int)
	for _, member := range members {
		start, end, ok := oracleExtent(member, big.NewInt(size))
		if !ok {
			return nil, whole
		}
		if length := new(big.Int).Sub(end, start); length.Sign() > 0 {
			sum.Add(sum, length)
			got = append(got, byterange.Range{Start: start.Int64(), Length: length.Int64()})
		}
	}
	switch {
	case sum.Cmp(big.NewInt(size)) > 0:
		return nil, whole
	case got == nil:
		return nil, unsatisfiable
	}
	return got, partial
}

// oracleExtent returns the extent of a member, clipped to size. It is not positive where the member is unsatisfiable.
func oracleExtent(member string, size *big.Int) (start, end *big.Int, ok bool) {
	m := oracleMember.FindStringSubmatch(member)
	if m == nil || m[1]+m[2] == "" {
		return nil, nil, false
	}
	first, _ := new(big.Int).SetString("0"+m[1], 10)
	last, _ := new(big.Int).SetString("0"+m[2], 10)
	switch {
	case m[1] == "":
		if last.Cmp(size) > 0 {
			last = size
		}
		return new(big.Int).Sub(size, last), size, true
	case m[2] == "":
		return first, size, true
	case first.Cmp(last) > 0:
		return nil, nil, false
	}
	if end = last.Add(last, big.NewInt(1)); end.Cmp(size) > 0 {
		end = size
	}
	return first, end, true
}

// FuzzParse checks the lines of field against the oracle, and the arithmetic of the answer against an assembled one.
func FuzzParse(f *testing.F) {
	f.Fuzz(func(t *testing.T, field string, size int64, most int) {
		lines := strings.Split(field, "\n")
		got, verdict := byterange.Parse(lines, size, most)
		want, wantVerdict := oracle(lines, size, most)
		if !slices.Equal(got, want) || verdict != wantVerdict {
			t.Fatalf("Parse(%q, %d, %d) = %v, %d, want %v, %d", lines, size, most, got, verdict, want, wantVerdict)
		}
		if verdict == partial {
			checkLength(t, got, size)
		}
	})
}

// checkLength assembles a body where it is short, and adds up its parts in numbers of any size where it is not.
func checkLength(t *testing.T, asked ranges, size int64) {
	const boundary, contentType = "boundary", "text/plain"
	got := byterange.MultipartLength(boundary, contentType, asked, size)
	if size <= 1<<16 {
		body := assemble(boundary, contentType, asked, strings.Repeat("x", int(size)))
		if got != int64(len(body)) {
			t.Errorf("MultipartLength(%v, %d) = %d, want %d", asked, size, got, len(body))
		}
		return
	}
	want := big.NewInt(int64(len(byterange.Closing(boundary))))
	for i, r := range asked {
		want.Add(want, big.NewInt(int64(len(byterange.PartHeader(boundary, contentType, r, size, i == 0)))))
		want.Add(want, big.NewInt(r.Length))
	}
	if !want.IsInt64() {
		want.SetInt64(-1)
	}
	if want.Int64() != got {
		t.Errorf("MultipartLength(%v, %d) = %d, want %d", asked, size, got, want)
	}
}
