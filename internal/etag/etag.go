// Package etag reads, makes and compares entity-tags (RFC 9110, section 8.8.3).
//
// A tag is kept in its wire form, so that what is compared is what was sent. The package imports nothing, and
// comparing allocates nothing.
package etag

// Tag is an entity-tag in its wire form, `"x"` or `W/"x"`; "" is the absence of one.
//
// A Tag that comes from elsewhere than [Parse], [Strong] or [Weak] may be malformed. It then equals no member of a
// list, because only well-formed members are compared.
type Tag string

// weakness is the mark of a weak tag. It is case-sensitive (RFC 9110, section 8.8.3).
const weakness = "W/"

// Strong returns the strong tag of opaque, which must consist of etagc (see [Parse]). It may be empty.
func Strong(opaque string) Tag { return Tag(`"` + opaque + `"`) }

// Weak returns the weak tag of opaque, which must consist of etagc (see [Parse]). It may be empty.
func Weak(opaque string) Tag { return Tag(weakness + `"` + opaque + `"`) }

// Parse reads s as exactly one entity-tag with optional blanks (SP, HTAB) around it, which are dropped.
//
// Between the quotes stands any number of etagc: %x21, %x23-7E and obs-text, which are the visible characters
// without the quote, and every byte from %x80. A backslash is one of them and escapes nothing.
func Parse(s string) (Tag, bool) {
	tag, rest, ok := cut(skipBlanks(s))
	if !ok || skipBlanks(rest) != "" {
		return "", false
	}
	return tag, true
}

// IsWeak reports whether t is marked as weak. An absent tag is not.
func (t Tag) IsWeak() bool {
	return len(t) >= len(weakness) && t[:len(weakness)] == weakness
}

// StrongMatch is the strong comparison of RFC 9110, section 8.8.3.2: both tags are present, neither is weak, and
// they are equal byte for byte.
func (t Tag) StrongMatch(o Tag) bool {
	return t != "" && t == o && !t.IsWeak()
}

// WeakMatch is the weak comparison of RFC 9110, section 8.8.3.2: both tags are present and equal but for the mark
// of weakness.
func (t Tag) WeakMatch(o Tag) bool {
	return t != "" && t.quoted() == o.quoted()
}

// ForCoding returns the tag of the same content in another coding: suffix is appended inside the quotes, and a weak
// tag stays weak. Two codings of one resource are two representations, which may not share a strong tag (RFC 9110,
// section 8.8.3.3). For the same reason a malformed tag, which has no place for a suffix, becomes "".
func (t Tag) ForCoding(suffix string) Tag {
	tag, ok := Parse(string(t))
	if !ok {
		return ""
	}
	return tag[:len(tag)-1] + Tag(suffix) + `"`
}

// WithoutCoding undoes [Tag.ForCoding], or reports that the tag does not end in such a suffix.
func (t Tag) WithoutCoding(suffix string) (Tag, bool) {
	opaque := len(t) - len(suffix) - 1 // where the suffix begins
	if suffix == "" || opaque < 1 || t[opaque:] != Tag(suffix)+`"` {
		return "", false
	}
	return t[:opaque] + `"`, true
}

// quoted returns t without its mark of weakness.
func (t Tag) quoted() Tag {
	if t.IsWeak() {
		return t[len(weakness):]
	}
	return t
}

// cut reads the entity-tag that s begins with and returns what follows it.
func cut(s string) (tag Tag, rest string, ok bool) {
	open := 0
	if Tag(s).IsWeak() {
		open = len(weakness)
	}
	if open == len(s) || s[open] != '"' {
		return "", s, false
	}
	for i := open + 1; i < len(s); i++ {
		if s[i] == '"' {
			return Tag(s[:i+1]), s[i+1:], true
		}
		if !isEtagc(s[i]) {
			break
		}
	}
	return "", s, false
}

// isEtagc reports whether c may stand between the quotes of a tag. The quote itself is excluded by the caller.
func isEtagc(c byte) bool {
	return c > ' ' && c != 0x7f
}

// isBlank reports whether c is one of the optional blanks of RFC 9110, section 5.6.3.
func isBlank(c byte) bool {
	return c == ' ' || c == '\t'
}

// skipBlanks returns s without the blanks that it begins with.
func skipBlanks(s string) string {
	for s != "" && isBlank(s[0]) {
		s = s[1:]
	}
	return s
}
