// Package accept reads Accept-Encoding (RFC 9110, section 12.5.3).
package accept

import "strings"

// IdentityAcceptable reports whether the field's lines, one list together, let a
// response go out without a coding. They do unless identity is given the weight
// zero by its name, or by "*" where its name is not mentioned. A malformed
// weight counts as zero. An absent or empty field allows everything.
func IdentityAcceptable(lines []string) bool {
	others := true
	for _, line := range lines {
		for line != "" {
			var member string
			member, line, _ = strings.Cut(line, ",")
			coding, weight, _ := strings.Cut(member, ";")
			switch coding = trim(coding); {
			case strings.EqualFold(coding, "identity"):
				return positive(weight)
			case coding == "*":
				others = positive(weight)
			}
		}
	}
	return others
}

// positive reports whether what follows a member's first semicolon is a weight
// above zero: nothing at all, or "q=" and a qvalue (RFC 9110, section 12.4.2).
func positive(weight string) bool {
	weight = trim(weight)
	if weight == "" {
		return true
	}
	if len(weight) < 3 || weight[0]|0x20 != 'q' || weight[1] != '=' {
		return false
	}
	whole, fraction, _ := strings.Cut(weight[2:], ".")
	if len(whole) != 1 || len(fraction) > 3 || strings.Trim(fraction, "0123456789") != "" {
		return false
	}
	zeros := strings.Trim(fraction, "0") == ""
	return whole == "1" && zeros || whole == "0" && !zeros
}

func trim(s string) string { return strings.Trim(s, " \t") }
