package accept

import "strings"

// MediaType returns the weight in thousandths that the lines of an Accept field (RFC 9110, section 12.5.1) give to a
// media type, which is in lower case, and whether a member names it instead of speaking for it by "*". An absent
// field accepts everything and names nothing.
//
// The most specific range counts, and of several that are alike the one with the greatest weight. Parameters other
// than "q" do not count: they ask for a variant, and the type is what there is.
func MediaType(lines []string, mediaType string) (weight int, named bool) {
	if len(lines) == 0 {
		return 1000, false
	}
	group, _, _ := strings.Cut(mediaType, "/")
	weights := [...]int{unnamed, unnamed, unnamed} // of */*, of group/*, of the type itself
	for _, line := range lines {
		for line != "" {
			var element string
			element, line = cutUnquoted(line, ',')
			name, parameters := cutUnquoted(element, ';')
			if i := specificity(trim(name), group, mediaType); i >= 0 {
				weights[i] = max(weights[i], weightAmong(parameters))
			}
		}
	}
	for i := len(weights) - 1; i >= 0; i-- {
		if weights[i] != unnamed {
			return weights[i], i == len(weights)-1
		}
	}
	return 0, false
}

// specificity returns the place of a range's weight, or a negative number if it does not speak for the type.
func specificity(name, group, mediaType string) int {
	switch {
	case equalFold(name, mediaType):
		return 2
	case len(name) == len(group)+2 && equalFold(name[:len(group)], group) && name[len(group):] == "/*":
		return 1
	case name == "*/*":
		return 0
	}
	return -1
}

// weightAmong returns the weight that is the first of the parameters called "q".
func weightAmong(parameters string) int {
	for parameters != "" {
		var parameter string
		parameter, parameters = cutUnquoted(parameters, ';')
		parameter = trim(parameter)
		if len(parameter) >= 2 && parameter[0]|0x20 == 'q' && parameter[1] == '=' {
			return member{parameters: parameter}.weight()
		}
	}
	return 1000
}

// cutUnquoted is strings.Cut at a separator that is not in a quoted string (RFC 9110, section 5.6.4). A string that is
// never closed goes to the end.
func cutUnquoted(s string, separator byte) (before, after string) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			quoted = !quoted
		case quoted && s[i] == '\\':
			i++
		case !quoted && s[i] == separator:
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}
