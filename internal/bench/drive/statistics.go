package drive

import "slices"

// rotate returns the elements in an order that starts round places further on,
// so that none always runs after the same quiet or busy neighbour.
func rotate[T any](all []T, round int) []T {
	if len(all) == 0 {
		return nil
	}
	first := round % len(all)
	return slices.Concat(all[first:], all[:first])
}

// median returns the middle of the values, the mean of both middles of an even
// number, and 0 of none.
func median[T ~int64 | ~float64](values []T) T {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// A spread is a median with the extremes beside it.
type spread struct {
	median, min, max float64
}

// spreadOf needs at least one value.
func spreadOf(values []float64) spread {
	return spread{median: median(values), min: slices.Min(values), max: slices.Max(values)}
}

// collect maps the elements, in their order.
func collect[T, V any](all []T, f func(T) V) []V {
	values := make([]V, 0, len(all))
	for _, each := range all {
		values = append(values, f(each))
	}
	return values
}
