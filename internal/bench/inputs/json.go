package inputs

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

const (
	beginOfJSON = "["
	betweenJSON = "\"},\n"
	endOfJSON   = "\"}]\n"

	// longestItem is more bytes than an item has, unless it is the last one.
	longestItem = 300
)

// JSON returns an array of exactly size bytes, which is at least 200, such as a
// shop's interface would answer with: the same names in each item, and values that
// repeat as much as those of real ones do. It depends on nothing but its arguments.
// The note of the last item is as long as it takes to reach the size.
func JSON(size int, seed uint64) []byte {
	r := rand.New(rand.NewPCG(uint64(size), seed))
	text := make([]byte, 0, size)
	text = append(text, beginOfJSON...)
	for id := 1_000_000 + r.IntN(9_000); ; id += 1 + r.IntN(7) {
		text = append(text, item(r, id)...)
		if rest := size - len(text) - len(endOfJSON); rest < 2*longestItem {
			return append(append(text, words(r, rest)...), endOfJSON...)
		}
		text = append(append(text, words(r, 20+r.IntN(60))...), betweenJSON...)
	}
}

// item returns an item up to the beginning of its note.
func item(r *rand.Rand, id int) string {
	return fmt.Sprintf(`{"id":%d,"name":%q,"price":%d.%02d,"stock":%d,"new":%t,"changed":"2024-%02d-%02dT%02d:%02d:%02dZ","note":"`,
		id, pick(r)+" "+pick(r), r.IntN(900), 5*r.IntN(20), r.IntN(200), r.IntN(4) == 0,
		1+r.IntN(12), 1+r.IntN(28), r.IntN(24), r.IntN(60), r.IntN(60))
}

// words returns size bytes of words.
func words(r *rand.Rand, size int) string {
	var text strings.Builder
	for text.Len() < size {
		text.WriteString(pick(r) + " ")
	}
	return text.String()[:size]
}

func pick(r *rand.Rand) string { return vocabulary[r.IntN(len(vocabulary))] }

var vocabulary = strings.Fields(`walnut shelf with two drawers and brass handles for small
	rooms delivered in three parts oiled by hand linen curtain washed at forty degrees heavy
	cotton cushion filled again on request lamp of blown glass dimmed from any switch kettle
	stands on every stove whistles when it boils chair stacked up to six high carries more than
	a hundred kilograms green blue ivory charcoal sand narrow wide round folding outdoor table
	returned within thirty days spare screws are in the box please keep the leaflet`)
