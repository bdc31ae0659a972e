package accept_test

import (
	"testing"

	"servery/internal/accept"
)

func TestIdentityAcceptable(t *testing.T) {
	for _, tt := range []struct {
		lines  []string
		want   bool
		reason string
	}{
		{nil, true, "no field: everything is acceptable"},
		{[]string{""}, true, "an empty field: identity is what remains"},
		{[]string{"gzip, br"}, true, "identity need not be named"},
		{[]string{"identity"}, true, "named, with the weight 1"},
		{[]string{"identity;q=0"}, false, "refused by name"},
		{[]string{"IDENTITY ; Q=0"}, false, "names and q are compared without case"},
		{[]string{"gzip", "identity;q=0"}, false, "several lines are one list"},
		{[]string{"identity;q=0.000"}, false, "three decimals of zero"},
		{[]string{"identity;q=0.001"}, true, "the smallest weight"},
		{[]string{"identity;q=1.000"}, true, "the largest weight"},
		{[]string{"identity;q=1.001"}, false, "beyond one is malformed"},
		{[]string{"identity;q=0.0000"}, false, "too many decimals is malformed"},
		{[]string{"identity;q=0.1234"}, false, "too many decimals is malformed, whatever they say"},
		{[]string{"identity;q=x"}, false, "malformed counts as zero"},
		{[]string{"identity;q="}, false, "malformed counts as zero"},
		{[]string{"identity;q=0."}, false, "a point without decimals: zero"},
		{[]string{"identity;q=1."}, true, "a point without decimals: one"},
		{[]string{"identity;q=01"}, false, "one digit before the point"},
		{[]string{"identity;q=.5"}, false, "one digit before the point, not none"},
		{[]string{"identity;q=2"}, false, "beyond one is malformed, without a point as well"},
		{[]string{"identity;q=-1"}, false, "no sign"},
		{[]string{"identity;q=0.0.1"}, false, "one point"},
		{[]string{"identity;qx1"}, false, "no equals sign"},
		{[]string{"identity;q =1"}, false, "no blanks around the equals sign"},
		{[]string{"identity;q= 1"}, false, "on neither side of it"},
		{[]string{"identity;q=1;q=1"}, false, "nothing follows the weight"},
		{[]string{"identity;"}, true, "a semicolon and no weight: one"},
		{[]string{"\tidentity\t;\tq=0\t"}, false, "tabs are blanks"},
		{[]string{"identity;level=1"}, false, "a parameter that is no weight is malformed"},
		{[]string{"*;q=0"}, false, "the wildcard speaks for identity"},
		{[]string{"*;q=x"}, false, "a malformed weight of the wildcard is zero as well"},
		{[]string{"*;q=0.1"}, true, "the wildcard with a weight"},
		{[]string{"**;q=0"}, true, "no wildcard"},
		{[]string{"*;q=0", "identity;q=0.1"}, true, "unless identity is named, in another line"},
		{[]string{"*, identity;q=0"}, false, "what is named is not spoken for"},
		{[]string{"*;q=0, identity"}, true, "unless identity is named"},
		{[]string{"identity;q=0.5, *;q=0"}, true, "in any order"},
		{[]string{"*"}, true, "everything"},
		{[]string{", ,gzip;q=0,,"}, true, "empty members are skipped"},
		{[]string{"xidentity;q=0"}, true, "never a substring match"},
		{[]string{"gzip;q=0"}, true, "another coding's weight"},
	} {
		if got := accept.IdentityAcceptable(tt.lines); got != tt.want {
			t.Errorf("IdentityAcceptable(%q) = %v, want %v: %s", tt.lines, got, tt.want, tt.reason)
		}
	}
}
