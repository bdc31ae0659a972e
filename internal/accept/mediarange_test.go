package accept_test

import (
	"strings"
	"testing"
	"time"

	"servery/internal/accept"
)

func TestMediaType(t *testing.T) {
	for _, tt := range []struct {
		lines  []string
		weight int
		named  bool
		reason string
	}{
		{nil, 1000, false, "an absent field accepts everything"},
		{[]string{""}, 0, false, "an empty field lists nothing"},
		{[]string{"text/html"}, 1000, true, "the type itself"},
		{[]string{"TEXT/Html"}, 1000, true, "without case"},
		{[]string{"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}, 1000, true, "what browsers send"},
		{[]string{"*/*"}, 1000, false, "spoken for, not named"},
		{[]string{"text/*;q=0.4"}, 400, false, "its group"},
		{[]string{"text/*;q=0.4, */*"}, 400, false, "the more specific range counts, not the greater weight"},
		{[]string{"text/html;q=0, */*"}, 0, true, "refused by name"},
		{[]string{"text/html;q=0, text/html;q=0.3"}, 300, true, "the greatest of equals"},
		{[]string{"*/*;q=0.1", " text/html ; q=0.5"}, 500, true, "lines are one list, with blanks"},
		{[]string{"text/html;level=1;q=0.7"}, 700, true, "other parameters come first"},
		{[]string{"text/html;q=0.7;level=1"}, 700, true, "or last"},
		{[]string{`text/html;a=", text/html;q=0";q=0.2`}, 200, true, "a comma and a semicolon in quotes separate nothing"},
		{[]string{`a/b;c="\", text/html`}, 0, false, "an escaped quote ends nothing"},
		{[]string{`a/b;c="\"", text/html`}, 1000, true, "the quote after it does"},
		{[]string{"text/html;q=2"}, 0, true, "a malformed weight is zero"},
		{[]string{"text/html;q="}, 0, true, "an empty weight is malformed"},
		{[]string{"text/htmlx, xtext/html, text/htm"}, 0, false, "never a part of a name"},
		{[]string{"text/*x, tex/*, /*"}, 0, false, "nor of a group"},
		{[]string{"application/json"}, 0, false, "another type"},
		{[]string{",,;q=1,\ttext/html,"}, 1000, true, "empty members"},
	} {
		weight, named := accept.MediaType(tt.lines, "text/html")
		if weight != tt.weight || named != tt.named {
			t.Errorf("%q, %s: weight %d, named %t, want %d, %t", tt.lines, tt.reason, weight, named, tt.weight, tt.named)
		}
	}
}

// A megabyte of whatever is slow to read takes no longer than a megabyte should.
func TestMediaTypeIsLinear(t *testing.T) {
	for _, piece := range []string{",", ";", `"`, `\`, `",`, `;";`, "text/html;", "text/html,", `a;b="c\"`} {
		line := strings.Repeat(piece, 1<<20/len(piece))
		start := time.Now()
		accept.MediaType([]string{line}, "text/html")
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("%q repeated: %v", piece, took)
		}
	}
}
