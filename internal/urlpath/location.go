package urlpath

// WithSlash returns the Location of the directory that path names, with the slash that path lacks.
//
// A Location is a relative reference (RFC 9110, section 10.2.2), which the client resolves against the path that it
// asked for: that holds the prefixes that proxies and http.StripPrefix have taken off and that nobody here knows. It
// begins with "./" or "../", so that nothing in a name is read as a host or a scheme (RFC 3986, section 4.2), and it
// consists of visible ASCII characters without a backslash.
//
// Resolved and cleaned again it is the same Name, for every path that does not climb above a prefix; for such a path
// no reference exists, since the client has left the prefix before it follows. The query is kept.
func WithSlash(path, query string) string {
	return string(appendQuery(route(path, names(path)), query))
}

// WithoutSlash returns the Location of the file that path names, without the slashes that path ends in. It is made
// like that of [WithSlash]. The root has no form without a slash: its Location is "".
func WithoutSlash(path, query string) string {
	name := names(path)
	if len(name) == 0 {
		return ""
	}
	last := len(name) - 1
	location := appendEscaped(route(path, name[:last]), name[last], isSafeInSegment)
	return string(appendQuery(location, query))
}

// names returns the segments of the Name of path.
func names(path string) []string {
	var list []string
	if name := clean(path); name != "." {
		for segment := range segments(name) {
			list = append(list, segment)
		}
	}
	return list
}

// route returns the reference that leads from path to directory, with its slash: up from where the client stands
// until an ancestor of directory is reached, and down from there.
func route(path string, directory []string) []byte {
	base := standpoint(path)
	kept, shared := 0, 0
	for ; kept < len(base); kept++ {
		if base[kept] == "" {
			continue
		}
		if shared == len(directory) || base[kept] != directory[shared] {
			break
		}
		shared++
	}
	location := appendClimb(nil, len(base)-kept)
	for _, segment := range directory[shared:] {
		location = append(appendEscaped(location, segment, isSafeInSegment), '/')
	}
	return location
}

// standpoint returns the directory that a client resolves references against when it has asked for path (RFC 3986,
// section 5.2.3): all but the last segment, without dot segments. It differs from the Name of that directory in the
// empty segments, which a client keeps and which ".." removes one at a time: in "/a//../b" the client stands in "/a/"
// and the name is "b".
func standpoint(path string) []string {
	end := len(path)
	for end > 0 && path[end-1] != '/' {
		end--
	}
	var base []string
	for segment := range segments(path[:max(end-1, 0)]) {
		switch segment {
		case ".":
		case "..":
			base = base[:max(len(base)-1, 0)]
		default:
			base = append(base, segment)
		}
	}
	return base
}

// appendClimb appends the steps from a directory to the one that many levels above it.
func appendClimb(b []byte, levels int) []byte {
	if levels == 0 {
		return append(b, "./"...)
	}
	for range levels {
		b = append(b, "../"...)
	}
	return b
}

func appendQuery(b []byte, query string) []byte {
	if query == "" {
		return b
	}
	return appendEscaped(append(b, '?'), query, isSafeInQuery)
}

// appendEscaped appends s with every byte percent-encoded that is not safe. Digits are upper-case (RFC 3986, section
// 2.1).
func appendEscaped(b []byte, s string, isSafe func(byte) bool) []byte {
	const digits = "0123456789ABCDEF"
	for i := range len(s) {
		if c := s[i]; isSafe(c) {
			b = append(b, c)
		} else {
			b = append(b, '%', digits[c>>4], digits[c&15])
		}
	}
	return b
}

// isSafeInSegment reports whether c is unreserved (RFC 3986, section 2.3) or one of the sub-delims that mean nothing
// in a path and nothing in HTML. Encoding the others changes no name, for the path is decoded before it is read.
func isSafeInSegment(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	}
	switch c {
	case '-', '.', '_', '~', '!', '$', '+', ',', '=':
		return true
	}
	return false
}

// isSafeInQuery reports whether c may stay in a query as it was sent. The percent sign may, since a query comes
// encoded. What could end the query, the line, or a quoted attribute in the HTML of a redirect's body may not.
func isSafeInQuery(c byte) bool {
	switch c {
	case '\\', '#', '"', '<', '>':
		return false
	}
	return c > ' ' && c < 0x7f
}

// Escape returns a segment as it stands in a reference: visible ASCII, without anything that has a meaning there or in
// HTML.
func Escape(segment string) string { return string(appendEscaped(nil, segment, isSafeInSegment)) }
