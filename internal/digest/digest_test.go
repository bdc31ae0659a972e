package digest_test

import (
	"crypto/sha256"
	"crypto/sha512"
	"strings"
	"testing"

	"servery/internal/digest"
)

func TestWanted(t *testing.T) {
	for _, tt := range []struct {
		lines  []string
		want   digest.Algorithm
		reason string
	}{
		{nil, digest.None, "no field"},
		{[]string{""}, digest.None, "an empty dictionary"},
		{[]string{"sha-256=10"}, digest.SHA256, "the largest weight"},
		{[]string{"sha-256=1"}, digest.SHA256, "the smallest"},
		{[]string{"sha-512=3"}, digest.SHA512, "the other one"},
		{[]string{"sha-256=0"}, digest.None, "not acceptable"},
		{[]string{"sha-256=-0"}, digest.None, "a zero all the same"},
		{[]string{"sha-256=3, sha-512=7"}, digest.SHA512, "the larger weight wins"},
		{[]string{"sha-512=7,sha-256=10"}, digest.SHA256, "whatever the order"},
		{[]string{"sha-512=5, sha-256=5"}, digest.SHA256, "a tie goes to the shorter"},
		{[]string{"sha-256=0, sha-512=1"}, digest.SHA512, "one is refused"},
		{[]string{"sha-256=1", "sha-512=2"}, digest.SHA512, "several lines are one dictionary"},
		{[]string{"sha-256=9, sha-256=0"}, digest.None, "the last of one key counts"},
		{[]string{"sha-256=9, sha-256"}, digest.None, "also if it makes no sense"},
		{[]string{"md5=10, unixsum=3, sha-256=1"}, digest.SHA256, "unknown and unsafe algorithms are ignored"},
		{[]string{"md5=10, sha=10"}, digest.None, "and nothing takes their place"},
		{[]string{"sha-256=11, sha-512=1"}, digest.SHA512, "out of range: ignored alone"},
		{[]string{"sha-256=999999999999999, sha-512=1"}, digest.SHA512, "the largest integer there is"},
		{[]string{"sha-256=-5"}, digest.None, "negative"},
		{[]string{"sha-256=1.5"}, digest.None, "a decimal is no integer"},
		{[]string{"sha-256=1.0, sha-512=1"}, digest.SHA512, "even a whole one"},
		{[]string{"sha-256"}, digest.None, "true is no integer"},
		{[]string{`sha-256="9", sha-512=1`}, digest.SHA512, "a string is none"},
		{[]string{`sha-256=a:/b*, sha-512=1`}, digest.SHA512, "nor a token"},
		{[]string{`sha-256=:YQ==:, sha-512=1`}, digest.SHA512, "nor bytes"},
		{[]string{`sha-256=?1, sha-512=1`}, digest.SHA512, "nor a boolean"},
		{[]string{`sha-256=@1659578233, sha-512=1`}, digest.SHA512, "nor a date"},
		{[]string{`sha-256=%"f%c3%bc", sha-512=1`}, digest.SHA512, "nor a display string"},
		{[]string{`sha-256=(5 "a" );x, sha-512=1`}, digest.SHA512, "nor an inner list"},
		{[]string{`a="\"\\,sha-256=9", sha-512=1`}, digest.SHA512, "what is quoted is no member"},
		{[]string{"sha-256=5;q=1.5;x;y=\"z\";*=?0"}, digest.SHA256, "parameters are ignored"},
		{[]string{" sha-256=5 \t,\t sha-512=4  "}, digest.SHA256, "blanks and tabs around commas"},
		{[]string{"sha-256=05"}, digest.SHA256, "leading zeros are allowed"},
		{[]string{"SHA-256=5"}, digest.None, "keys are in lower case: malformed"},
		{[]string{"sha-256=5, SHA-512=4"}, digest.None, "malformed anywhere is malformed"},
		{[]string{"sha-256=5,"}, digest.None, "a comma at the end"},
		{[]string{"sha-256=5", ""}, digest.None, "likewise, in two lines"},
		{[]string{",sha-256=5"}, digest.None, "a comma at the beginning"},
		{[]string{"sha-256=5 sha-512=4"}, digest.None, "no comma"},
		{[]string{"sha-256 =5"}, digest.None, "a blank before the sign"},
		{[]string{"sha-256= 5"}, digest.None, "and behind it"},
		{[]string{"sha-256="}, digest.None, "nothing behind it"},
		{[]string{"sha-256=5;"}, digest.None, "a parameter without a key"},
		{[]string{"sha-256=5;q="}, digest.None, "and one without its value"},
		{[]string{"sha-256=+5"}, digest.None, "no sign but minus"},
		{[]string{"sha-256=-"}, digest.None, "a sign alone"},
		{[]string{"sha-256=5."}, digest.None, "a point without decimals"},
		{[]string{"sha-256=5, a=1.2345"}, digest.None, "too many decimals"},
		{[]string{"sha-256=5, a=1234567890123.1"}, digest.None, "too many digits before them"},
		{[]string{"sha-256=5, a=1234567890123456"}, digest.None, "too many digits"},
		{[]string{`sha-256=5, a="`}, digest.None, "an open string"},
		{[]string{`sha-256=5, a="\n"`}, digest.None, "an unknown escape"},
		{[]string{"sha-256=5, a=\"\xfc\""}, digest.None, "a string is ASCII"},
		{[]string{"sha-256=5, a=:YQ"}, digest.None, "open bytes"},
		{[]string{"sha-256=5, a=:Y-Q:"}, digest.None, "another alphabet"},
		{[]string{"sha-256=5, a=?2"}, digest.None, "no boolean"},
		{[]string{"sha-256=5, a=@1.5"}, digest.None, "no date"},
		{[]string{"sha-256=5, a=@"}, digest.None, "none at all"},
		{[]string{`sha-256=5, a=%"%C3%BC"`}, digest.None, "capitals in a display string"},
		{[]string{`sha-256=5, a=%"%fc"`}, digest.None, "no UTF-8"},
		{[]string{`sha-256=5, a=%"%f`}, digest.None, "cut short"},
		{[]string{"sha-256=5, a=(1 2"}, digest.None, "an open list"},
		{[]string{"sha-256=5, a=(1,2)"}, digest.None, "commas in a list"},
		{[]string{"sha-256=5, a=((1))"}, digest.None, "a list in a list"},
		{[]string{"sha-256=5, a=(1\"b\")"}, digest.None, "no blank between two"},
		{[]string{"sha-256=5, a={}"}, digest.None, "what begins nothing"},
		{[]string{"sha-256=5\x00"}, digest.None, "a NUL"},
		{[]string{strings.Repeat("a, ", 100_000) + "sha-256=5"}, digest.SHA256, "however long it is"},
	} {
		if got := digest.Wanted(tt.lines); got != tt.want {
			t.Errorf("%.100q: got %d, want %d: %s", tt.lines, got, tt.want, tt.reason)
		}
	}
}

