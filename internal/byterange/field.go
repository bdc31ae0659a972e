package byterange

// unit is the only range unit there is (RFC 9110, section 14.1.2).
const unit = "bytes"

// cutUnit returns the range-set of a field in bytes. Units are case-insensitive (RFC 9110, section 14.1), and no
// blanks stand between the unit and the equals sign.
func cutUnit(field string) (set string, ok bool) {
	if len(field) <= len(unit) || field[len(unit)] != '=' {
		return "", false
	}
	for i := range len(unit) {
		// Setting this bit of a byte gives a lower-case letter only for that letter in either case.
		if field[i]|0x20 != unit[i] {
			return "", false
		}
	}
	return field[len(unit)+1:], true
}

// count returns the number of members of set, or most+1 as soon as there are more than most.
func count(set string, most int) int {
	members := 0
	for set != "" && members <= most {
		var member string
		if member, set = next(set); member != "" {
			members++
		}
	}
	return members
}

// next returns the first member of set without the blanks around it, and what follows its comma. The member is ""
// where it is empty; a recipient must ignore those (RFC 9110, section 5.6.1.2).
func next(set string) (member, rest string) {
	for i := range len(set) {
		if set[i] == ',' {
			return trimBlanks(set[:i]), set[i+1:]
		}
	}
	return trimBlanks(set), ""
}

// trimBlanks returns s without the optional blanks around it (RFC 9110, section 5.6.3).
func trimBlanks(s string) string {
	for s != "" && isBlank(s[0]) {
		s = s[1:]
	}
	for s != "" && isBlank(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

func isBlank(c byte) bool {
	return c == ' ' || c == '\t'
}

// decimal is a number in digits without leading zeros; zero is "". The grammar sets no limit to a position (RFC
// 9110, section 14.1.2), and digits keep the order of two numbers that no integer type holds.
type decimal string

// parseDecimal reads s, which consists of digits only: no sign, no blanks. It reads "" as zero.
func parseDecimal(s string) (decimal, bool) {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return "", false
		}
	}
	for s != "" && s[0] == '0' {
		s = s[1:]
	}
	return decimal(s), true
}

// less reports whether d is the smaller number.
func (d decimal) less(o decimal) bool {
	if len(d) != len(o) {
		return len(d) < len(o)
	}
	return d < o
}

// atMost returns d, or limit where d is larger than it. No number wraps.
func (d decimal) atMost(limit int64) int64 {
	n := int64(0)
	for i := range len(d) {
		digit := int64(d[i] - '0')
		if n > (maxInt64-digit)/10 {
			return limit
		}
		n = n*10 + digit
	}
	return min(n, limit)
}

const maxInt64 = 1<<63 - 1

// appendDecimal appends the digits of n, which is not negative.
func appendDecimal(b []byte, n int64) []byte {
	if n >= 10 {
		b = appendDecimal(b, n/10)
	}
	return append(b, byte('0'+n%10))
}
