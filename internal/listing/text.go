package listing

import (
	"html"
	"strconv"
	"strings"
	"unicode"

	"servery/internal/urlpath"
)

// href returns the reference to an entry. Base begins with "./" or "../", so that nothing
// in a name is read as a scheme or a host.
func href(base string, e Entry) string {
	reference := base + urlpath.Escape(e.Name)
	if e.Directory {
		reference += "/"
	}
	return reference
}

// text returns a name as HTML shows it: what is no character, or none that is seen, has
// one in its place.
func text(name string) string {
	return html.EscapeString(strings.Map(seen, strings.ToValidUTF8(name, "\uFFFD")))
}

func seen(r rune) rune {
	switch {
	case r < ' ':
		return '\u2400' + r // its picture
	case unicode.IsControl(r), r == '\u2028', r == '\u2029',
		'\u202A' <= r && r <= '\u202E', '\u2066' <= r && r <= '\u2069': // which can make "exe.jpg" of "gpj.exe"
		return '\uFFFD'
	}
	return r
}

// humanSize is a size in binary units with one decimal.
func humanSize(size int64) string {
	if size < 1<<10 {
		return strconv.FormatInt(size, 10) + " B"
	}
	const units = "KMGTPE"
	value, unit := float64(size)/(1<<10), 0
	for value >= 1023.95 && unit < len(units)-1 { // or it would be rounded to 1024.0
		value /= 1 << 10
		unit++
	}
	return strconv.FormatFloat(value, 'f', 1, 64) + " " + units[unit:unit+1] + "iB"
}

// exactSize is a size in bytes, with its thousands set apart.
func exactSize(size int64) string {
	digits := strconv.FormatInt(size, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	if size == 1 {
		return digits + " byte"
	}
	return digits + " bytes"
}
