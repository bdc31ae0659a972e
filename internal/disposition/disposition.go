// Package disposition makes the Content-Disposition that has a file saved under a name
// (RFC 6266).
package disposition

import (
	"strings"
	"unicode"
)

// nameless is what a file is called whose name says nothing.
const nameless = "download"

// Attachment returns the field's value for a file with this name, which is any bytes. It
// consists of visible ASCII and blanks.
//
// What would be a path, or no character at all, is replaced in both forms of the name:
// recipients are to do so (RFC 6266, section 4.3), and not all do. The second form is
// there where the first is not the name (RFC 8187, section 3.2).
func Attachment(name string) string {
	name = strings.Map(harmless, strings.ToValidUTF8(name, "\uFFFD"))
	if strings.Trim(name, ". ") == "" {
		name = nameless
	}
	plain := ascii(name)
	value := `attachment; filename="` + plain + `"`
	if plain != name {
		value += "; filename*=UTF-8''" + extended(name)
	}
	return value
}

func harmless(r rune) rune {
	if r == '/' || r == '\\' || unicode.IsControl(r) || misleads(r) {
		return '_'
	}
	return r
}

// misleads reports whether r breaks a line, or has what follows read in another direction:
// it can make "exe.jpg" of "gpj.exe".
func misleads(r rune) bool {
	return r == '\u2028' || r == '\u2029' || '\u202A' <= r && r <= '\u202E' || '\u2066' <= r && r <= '\u2069'
}

// ascii returns name as a quoted string can hold it without a backslash, which some
// recipients do not undo. Some decode percent-encoding there, which is not theirs to do: a
// percent sign that could begin one goes, too (RFC 6266, appendix D).
func ascii(name string) string {
	var b strings.Builder
	for i, r := range name {
		if r > '~' || r == '"' || r == '%' && encodes(name[i:]) {
			r = '_'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// encodes reports whether s begins with a percent-encoded byte.
func encodes(s string) bool { return len(s) >= 3 && isHex(s[1]) && isHex(s[2]) }

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// extended returns name in the encoding of an ext-value.
func extended(name string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(name) {
		if c := name[i]; isAttrChar(c) {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
		}
	}
	return b.String()
}

// isAttrChar is attr-char of RFC 8187, section 3.2.1.
func isAttrChar(c byte) bool {
	return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' || strings.IndexByte("!#$&+-.^_`|~", c) >= 0
}
