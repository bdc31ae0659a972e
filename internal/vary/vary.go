// Package vary merges members into the Vary field (RFC 9110, section 12.5.5).
package vary

import "strings"

// Merge returns the field's lines as one line that has the member name as well, and
// whether that is any different from what was there: with name in it already, or "*",
// which speaks for all names, it is not.
func Merge(lines []string, name string) (string, bool) {
	for _, line := range lines {
		for member := range strings.SplitSeq(line, ",") {
			member = strings.Trim(member, " \t")
			if member == "*" || strings.EqualFold(member, name) {
				return "", false
			}
		}
	}
	list := strings.Join(lines, ", ")
	if strings.Trim(list, ", \t") == "" {
		return name, true // a list is not to begin with an empty member (RFC 9110, section 5.6.1.1)
	}
	return list + ", " + name, true
}
