package urlpath_test

import (
	"fmt"
	"strings"
)

// This file has the two ways in which clients resolve a Location, each written from its standard and neither with the
// help of the package under test.

// escape encodes a path as a client would, and every byte that a client might encode.
func escape(path string) string {
	var b strings.Builder
	for i := range len(path) {
		c := path[i]
		if strings.IndexByte("/-._~", c) >= 0 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02x", c)
		}
	}
	return b.String()
}

// resolveRFC resolves a relative-path reference against the path of a request (RFC 3986, section 5.2) and returns the
// path, still encoded, and the query.
func resolveRFC(request, location string) (path, query string) {
	location, query, _ = strings.Cut(location, "?")
	merged := request[:strings.LastIndexByte(request, '/')+1] + location
	return removeDotSegments(merged), query
}

// removeDotSegments is RFC 3986, section 5.2.4, step by step.
func removeDotSegments(input string) string {
	output := ""
	pop := func() { output = output[:max(strings.LastIndexByte(output, '/'), 0)] }
	for input != "" {
		switch {
		case strings.HasPrefix(input, "../"):
			input = input[3:]
		case strings.HasPrefix(input, "./"):
			input = input[2:]
		case strings.HasPrefix(input, "/./"):
			input = input[2:]
		case input == "/.":
			input = "/"
		case strings.HasPrefix(input, "/../"):
			input = input[3:]
			pop()
		case input == "/..":
			input = "/"
			pop()
		case input == "." || input == "..":
			input = ""
		default:
			end := len(input)
			if i := strings.IndexByte(input[1:], '/'); i >= 0 {
				end = i + 1
			}
			output += input[:end]
			input = input[end:]
		}
	}
	return output
}

// resolveWHATWG follows the states of the URL Standard for a special scheme. It fails where the reference leaves the
// host: with a scheme, or with two slashes of either kind.
func resolveWHATWG(request, location string) (path, query string, ok bool) {
	location = strings.TrimFunc(location, func(r rune) bool { return r <= ' ' })
	location = strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(location)
	if hasScheme(location) {
		return "", "", false
	}
	location, _, _ = strings.Cut(location, "#")
	location, query, _ = strings.Cut(location, "?")
	location = strings.ReplaceAll(location, `\`, "/")
	if strings.HasPrefix(location, "//") {
		return "", "", false
	}
	base := appendSegments(nil, strings.Split(request, "/")[1:])
	if strings.HasPrefix(location, "/") {
		base, location = nil, location[1:]
	} else {
		base = base[:len(base)-1]
	}
	return "/" + strings.Join(appendSegments(base, strings.Split(location, "/")), "/"), query, true
}

// appendSegments is the path state: a dot segment at the end leaves an empty segment, which is the slash there.
func appendSegments(path, segments []string) []string {
	for i, segment := range segments {
		isLast := i == len(segments)-1
		switch strings.ReplaceAll(strings.ToLower(segment), "%2e", ".") {
		case "..":
			path = path[:max(len(path)-1, 0)]
		case ".":
		default:
			path = append(path, segment)
			continue
		}
		if isLast {
			path = append(path, "")
		}
	}
	return path
}

func hasScheme(s string) bool {
	for i := range len(s) {
		c := s[i] | 0x20
		switch {
		case 'a' <= c && c <= 'z':
		case i > 0 && s[i] == ':':
			return true
		case i > 0 && ('0' <= s[i] && s[i] <= '9' || strings.IndexByte("+-.", s[i]) >= 0):
		default:
			return false
		}
	}
	return false
}
