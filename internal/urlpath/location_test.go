package urlpath_test

import (
	"net/url"
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

// FuzzLocations follows the redirects of a path with every kind of client, with and without a prefix in front.
func FuzzLocations(f *testing.F) {
	f.Fuzz(func(t *testing.T, path, query string) {
		added, removed := urlpath.WithSlash(path, query), urlpath.WithoutSlash(path, query)
		checkHarmless(t, added)
		checkHarmless(t, removed)
		target, ok := urlpath.Parse(path, escape(path))
		switch {
		case !ok:
		case !target.Slash:
			checkLanding(t, path, added, urlpath.Target{Name: target.Name, Slash: true}, query)
		case target.Name != ".":
			checkLanding(t, path, removed, urlpath.Target{Name: target.Name, Slash: false}, query)
		case removed != "":
			t.Errorf("WithoutSlash(%q) = %q for the root", path, removed)
		}
	})
}

// checkHarmless looks at a Location as text: it is relative and consists of visible ASCII without a backslash.
func checkHarmless(t *testing.T, location string) {
	if location != "" && !strings.HasPrefix(location, "./") && !strings.HasPrefix(location, "../") {
		t.Errorf("Location %q does not begin with a dot segment", location)
	}
	for i := range len(location) {
		if c := location[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\\\"<>#", c) >= 0 {
			t.Errorf("Location %q holds %q", location, c)
		}
	}
}

// checkLanding resolves location against every request that reaches the handler as path.
func checkLanding(t *testing.T, path, location string, want urlpath.Target, query string) {
	prefixes := []string{"", "/p", "/p/q", "/p//q"}
	if !strings.HasPrefix(path, "/") {
		prefixes = []string{"/", "/p/", "/p/q/"}
	}
	for i, prefix := range prefixes {
		if i > 0 && climbsAboveRoot(path) {
			return
		}
		request := prefix + escape(path)
		encodedDots := prefix + strings.ReplaceAll(escape(path), ".", "%2e")
		rfc, rfcQuery := resolveRFC(request, location)
		checkLanded(t, "RFC 3986", request, location, prefix, rfc, rfcQuery, want, query)
		for _, request := range []string{request, encodedDots} {
			whatwg, whatwgQuery, ok := resolveWHATWG(request, location)
			if !ok {
				t.Fatalf("WHATWG: %q from %q leaves the host", location, request)
			}
			if strings.HasSuffix("/"+path, "/..") {
				continue // No client of this kind asks for it, see TestLimitsOfLocations.
			}
			checkLanded(t, "WHATWG", request, location, prefix, whatwg, whatwgQuery, want, query)
		}
		checkNetURL(t, request, location)
	}
}

// checkLanded reads the path that a client asks for next as a handler behind prefix does.
func checkLanded(t *testing.T, client, request, location, prefix, landed, landedQuery string, want urlpath.Target, query string) {
	t.Helper()
	decoded, err := url.PathUnescape(landed)
	if err != nil {
		t.Fatalf("%s: %q from %q: %v", client, location, request, err)
	}
	rest, ok := strings.CutPrefix(decoded, prefix)
	got, valid := urlpath.Parse(rest, strings.TrimPrefix(landed, prefix))
	if !ok || !valid || got != want {
		t.Errorf("%s: %q from %q leads to %q, which is %+v, want %+v", client, location, request, landed, got, want)
	}
	if sent, err := url.PathUnescape(landedQuery); err == nil && !strings.Contains(query, "%") && sent != query {
		t.Errorf("%s: query %q, want %q", client, sent, query)
	}
}

// checkNetURL has the reference resolved by the client that Go programs use: it stays on the host.
func checkNetURL(t *testing.T, request, location string) {
	base := &url.URL{Scheme: "http", Host: "host.example", Path: request}
	got, err := base.Parse(location)
	if err != nil || got.Host != base.Host || got.Scheme != base.Scheme {
		t.Errorf("net/url: %q from %q leads to %v, %v", location, request, got, err)
	}
}

// climbsAboveRoot reports whether a client that resolves path leaves the directory that path is relative to.
func climbsAboveRoot(path string) bool {
	depth := 0
	for segment := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		switch segment {
		case ".":
		case "..":
			if depth--; depth < 0 {
				return true
			}
		default:
			depth++
		}
	}
	return false
}
