// Package accept reads Accept-Encoding (RFC 9110, section 12.5.3), and of Accept what it says of one media type.
//
// All lines of the field are one list. Names and "q" are compared without case, blanks around them are optional, and
// empty members are skipped. Of several members with one name the first counts: the RFC gives no meaning to the
// others. A malformed weight counts as zero, so that what was not understood is not sent.
package accept

// Identity is the name of the absence of a coding.
const Identity = "identity"

// Order appends to dst the codings of offered, and [Identity], that the field's lines accept, the most wanted first,
// and returns it. Nothing appended means that nothing is acceptable.
//
// offered is in the server's order of preference, in lower case, without duplicates and without identity. It decides
// among equal weights. A coding that is neither named nor spoken for by "*" is not acceptable: RFC 9110 allows any
// coding where the field is absent, but who does not ask for one may not understand it. Identity needs no mention
// (section 12.5.3, rule 2) and comes after every coding then; where it is named, after those of the same weight.
//
// Up to 7 codings on offer nothing is allocated but the growth of dst.
func Order(dst, lines, offered []string) []string {
	if len(lines) == 0 {
		return append(dst, Identity) // who says nothing is asked about most often
	}
	var room [8]int
	weights := weigh(room[:0], lines, offered)
	for range weights {
		best := 0
		for i, weight := range weights {
			if weight > weights[best] {
				best = i
			}
		}
		switch {
		case weights[best] == 0:
			return dst
		case best < len(offered):
			dst = append(dst, offered[best])
		default:
			dst = append(dst, Identity)
		}
		weights[best] = 0
	}
	return dst
}

// IdentityAcceptable reports whether the field's lines let a response go out without a coding. They do unless
// identity is given the weight zero by its name, or by "*" where its name is not mentioned. An absent or empty field
// allows everything.
func IdentityAcceptable(lines []string) bool {
	var room [1]int
	return weigh(room[:0], lines, nil)[0] > 0
}

const (
	unnamed = -1 // no member speaks of it
	least   = 1  // the smallest weight that is acceptable, 0.001
)

// weigh appends to weights, which is empty, the weight of each coding of offered and then that of identity. Zero is
// not acceptable.
func weigh(weights []int, lines, offered []string) []int {
	for range len(offered) + 1 {
		weights = append(weights, unnamed)
	}
	others := unnamed
	for _, line := range lines {
		for line != "" {
			var m member
			m, line = next(line)
			slot := &others
			if m.name != "*" {
				slot = find(weights, offered, m.name)
			}
			if slot != nil && *slot == unnamed {
				*slot = m.weight()
			}
		}
	}
	return speakFor(weights, others)
}

// find returns the place of name's weight, or nil if it is neither on offer nor identity.
func find(weights []int, offered []string, name string) *int {
	// The old name is the same coding (RFC 9110, section 8.4.1.3).
	if equalFold(name, "x-gzip") {
		name = "gzip"
	}
	for i, coding := range offered {
		if equalFold(name, coding) {
			return &weights[i]
		}
	}
	if equalFold(name, Identity) {
		return &weights[len(offered)]
	}
	return nil
}

// speakFor gives what was not named the weight of the others, that of "*".
func speakFor(weights []int, others int) []int {
	last := len(weights) - 1
	for i := range last {
		if weights[i] == unnamed {
			weights[i] = max(others, 0)
		}
	}
	// "*" can refuse identity, but not prefer it to a coding: the client has not asked for it by its name.
	if weights[last] == unnamed {
		weights[last] = least
		if others == 0 {
			weights[last] = 0
		}
	}
	return weights
}
