// Package figure draws bars beside each other as an SVG that can stand in a page
// by itself: it has no script and nothing from elsewhere, and it can be read on a
// light ground and on a dark one.
package figure

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
)

// A Figure is one picture. Its zero value draws a title that is empty.
type Figure struct {
	Title   string
	Caption string // says what the bars mean
	Unit    string // what a bar of length 1 is
	Bars    []Bar  // from the top
}

// A Bar is a value with the extremes between which it was found.
type Bar struct {
	Name                    string
	Median, Least, Greatest float64 // none is negative; all are 0 if nothing was measured
	Stressed                bool    // it stands out
	Note                    string  // stands in the place of a bar that was not measured
}

// The places of things, in units of the picture.
const (
	width     = 760
	margin    = 16
	barsFrom  = 150 // x of the value 0
	barsTo    = 590 // x of the greatest value
	lineHigh  = 18  // of text
	rowHigh   = 26
	barHigh   = 16
	capHigh   = 8   // of the ends of a whisker
	lineWidth = 100 // of text, in characters: so many of the font take less than the width
)

// style names a color for each ground. Its selectors begin with a class so that it
// changes nothing around the figure in a page that includes it.
const style = `.servery-figure{color:#1f2328;font:13px system-ui,sans-serif}
.servery-figure text{fill:currentColor}
.servery-figure .title{font-weight:600}
.servery-figure .muted{opacity:.75}
.servery-figure .bar{fill:currentColor;opacity:.3}
.servery-figure .stressed{fill:#0969da;opacity:.8}
.servery-figure .whisker{fill:none;stroke:currentColor;stroke-width:1.5}
.servery-figure .unit{stroke:currentColor;stroke-dasharray:3 3;opacity:.6}
@media (prefers-color-scheme:dark){
.servery-figure{color:#e6edf3}
.servery-figure .stressed{fill:#4493f8}
}`

// SVG returns the figure as a document. Equal figures give equal bytes.
func (f Figure) SVG() []byte {
	title, caption := wrap(f.Title), wrap(f.Caption)
	top := margin + lineHigh*(len(title)+len(caption)) + lineHigh/2
	bottom := top + rowHigh*len(f.Bars)
	height := bottom + lineHigh + margin

	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" class="servery-figure" role="img" width="%d" height="%d" viewBox="0 0 %[1]d %d">`+"\n",
		width, height, height)
	fmt.Fprintf(&out, "<title>%s</title>\n<style>%s</style>\n", escaped(f.Title), style)
	y := writeLines(&out, "title", margin, title)
	writeLines(&out, "muted", y, caption)
	scale := f.scale()
	for i, b := range f.Bars {
		b.write(&out, top+rowHigh*i, scale)
	}
	one := barsFrom + scale
	fmt.Fprintf(&out, `<path class="unit" d="M%.1f %dV%d"/>`+"\n", one, top-lineHigh/4, bottom)
	fmt.Fprintf(&out, `<text class="muted" x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n",
		one, bottom+lineHigh-lineHigh/4, escaped(f.Unit))
	out.WriteString("</svg>\n")
	return out.Bytes()
}

// scale is the length of the value 1. The line that marks it is always to be seen.
func (f Figure) scale() float64 {
	greatest := 1.0
	for _, b := range f.Bars {
		greatest = max(greatest, b.Greatest)
	}
	return (barsTo - barsFrom) / greatest
}

func (b Bar) write(out *bytes.Buffer, top int, scale float64) {
	middle := top + rowHigh/2
	baseline := middle + lineHigh/4
	fmt.Fprintf(out, `<text x="%d" y="%d">%s</text>`+"\n", margin, baseline, escaped(b.Name))
	if b.Greatest == 0 {
		fmt.Fprintf(out, `<text class="muted" x="%d" y="%d">%s</text>`+"\n", barsFrom, baseline, escaped(b.Note))
		return
	}
	class := "bar"
	if b.Stressed {
		class += " stressed"
	}
	fmt.Fprintf(out, `<rect class="%s" x="%d" y="%d" width="%.1f" height="%d"/>`+"\n",
		class, barsFrom, middle-barHigh/2, b.Median*scale, barHigh)
	const ends = `<path class="whisker" d="M%.1f %dv%dm0 -%dH%.1fm0 -%dv%d"/>` + "\n"
	fmt.Fprintf(out, ends, barsFrom+b.Least*scale, middle-capHigh/2, capHigh, capHigh/2,
		barsFrom+b.Greatest*scale, capHigh/2, capHigh)
	fmt.Fprintf(out, `<text x="%d" y="%d" text-anchor="end">%.2f (%.2f to %.2f)</text>`+"\n",
		width-margin, baseline, b.Median, b.Least, b.Greatest)
}

// writeLines returns where the text after these lines begins.
func writeLines(out *bytes.Buffer, class string, top int, lines []string) int {
	for _, line := range lines {
		top += lineHigh
		fmt.Fprintf(out, `<text class="%s" x="%d" y="%d">%s</text>`+"\n", class, margin, top-lineHigh/4, escaped(line))
	}
	return top
}

// wrap breaks text at blanks: SVG has no lines of its own. A word is never broken.
func wrap(text string) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case len(line)+1+len(word) > lineWidth:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

func escaped(text string) string {
	var out strings.Builder
	// A strings.Builder takes whatever is written.
	_ = xml.EscapeText(&out, []byte(text))
	return out.String()
}
