package main

import (
	"fmt"
	"strings"
	"time"

	"servery/precompress"
)

// progress says what becomes of the files of one directory. It is called by one
// goroutine at a time.
type progress struct {
	*command
	directory string
	names     int
	shown     time.Time // of the line on the terminal
}

// between is the time between two states of the line, which nobody reads faster.
const between = 100 * time.Millisecond

// width is how much of a name is shown: a line that wraps cannot be taken back.
const width = 50

func (p *progress) tell(e precompress.Event) {
	p.names++
	if e.Outcome == precompress.Failed {
		p.clear()
		fmt.Fprintf(p.stderr, "precompress: %q: %v\n", p.directory, e.Err)
	} else if p.verbose {
		p.clear()
		fmt.Fprintln(p.stdout, describe(e))
	}
	if p.terminal && time.Since(p.shown) >= between {
		p.shown = time.Now()
		fmt.Fprintf(p.stderr, "\r\x1b[K%d %s", p.names, shorten(e.Name))
	}
}

// clear takes the line away, if there is one.
func (p *progress) clear() {
	if !p.shown.IsZero() {
		fmt.Fprint(p.stderr, "\r\x1b[K")
		p.shown = time.Time{}
	}
}

// shorten keeps the end of a name, and nothing that a terminal would obey.
func shorten(name string) string {
	runes := []rune(strings.ToValidUTF8(name, "?"))
	for i, r := range runes {
		if r < ' ' || 0x7f <= r && r < 0xa0 {
			runes[i] = '?'
		}
	}
	if len(runes) > width {
		runes = append([]rune("..."), runes[len(runes)-width+3:]...)
	}
	return string(runes)
}

func describe(e precompress.Event) string {
	switch e.Outcome {
	case precompress.Written, precompress.Dated, precompress.Fresh:
		return fmt.Sprintf("%s %q %d -> %d", e.Outcome, e.Name, e.Size, e.Coded)
	}
	return fmt.Sprintf("%s %q", e.Outcome, e.Name)
}

// summary leaves out what is zero.
func summary(directory string, s precompress.Stats, dry bool) string {
	parts := []string{}
	for _, part := range []struct {
		n    int
		what string
	}{
		{s.Written, "written"}, {s.Dated, "dated"}, {s.Fresh, "fresh"}, {s.Removed, "removed"}, {s.NoSaving, "without saving"},
		{s.Foreign, "foreign and left"}, {s.Failed, "failed"},
	} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.what))
		}
	}
	if len(parts) == 0 {
		parts = []string{"nothing"}
	}
	text := fmt.Sprintf("%q: %d files; sidecars: %s", directory, s.Files, strings.Join(parts, ", "))
	if s.Before > 0 {
		text += fmt.Sprintf("; %d bytes for %d (%.1f %%)", s.After, s.Before, 100*float64(s.After)/float64(s.Before))
	}
	if dry {
		text += "; dry run, nothing was changed"
	}
	return text
}
