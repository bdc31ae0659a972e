// Package urlpath turns the path of a request into a name beneath the served directory, and into the targets of the
// redirects that add or remove a slash.
//
// Paths come decoded once, as the handler sees them; a prefix may have been taken off at a slash. The package
// imports nothing, and every function takes time linear in the length of its arguments.
package urlpath

// Target is what a request's path names.
type Target struct {
	// Name is slash-separated and rooted at the served directory, "." for the directory itself. It has no empty,
	// "." or ".." segment and no slash at either end, but it may hold bytes that are not UTF-8.
	Name string
	// Slash says that the path ended in a slash, as that of a directory does.
	Slash bool
}

// Parse returns what path names, which must not be longer than 8 KiB. escaped is the same path as it was sent, with its percent-encoding. It reports
// false where nothing can have the name, which is answered with 404.
//
// Dot segments and empty segments are removed as net/http removes them; ".." never leaves the root. An empty path,
// which is what remains of a prefix that was taken off entirely, is the root with its slash.
//
// Backslashes and control bytes are refused, NUL among them: one system or another reads them as a separator, as the
// end of the name or as a terminal's command. So is a separator that was sent encoded, because a guard in front that
// looks at the path before it is decoded would not have seen it (RFC 3986, section 2.2: an encoded delimiter is not a
// delimiter).
func Parse(path, escaped string) (Target, bool) {
	if len(path) > longest || !isNameable(path) || encodesSeparator(escaped) {
		return Target{}, false
	}
	slash := path == "" || path[len(path)-1] == '/'
	return Target{Name: clean(path), Slash: slash}, true
}

// Hidden reports whether a segment of name begins with a dot. The segment ".well-known" is excepted, because it is
// there to be asked for (RFC 8615, section 3); what begins with a dot beneath it is hidden all the same.
func Hidden(name string) bool {
	if name == "." {
		return false
	}
	for segment := range segments(name) {
		if segment != "" && segment[0] == '.' && segment != ".well-known" {
			return true
		}
	}
	return false
}

// Serves reports whether a request may ask for name, which is slash-separated from the root: whether a path can have
// that [Target.Name], and it is not hidden unless what is hidden is to be shown.
func Serves(name string, showHidden bool) bool {
	target, ok := Parse(name, "")
	return ok && target.Name == name && (showHidden || !Hidden(name))
}

// longest is twice the length in bytes that systems take for a path. A longer one consists of segments that are removed,
// and the way back from them, a redirect's Location, is many times as long.
const longest = 8 << 10

func isNameable(path string) bool {
	for i := range len(path) {
		if c := path[i]; c < ' ' || c == 0x7f || c == '\\' {
			return false
		}
	}
	return true
}

// encodesSeparator reports whether a slash or a backslash is percent-encoded in escaped.
func encodesSeparator(escaped string) bool {
	for i := 0; i+2 < len(escaped); i++ {
		if escaped[i] != '%' {
			continue
		}
		switch escaped[i+1 : i+3] {
		case "2f", "2F", "5c", "5C":
			return true
		}
	}
	return false
}

// clean returns the Name of path. A path that is clean already is not copied.
func clean(path string) string {
	name := trimSlashes(path)
	if isClean(name) {
		return name
	}
	kept := make([]byte, 0, len(path)+1)
	for segment := range segments(path) {
		switch segment {
		case "", ".":
		case "..":
			kept = parent(kept)
		default:
			kept = append(append(kept, '/'), segment...)
		}
	}
	if len(kept) == 0 {
		return "."
	}
	return string(kept[1:])
}

// trimSlashes returns path without one slash at its beginning and one at its end.
func trimSlashes(path string) string {
	if path != "" && path[0] == '/' {
		path = path[1:]
	}
	if path != "" && path[len(path)-1] == '/' {
		path = path[:len(path)-1]
	}
	return path
}

// isClean reports whether name has segments, and none that is empty or a dot segment.
func isClean(name string) bool {
	if name == "" || name[0] == '/' {
		return false
	}
	for segment := range segments(name) {
		switch segment {
		case "", ".", "..":
			return false
		}
	}
	return true
}

// parent returns name, each of whose segments follows a slash, without its last segment.
func parent(name []byte) []byte {
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == '/' {
			return name[:i]
		}
	}
	return name
}

// segments yields what stands between the slashes of path. A leading slash begins the first segment; "" has none.
func segments(path string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		if path == "" {
			return
		}
		start := 0
		if path[0] == '/' {
			start = 1
		}
		for i := start; i < len(path); i++ {
			if path[i] != '/' {
				continue
			}
			if !yield(path[start:i]) {
				return
			}
			start = i + 1
		}
		yield(path[start:])
	}
}
