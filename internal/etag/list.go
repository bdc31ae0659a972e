package etag

// MatchesStrong reports whether an If-Match field with these lines names a representation with the tag t (RFC 9110,
// section 13.1.1). t is "" where the representation has no tag; only `*` matches that one. The caller sees to it
// that the representation exists and that the field is present.
func MatchesStrong(lines []string, t Tag) bool {
	return matches(lines, t, Tag.StrongMatch)
}

// MatchesWeak reports the same for an If-None-Match field (RFC 9110, section 13.1.2), whose comparison is weak.
func MatchesWeak(lines []string, t Tag) bool {
	return matches(lines, t, Tag.WeakMatch)
}

// matches looks t up in a list of tags. All lines of a field make one list (RFC 9110, section 5.3).
//
// Reading stops at a malformed member: what came before it counts and the rest does not, since nobody can say where
// the next member begins. Missing a match is the safe failure of both fields: If-None-Match then answers in full
// and If-Match answers 412, whereas a match that nobody meant would confirm a stale copy or overwrite another's work.
func matches(lines []string, t Tag, equal func(Tag, Tag) bool) bool {
	if isAny(lines) {
		return true
	}
	for _, line := range lines {
		for line != "" {
			member, rest, ok := next(line)
			if !ok {
				return false
			}
			if equal(member, t) {
				return true
			}
			line = rest
		}
	}
	return false
}

// WithoutCoding returns, in their order, the tags of a list that end in suffix, without it. As with the comparisons,
// nothing that follows a malformed member is read.
func WithoutCoding(lines []string, suffix string) []Tag {
	var plain []Tag
	for _, line := range lines {
		for line != "" {
			member, rest, ok := next(line)
			if !ok {
				return plain
			}
			if tag, coded := member.WithoutCoding(suffix); coded {
				plain = append(plain, tag)
			}
			line = rest
		}
	}
	return plain
}

// isAny reports whether the field is `*`. The grammar has it beside the list and not inside it, so that it counts
// only where it is the entire field; anywhere else it is a malformed member.
func isAny(lines []string) bool {
	if len(lines) != 1 {
		return false
	}
	s := skipBlanks(lines[0])
	return s != "" && s[0] == '*' && skipBlanks(s[1:]) == ""
}

// next reads the first member of list and what follows it, a comma or nothing. It returns "", "" and true where no
// member is left. Commas are looked for after the tag and never inside it, because they may be part of a tag.
func next(list string) (member Tag, rest string, ok bool) {
	list = skipEmpty(list)
	if list == "" {
		return "", "", true
	}
	member, rest, ok = cut(list)
	rest = skipBlanks(rest)
	if !ok || rest != "" && rest[0] != ',' {
		return "", "", false
	}
	return member, rest, true
}

// skipEmpty returns list without the empty members that it begins with, which a recipient must ignore (RFC 9110,
// section 5.6.1.2).
func skipEmpty(list string) string {
	for list != "" && (list[0] == ',' || isBlank(list[0])) {
		list = list[1:]
	}
	return list
}