// TestField has the digests that RFC 9530, appendix A and B.1, gives of its example.
func TestField(t *testing.T) {
	body := []byte("{\"hello\": \"world\"}\n")
	sum256, sum512 := sha256.Sum256(body), sha512.Sum512(body)
	for _, tt := range []struct {
		got, want, reason string
	}{
		{digest.Field(digest.SHA256, sum256[:]), "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:", "appendix B.1"},
		{digest.Field(digest.SHA512, sum512[:]),
			"sha-512=:YMAam51Jz/jOATT6/zvHrLVgOYTGFy1d6GJiOHTohq4yP+pgk4vf2aCsyRZOtw8MjkM7iw7yZ/WkppmM44T3qg==:", "section 2"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %s, want %s: %s", tt.got, tt.want, tt.reason)
		}
	}
}

// FuzzWanted holds the parser to laws that need no second parser: what is well-formed
// stays so with a member before or behind it, which then counts.
func FuzzWanted(f *testing.F) {
	f.Add("sha-256=10, sha-512=3")
	f.Fuzz(func(t *testing.T, field string) {
		alone := digest.Wanted([]string{field})
		if alone < digest.None || alone > digest.SHA512 {
			t.Fatalf("%q wants algorithm %d", field, alone)
		}
		if alone == digest.None || strings.Trim(field, " \t") == "" {
			return
		}
		if got := digest.Wanted([]string{field, "sha-256=0, sha-512=0"}); got != digest.None {
			t.Errorf("%q with both refused behind it wants %d", field, got)
		}
		if got := digest.Wanted([]string{"a", field}); got != alone {
			t.Errorf("%q wants %d, and %d behind another member", field, alone, got)
		}
		if got := digest.Wanted([]string{field, "A"}); got != digest.None {
			t.Errorf("%q with something malformed behind it wants %d", field, got)
		}
	})
}
