package urlpath_test

import (
	"strings"
	"testing"

	"servery/internal/urlpath"
)

func TestWithSlash(t *testing.T) {
	tests := []struct{ path, query, want, reason string }{
		{"/a", "", "./a/", "the last segment"},
		{"/a/b", "", "./b/", "only the last segment, for a prefix may stand before the others"},
		{"a/b", "", "./b/", "without a leading slash"},
		{"/a", "x=1&y=%20", "./a/?x=1&y=%20", "the query is kept as it was sent"},
		{"/a", "?", "./a/??", "a question mark in a query is a character"},
		{"/a", "x\r\ny z\t\x00\x7f", "./a/?x%0D%0Ay%20z%09%00%7F", "no line break and no blank in a query"},
		{"/a", `#\"<>é`, "./a/?%23%5C%22%3C%3E%C3%A9", "nor what ends it or changes its meaning"},
		{"//evil.example", "", "./evil.example/", "two slashes first"},
		{"/javascript:x", "", "./javascript%3Ax/", "a colon makes no scheme"},
		{"/a?b#c", "", "./a%3Fb%23c/", "no delimiter of a query or a fragment"},
		{"/50%", "", "./50%25/", "a percent sign"},
		{"/%2e%2e", "", "./%252e%252e/", "a name that looks like encoded dots"},
		{"/a b;c&d'e", "", "./a%20b%3Bc%26d%27e/", "a blank, and sub-delims that mean something somewhere"},
		{"/-._~!$+,=", "", "./-._~!$+,=/", "what means nothing stays readable"},
		{"/é", "", "./%C3%A9/", "UTF-8 byte by byte"},
		{"/\xff", "", "./%FF/", "bytes that are not UTF-8"},
		{"/\\\r\n", "", "./%5C%0D%0A/", "what Parse refuses is harmless all the same"},
		{"/a/.", "", "./", "the client stands in the directory"},
		{"/a/b/..", "", "../", "the client stands one below it"},
		{"/..", "", "./", "the root from the root"},
		{"/a//b", "", "./b/", "the client stands in the empty segment, which does no harm"},
		{"/a/./b", "", "./b/", "a dot on the way"},
		{"/x/../b", "", "./b/", "two dots on the way"},
		{"/a//../b", "", "../b/", "the dots took the empty segment: the client stands in a"},
		{"/a//../b/c", "", "../../b/c/", "the same a level deeper"},
		{"/a//..", "", "../../", "the client stands in the empty segment, two below the root"},
		{"", "", "./", "not asked for: the empty path has a slash"},
	}
	for _, tt := range tests {
		if got := urlpath.WithSlash(tt.path, tt.query); got != tt.want {
			t.Errorf("WithSlash(%q, %q) = %q, want %q: %s", tt.path, tt.query, got, tt.want, tt.reason)
		}
	}
}

func TestWithoutSlash(t *testing.T) {
	tests := []struct{ path, query, want, reason string }{
		{"/a/", "", "../a", "one up, and down to the name"},
		{"/a/b/", "", "../b", "only the last segment, for a prefix may stand before the others"},
		{"a/b/", "", "../b", "without a leading slash"},
		{"/a/b///", "", "../../../b", "the client counts every slash"},
		{"/a/", "x=1", "../a?x=1", "the query is kept"},
		{"//evil.example/", "", "../evil.example", "two slashes first"},
		{"/javascript:x/", "", "../javascript%3Ax", "a colon makes no scheme"},
		{"/a//b/", "", "../b", "an empty segment on the way does no harm"},
		{"/a/f/./", "", "../f", "a dot before the slash is no level"},
		{"/a/f/x/../", "", "../f", "nor is what two dots take"},
		{"/a/f//./", "", "../../f", "an empty segment before the dot is one"},
		{"/a//../f/", "", "../../f", "the dots took the empty segment: the client stands in a/f"},
		{"/", "", "", "the root has no form without a slash"},
		{"", "", "", "nor has it by its other name"},
		{"/a/../", "", "", "nor by a detour"},
	}
	for _, tt := range tests {
		if got := urlpath.WithoutSlash(tt.path, tt.query); got != tt.want {
			t.Errorf("WithoutSlash(%q, %q) = %q, want %q: %s", tt.path, tt.query, got, tt.want, tt.reason)
		}
	}
}

// TestLimitsOfLocations has the requests from which no relative reference leads every client to the target. Where they
// lead instead is on the same host and asks for no further redirect of the same kind.
func TestLimitsOfLocations(t *testing.T) {
	rfc := func(request, location string) string {
		path, _ := resolveRFC(request, location)
		return path
	}
	whatwg := func(request, location string) string {
		path, _, _ := resolveWHATWG(request, location)
		return path
	}
	tests := []struct {
		resolve             func(request, location string) string
		request, path, want string
		reason              string
	}{
		{rfc, "/p/../a", "/../a", "/a/", "the client has left the prefix: to it the request is for /a"},
		{rfc, "/p/../../p/a", "/../../p/a", "/p/a/", "it has left the prefix and come back, which the handler cannot tell"},
		{rfc, "/a//%2e%2e/b", "/a//../b", "/a//b/", "a client that takes encoded dots for a name stands elsewhere"},
		{whatwg, "/a/b/..", "/a/b/..", "/", "a client that removes dots at the end asks for /a/ and not for this"},
	}
	for _, tt := range tests {
		location := urlpath.WithSlash(tt.path, "")
		if got := tt.resolve(tt.request, location); got != tt.want {
			t.Errorf("%q from %q leads to %q, want %q: %s", location, tt.request, got, tt.want, tt.reason)
		}
	}
}

func accepted(path string) bool {
	_, ok := urlpath.Parse(path, path)
	return ok
}

// Paths of this length take milliseconds in linear time and minutes in quadratic time, so that the test needs no
// clock: it would not end.
func TestLongPathsTakeLinearTime(t *testing.T) {
	const repeats = 1 << 19
	tests := []struct{ repeated, reason string }{
		{"/", "empty segments"},
		{"/a", "names"},
		{"/..", "dots"},
		{"/a/..", "names that are removed"},
		{"/a//..", "names that a client keeps"},
	}
	for _, tt := range tests {
		path := "/x/" + strings.Repeat(tt.repeated, repeats)
		if _, ok := urlpath.Parse(path, path); ok {
			t.Errorf("%s: %d bytes name something", tt.reason, len(path))
		}
		if short := path[:8<<10]; !accepted(short) || accepted(short+"/") {
			t.Errorf("%s: the limit is not 8 KiB", tt.reason)
		}
		checkHarmless(t, urlpath.WithSlash(path, path))
		checkHarmless(t, urlpath.WithoutSlash(path+"/", path))
	}
}
