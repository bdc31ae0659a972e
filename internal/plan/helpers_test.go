package plan_test

import (
	"reflect"
	"strconv"
	"time"

	"servery/internal/byterange"
	"servery/internal/plan"
)

var never time.Time

// with returns the facts of a text file after a change.
func with(change func(*plan.Facts)) plan.Facts {
	f := text()
	change(&f)
	return f
}

func length(s string) string { return strconv.Itoa(len(s)) }

func equal(a, b plan.Plan) bool { return reflect.DeepEqual(a, b) }

func extents(pairs ...int64) []byterange.Range {
	var list []byterange.Range
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, byterange.Range{Start: pairs[i], Length: pairs[i+1]})
	}
	return list
}
