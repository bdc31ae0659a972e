package anchor

import (
	"strings"
	"unicode/utf8"
)

// maxName is the longest name in bytes. It is Linux's PATH_MAX without the final NUL; os.Root, which opens element
// by element, has no limit of its own and would give another answer than the kernel.
const maxName = 4095

// isName reports whether name is "." or consists of elements that each name something in a directory: not empty,
// not "." or "..", without NUL. It is [io/fs.ValidPath] for names that need not be UTF-8. Being strict gives every
// file one name, which is what caches and guards compare.
func isName(name string) bool {
	if len(name) > maxName || strings.IndexByte(name, 0) >= 0 {
		return false
	}
	if name == "." {
		return true
	}
	for element := range strings.SplitSeq(name, "/") {
		if element == "" || element == "." || element == ".." {
			return false
		}
	}
	return true
}

// isWindowsAlias reports whether Windows would take name for something else than what it says, or for nothing that
// a directory can hold: alternate data streams and drives (":"), separators ("\"), short names ("PROGRA~1"), ends
// that are cut off (dots and blanks), characters that are forbidden or wild, bytes that are replaced because they
// are not UTF-8. A guard that compares names would be passed by through any of them.
//
// The names of devices ("NUL", "COM1.txt") are left to os.Root, which knows them.
func isWindowsAlias(name string) bool {
	if strings.ContainsAny(name, `\:<>"|?*`) || strings.ContainsFunc(name, isControl) || !utf8.ValidString(name) {
		return true
	}
	if name == "." {
		return false
	}
	for element := range strings.SplitSeq(name, "/") {
		if strings.HasSuffix(element, ".") || strings.HasSuffix(element, " ") || isShortName(element) {
			return true
		}
	}
	return false
}

func isControl(r rune) bool {
	return r < ' '
}

// isShortName reports whether element can be a name that Windows made up for a longer one: a tilde and a digit.
// Real names of that form are lost, which is the lesser evil.
func isShortName(element string) bool {
	for i := 1; i < len(element); i++ {
		if element[i-1] == '~' && '0' <= element[i] && element[i] <= '9' {
			return true
		}
	}
	return false
}
