package drive

import (
	"slices"
	"testing"
	"time"
)

func TestRotate(t *testing.T) {
	tests := []struct {
		round int
		want  []string
	}{
		{0, []string{"a", "b", "c"}},
		{1, []string{"b", "c", "a"}},
		{2, []string{"c", "a", "b"}},
		{3, []string{"a", "b", "c"}},
	}
	all := []string{"a", "b", "c"}
	for _, test := range tests {
		if got := rotate(all, test.round); !slices.Equal(got, test.want) {
			t.Errorf("round %d: got %q, want %q", test.round, got, test.want)
		}
	}
	if !slices.Equal(all, []string{"a", "b", "c"}) {
		t.Errorf("rotate changed its argument to %q", all)
	}
	if got := rotate([]string(nil), 1); len(got) != 0 {
		t.Errorf("rotate of nothing = %q", got)
	}
}

func TestMedian(t *testing.T) {
	tests := []struct {
		values []float64
		want   float64
		reason string
	}{
		{[]float64{3, 1, 2}, 2, "the middle of the sorted values"},
		{[]float64{4, 1, 3, 2}, 2.5, "the mean of both middles"},
		{[]float64{7}, 7, "one value is its own median"},
		{nil, 0, "nothing has none"},
	}
	for _, test := range tests {
		before := slices.Clone(test.values)
		if got := median(test.values); got != test.want {
			t.Errorf("median(%v) = %v, want %v: %s", before, got, test.want, test.reason)
		}
		if !slices.Equal(before, test.values) {
			t.Errorf("median changed its argument from %v to %v", before, test.values)
		}
	}
	if got := median([]time.Duration{4, 1, 2}); got != 2 {
		t.Errorf("median of durations = %d, want 2", got)
	}
}

func TestSpreadOf(t *testing.T) {
	got, want := spreadOf([]float64{5, 1, 3}), spread{median: 3, min: 1, max: 5}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
