package accept

import "strings"

// member is an element of the list: a name and what follows its first semicolon. Both are without blanks around them.
type member struct{ name, parameters string }

// next returns the first member of list, which may be empty, and what follows its comma. There is nothing quoted in
// this field, so a comma always separates.
func next(list string) (member, string) {
	element, rest, _ := strings.Cut(list, ",")
	name, parameters, _ := strings.Cut(element, ";")
	return member{trim(name), trim(parameters)}, rest
}

// weight returns the member's weight in thousandths: 1000 where there is none, 0 where it is malformed (RFC 9110,
// section 12.4.2).
func (m member) weight() int {
	p := m.parameters
	if p == "" {
		return 1000
	}
	if len(p) < 3 || p[0]|0x20 != 'q' || p[1] != '=' {
		return 0
	}
	whole, fraction, _ := strings.Cut(p[2:], ".")
	thousandths, ok := parseFraction(fraction)
	switch {
	case !ok:
		return 0
	case whole == "0":
		return thousandths
	case whole == "1" && thousandths == 0:
		return 1000
	}
	return 0
}

// parseFraction reads up to three decimals as thousandths.
func parseFraction(decimals string) (int, bool) {
	if len(decimals) > 3 {
		return 0, false
	}
	thousandths := 0
	for i := range 3 {
		digit := byte('0')
		if i < len(decimals) {
			digit = decimals[i]
		}
		if digit < '0' || digit > '9' {
			return 0, false
		}
		thousandths = thousandths*10 + int(digit-'0')
	}
	return thousandths, true
}

func trim(s string) string { return strings.Trim(s, " \t") }

// equalFold compares without the case of ASCII letters. strings.EqualFold knows more letters than that: to it "zſtd",
// with a long s, is zstd.
func equalFold(name, lower string) bool {
	if len(name) != len(lower) {
		return false
	}
	for i := range len(name) {
		c := name[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}
