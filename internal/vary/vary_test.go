package vary_test

import (
	"testing"

	"servery/internal/vary"
)

func TestMerge(t *testing.T) {
	for _, tt := range []struct {
		lines   []string
		want    string
		changed bool
		reason  string
	}{
		{nil, "Accept-Encoding", true, "there was none"},
		{[]string{"Origin"}, "Origin, Accept-Encoding", true, "another member stays"},
		{[]string{"Origin", "Cookie"}, "Origin, Cookie, Accept-Encoding", true, "all lines are one list"},
		{[]string{"accept-ENCODING"}, "", false, "names have no case"},
		{[]string{"Origin,\taccept-encoding ,Cookie"}, "", false, "blanks around members are optional"},
		{[]string{"Origin", "Accept-Encoding"}, "", false, "it is in another line"},
		{[]string{"*"}, "", false, "the star speaks for all"},
		{[]string{"Origin, *"}, "", false, "wherever it is"},
		{[]string{"X-Accept-Encoding"}, "X-Accept-Encoding, Accept-Encoding", true, "a part of a name is not the name"},
		{[]string{"", " , "}, "Accept-Encoding", true, "empty members are no beginning"},
	} {
		if got, changed := vary.Merge(tt.lines, "Accept-Encoding"); got != tt.want || changed != tt.changed {
			t.Errorf("Merge(%q) = %q, %t, want %q, %t: %s", tt.lines, got, changed, tt.want, tt.changed, tt.reason)
		}
	}
}
