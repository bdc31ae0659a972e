package accept_test

import (
	"cmp"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"

	"servery/internal/accept"
)

// oracleWeight is what may follow a name, with the blanks that may be there.
var oracleWeight = regexp.MustCompile(`^(?:;[ \t]*(?:[qQ]=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)[ \t]*)?)?$`)

type wish struct {
	name   string
	weight *big.Rat
}

// oracle orders slowly: every member in memory, weights as fractions, and a stable sort.
func oracle(lines, offered []string) []string {
	asked := oracleWishes(strings.Join(lines, ","))
	var wishes []wish
	for _, name := range offered {
		if weight := cmp.Or(asked[name], asked["*"]); weight != nil {
			wishes = append(wishes, wish{name, weight})
		}
	}
	identity := asked["identity"]
	if identity == nil {
		identity = big.NewRat(1, 1_000_000) // below any weight that can be written
		if others := asked["*"]; others != nil && others.Sign() == 0 {
			identity = others
		}
	}
	wishes = append(wishes, wish{"identity", identity})
	wishes = slices.DeleteFunc(wishes, func(w wish) bool { return w.weight.Sign() == 0 })
	slices.SortStableFunc(wishes, func(a, b wish) int { return b.weight.Cmp(a.weight) })
	var names []string
	for _, w := range wishes {
		names = append(names, w.name)
	}
	return names
}

// oracleWishes returns the weight of each name that is mentioned.
func oracleWishes(list string) map[string]*big.Rat {
	asked := make(map[string]*big.Rat)
	for element := range strings.SplitSeq(list, ",") {
		end := strings.IndexByte(element+";", ';')
		name := lower(strings.Trim(element[:end], " \t"))
		if name == "x-gzip" {
			name = "gzip"
		}
		if asked[name] == nil {
			asked[name] = oracleRat(element[end:])
		}
	}
	return asked
}

func oracleRat(parameters string) *big.Rat {
	match := oracleWeight.FindStringSubmatch(parameters)
	switch {
	case match == nil:
		return new(big.Rat)
	case match[1] == "":
		return big.NewRat(1, 1)
	}
	weight, _ := new(big.Rat).SetString(match[1] + "0") // a point may end it, which SetString refuses
	if !strings.Contains(match[1], ".") {
		weight, _ = new(big.Rat).SetString(match[1])
	}
	return weight
}

// lower changes ASCII letters only.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if strings.IndexByte("ABCDEFGHIJKLMNOPQRSTUVWXYZ", c) >= 0 {
			b[i] = c - 'A' + 'a'
		}
	}
	return string(b)
}

// FuzzOrder checks the lines of field, among them unwanted ones, against the oracle. Both functions read alike.
func FuzzOrder(f *testing.F) {
	f.Fuzz(func(t *testing.T, field string) {
		lines := strings.Split(field, "\n")
		for _, offered := range [][]string{{"zstd", "br", "gzip"}, {"gzip", "zstd"}, nil} {
			got, want := accept.Order(nil, lines, offered), oracle(lines, offered)
			if !slices.Equal(got, want) {
				t.Errorf("Order(%q, %q) = %q, want %q", lines, offered, got, want)
			}
			if slices.Contains(got, accept.Identity) != accept.IdentityAcceptable(lines) {
				t.Errorf("IdentityAcceptable(%q) contradicts Order: %q", lines, got)
			}
		}
	})
}
