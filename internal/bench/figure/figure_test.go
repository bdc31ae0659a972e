package figure_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"servery/internal/bench/figure"
)

var update = flag.Bool("update", false, "rewrite the golden figures")

// some has a bar of each kind.
func some() figure.Figure {
	return figure.Figure{
		Title:   "1k: GET /1k.txt, 1024 bytes",
		Caption: "rate as a share of ceiling in the same round: the median, with the least and the greatest of 5 rounds",
		Unit:    "ceiling",
		Bars: []figure.Bar{
			{Name: "ceiling", Median: 1, Least: 1, Greatest: 1},
			{Name: "servery", Median: 0.91, Least: 0.88, Greatest: 0.95, Stressed: true},
			{Name: "fasthttp", Median: 1.5, Least: 1.25, Greatest: 1.75},
			{Name: "nginx", Note: "absent: no nginx on PATH"},
		},
	}
}

func TestSVG(t *testing.T) {
	got := some().SVG()
	golden := filepath.Join("testdata", "some.svg")
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if again := some().SVG(); !bytes.Equal(got, again) {
		t.Errorf("the same figure gives\n%s\nand\n%s", got, again)
	}
}

func TestSVGIsWellFormed(t *testing.T) {
	hostile := "</text><script>alert('&\"\x00')</script>"
	for _, test := range []struct {
		figure figure.Figure
		texts  int
		reason string
	}{
		{some(), 12, "a title, two lines of caption, two texts a bar, and the unit"},
		{figure.Figure{}, 1, "nothing but the name of the unit, which is empty"},
		{figure.Figure{Title: strings.Repeat("word ", 50), Unit: "x"}, 4, "a long title takes several lines"},
		{figure.Figure{Title: hostile, Caption: hostile, Unit: hostile, Bars: []figure.Bar{{Name: hostile, Note: hostile}}}, 5,
			"text is never markup"},
	} {
		elements, err := elementsOf(test.figure.SVG())
		if err != nil {
			t.Errorf("%v: %s", err, test.reason)
		}
		if elements["svg"] != 1 || elements["text"] != test.texts || elements["script"] != 0 {
			t.Errorf("got %v, want one svg with %d texts and without a script: %s", elements, test.texts, test.reason)
		}
	}
}

// elementsOf counts the elements of a document by their names.
func elementsOf(document []byte) (map[string]int, error) {
	elements := make(map[string]int)
	decoder := xml.NewDecoder(bytes.NewReader(document))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return elements, nil
		}
		if err != nil {
			return elements, err
		}
		if start, ok := token.(xml.StartElement); ok {
			elements[start.Name.Local]++
		}
	}
}

// TestSVGStaysWithinItsWidth: the longest bar ends before the figures at its right.
func TestSVGStaysWithinItsWidth(t *testing.T) {
	for _, greatest := range []float64{0.01, 1, 30} {
		f := figure.Figure{Bars: []figure.Bar{{Name: "a", Median: greatest, Least: greatest, Greatest: greatest}}}
		want := map[bool]string{true: `width="440.0"`, false: `width="4.4"`}[greatest >= 1]
		if got := f.SVG(); !bytes.Contains(got, []byte(want)) {
			t.Errorf("the greatest is %v: got\n%s\nwant a bar of %s", greatest, got, want)
		}
	}
}
