// Package digest reads Want-Repr-Digest and writes Repr-Digest (RFC 9530).
package digest

import (
	"encoding/base64"
	"strings"
)

// Algorithm is one of those that RFC 9530, section 5, calls active. The others are not
// safe, or nobody's.
type Algorithm int

const (
	None Algorithm = iota
	SHA256
	SHA512
)

// names are the keys of the algorithms, as the registry has them.
var names = [...]string{SHA256: "sha-256", SHA512: "sha-512"}

// mostWanted is the largest weight; 0 says that an algorithm is not acceptable (RFC
// 9530, section 4).
const mostWanted = 10

// Wanted returns the algorithm that the lines of Want-Repr-Digest give the largest
// weight. Of two with one weight it is sha-256, which is as good as the other here and
// shorter. One answer is enough: RFC 9530, section 4, speaks of preference, not of a
// list to work off.
//
// The field is a dictionary (RFC 9651, section 3.2). If it is malformed anywhere, all of
// it is ignored (section 4.2). A member that is well-formed and makes no sense, being
// unknown, no integer or out of range, is ignored alone; parameters are ignored; of
// several with one key the last counts (section 4.2.2).
func Wanted(lines []string) Algorithm {
	if len(lines) == 0 {
		return None
	}
	var weights [len(names)]int
	p := parser{strings.Join(lines, ",")}
	ok := p.dictionary(func(key string, weight int) {
		for a := SHA256; int(a) < len(names); a++ {
			if key == names[a] {
				weights[a] = weight
			}
		}
	})
	best := None
	for a := SHA256; ok && int(a) < len(names); a++ {
		if weights[a] > weights[best] && weights[a] <= mostWanted {
			best = a
		}
	}
	return best
}

// Field is the value of Repr-Digest that says one digest: a byte sequence of structured
// fields (RFC 9651, section 3.3.5) under the algorithm's key.
func Field(a Algorithm, sum []byte) string {
	return names[a] + "=:" + base64.StdEncoding.EncodeToString(sum) + ":"
}
