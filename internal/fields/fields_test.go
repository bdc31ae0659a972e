package fields_test

import (
	"net/http"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servery/internal/fields"
)

func TestVary(t *testing.T) {
	const name = "Accept-Encoding"
	for _, tt := range []struct {
		lines, want []string
		reason      string
	}{
		{nil, []string{name}, "there was none"},
		{[]string{"Origin"}, []string{"Origin, " + name}, "another member stays"},
		{[]string{"Origin", "Cookie"}, []string{"Origin, Cookie, " + name}, "all lines are one list"},
		{[]string{"accept-ENCODING"}, []string{"accept-ENCODING"}, "names have no case"},
		{[]string{"Origin,\taccept-encoding ,Cookie"}, []string{"Origin,\taccept-encoding ,Cookie"}, "blanks are optional"},
		{[]string{"Origin", name}, []string{"Origin", name}, "it is in another line"},
		{[]string{"*"}, []string{"*"}, "the star speaks for all"},
		{[]string{"Origin, *"}, []string{"Origin, *"}, "wherever it is"},
		{[]string{"X-" + name}, []string{"X-" + name + ", " + name}, "a part of a name is not the name"},
		{[]string{"", " , "}, []string{name}, "empty members are no beginning"},
	} {
		h := http.Header{"Vary": tt.lines}
		s := fields.New(h, 1)
		s.Vary(name, nil)
		if diff := cmp.Diff(tt.want, h["Vary"]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
	}
}

func TestSet(t *testing.T) {
	h := http.Header{"Old": {"x", "y"}, "Kept": {"x"}, "Gone": {"x"}}
	s := fields.New(h, 1)
	s.Set("Old", "z")
	s.Set("Gone", "")
	s.SetIfAny("Kept", "")
	s.SetIfAny("New", "n")
	if diff := cmp.Diff(http.Header{"Old": {"z"}, "Kept": {"x"}, "New": {"n"}}, h); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// More values than were expected have room as well, and no value is another's room.
func TestValuesAreApart(t *testing.T) {
	h := make(http.Header)
	s := fields.New(h, 2)
	for i := range 9 {
		s.Set(strconv.Itoa(i), "value "+strconv.Itoa(i))
	}
	for i := range 9 {
		h[strconv.Itoa(i)] = append(h[strconv.Itoa(i)], "appended")
	}
	for i := range 9 {
		if got := h[strconv.Itoa(i)]; got[0] != "value "+strconv.Itoa(i) || len(got) != 2 {
			t.Errorf("%d: got %q", i, got)
		}
	}
}

func TestReady(t *testing.T) {
	for _, tt := range []struct {
		value  string
		ready  []string
		shared bool
		want   []string
		reason string
	}{
		{"a", []string{"a", "spare"}[:1], true, []string{"a"}, "it holds the value"},
		{"b", []string{"a"}, false, []string{"b"}, "it holds another, made ready for another answer or written into"},
		{"a", []string{"a", "a"}, false, []string{"a"}, "it holds more"},
		{"a", nil, false, []string{"a"}, "nothing is ready"},
		{"", []string{""}, false, nil, "no value is no field"},
	} {
		h := http.Header{"Vary": nil, "Name": {"old"}}
		s := fields.New(h, 1)
		s.SetReady("Name", tt.value, tt.ready)
		if tt.value != "" {
			s.Vary(tt.value, tt.ready)
		}
		for _, name := range []string{"Name", "Vary"} {
			got := h[name]
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", tt.reason, name, diff)
			}
			if shared := len(got) > 0 && len(tt.ready) > 0 && &got[0] == &tt.ready[0]; shared != tt.shared || cap(got) > 1 {
				t.Errorf("%s, %s: shared %t with room for %d", tt.reason, name, shared, cap(got))
			}
		}
	}
}

func TestValuesShareOneAllocation(t *testing.T) {
	h := http.Header{"A": nil, "B": nil, "C": nil}
	allocs := testing.AllocsPerRun(100, func() {
		s := fields.New(h, 3)
		s.Set("A", "a")
		s.Set("B", "b")
		s.Set("C", "c")
	})
	if allocs != 1 {
		t.Errorf("%v allocations", allocs)
	}
}
