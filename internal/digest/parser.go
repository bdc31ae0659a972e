package digest

import (
	"strings"
	"unicode/utf8"
)

// parser reads structured fields (RFC 9651, section 4.2): rest is what is left of the
// field. Its methods report false where the field is malformed, and take time linear in
// its length. Of values they tell integers from all others, and no more.
type parser struct{ rest string }

const (
	lower  = "abcdefghijklmnopqrstuvwxyz"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits = "0123456789"
)

// noInteger is what a value is that is no integer or a negative one.
const noInteger = -1

// dictionary calls member with each key and its integer (section 4.2.2).
func (p *parser) dictionary(member func(key string, value int)) bool {
	p.skip(" ")
	for p.rest != "" {
		key, ok := p.key()
		if !ok {
			return false
		}
		value := noInteger // a key alone is true
		if p.take("=") {
			if value, ok = p.member(); !ok {
				return false
			}
		}
		if !p.parameters() {
			return false
		}
		member(key, value)
		p.skip(" \t")
		if p.rest == "" {
			return true
		}
		if !p.take(",") {
			return false
		}
		if p.skip(" \t"); p.rest == "" {
			return false // a comma at the end
		}
	}
	return true
}

// member is an item or an inner list without the parameters (section 4.2.1.1).
func (p *parser) member() (int, bool) {
	if !p.take("(") {
		return p.bareItem()
	}
	for p.rest != "" {
		p.skip(" ")
		if p.take(")") {
			return noInteger, true
		}
		if _, ok := p.bareItem(); !ok || !p.parameters() {
			return 0, false
		}
		if !strings.HasPrefix(p.rest, " ") && !strings.HasPrefix(p.rest, ")") {
			return 0, false
		}
	}
	return 0, false
}

// parameters passes over what follows an item (section 4.2.3.2).
func (p *parser) parameters() bool {
	for p.take(";") {
		p.skip(" ")
		if _, ok := p.key(); !ok {
			return false
		}
		if p.take("=") {
			if _, ok := p.bareItem(); !ok {
				return false
			}
		}
	}
	return true
}

// key is the name of a member or a parameter (section 4.2.3.3).
func (p *parser) key() (string, bool) {
	if p.rest == "" || !strings.Contains(lower+"*", p.rest[:1]) {
		return "", false
	}
	return p.skip(lower + digits + "_-.*"), true
}

// bareItem is a value (section 4.2.3.1).
func (p *parser) bareItem() (int, bool) {
	if p.rest == "" {
		return 0, false
	}
	switch c := p.rest[0]; {
	case c == '-' || strings.IndexByte(digits, c) >= 0:
		return p.number()
	case p.take(`"`):
		return noInteger, p.quoted()
	case c == '*' || strings.IndexByte(lower+upper, c) >= 0:
		p.skip(lower + upper + digits + "!#$%&'*+-.^_`|~:/")
		return noInteger, true
	case p.take(":"):
		p.skip(lower + upper + digits + "+/=")
		return noInteger, p.take(":")
	case p.take("?"):
		return noInteger, p.take("0") || p.take("1")
	case p.take("@"):
		value, ok := p.number()
		return noInteger, ok && value != isDecimal
	case p.take(`%"`):
		return noInteger, p.display()
	}
	return 0, false
}

// isDecimal tells a decimal from what else is no integer: a date is none.
const isDecimal = -2

// number is an integer of up to 15 digits, or a decimal (section 4.2.4).
func (p *parser) number() (int, bool) {
	negative := p.take("-")
	whole := p.skip(digits)
	if p.take(".") {
		fraction := p.skip(digits)
		return isDecimal, 1 <= len(whole) && len(whole) <= 12 && 1 <= len(fraction) && len(fraction) <= 3
	}
	if len(whole) < 1 || len(whole) > 15 {
		return 0, false
	}
	value := 0
	for i := range len(whole) {
		value = min(10*value+int(whole[i]-'0'), 1<<20) // nothing as large has a meaning, and int may have 32 bits
	}
	if negative && value > 0 {
		return noInteger, true
	}
	return value, true
}

// quoted is the rest of a string (section 4.2.5).
func (p *parser) quoted() bool {
	for p.rest != "" {
		c := p.rest[0]
		p.rest = p.rest[1:]
		switch {
		case c == '"':
			return true
		case c == '\\':
			if !p.take(`"`) && !p.take(`\`) {
				return false
			}
		case c < ' ' || c > '~':
			return false
		}
	}
	return false
}

// display is the rest of a display string: UTF-8, percent-encoded in lower case
// (section 4.2.10).
func (p *parser) display() bool {
	const hex = "0123456789abcdef"
	var decoded []byte
	for p.rest != "" {
		c := p.rest[0]
		p.rest = p.rest[1:]
		switch {
		case c == '"':
			return utf8.Valid(decoded)
		case c < ' ' || c > '~':
			return false
		case c == '%':
			if len(p.rest) < 2 {
				return false
			}
			high, low := strings.IndexByte(hex, p.rest[0]), strings.IndexByte(hex, p.rest[1])
			if high < 0 || low < 0 {
				return false
			}
			c, p.rest = byte(high<<4|low), p.rest[2:]
		}
		decoded = append(decoded, c)
	}
	return false
}

// take passes over what the rest begins with, if it does.
func (p *parser) take(prefix string) bool {
	rest, ok := strings.CutPrefix(p.rest, prefix)
	p.rest = rest
	return ok
}

// skip passes over all characters of the set, and returns them.
func (p *parser) skip(set string) string {
	i := 0
	for i < len(p.rest) && strings.IndexByte(set, p.rest[i]) >= 0 {
		i++
	}
	skipped := p.rest[:i]
	p.rest = p.rest[i:]
	return skipped
}
