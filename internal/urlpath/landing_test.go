package urlpath_test

import (
	"net/url"
	"strings"
	"testing"

	"servery/internal/urlpath"
)

// TestRedirectsOfEveryShape follows the redirects of all paths that are made of up to five of these segments. Random
// paths seldom have the dots and the empty segments next to each other that this takes.
func TestRedirectsOfEveryShape(t *testing.T) {
	shapes := []string{""}
	for range 5 {
		var longer []string
		for _, path := range shapes {
			for _, segment := range []string{"", ".", "..", "a", "b:c"} {
				longer = append(longer, path+"/"+segment)
			}
		}
		for _, path := range longer {
			checkRedirect(t, path, "")
			checkRedirect(t, path[1:], "")
		}
		if t.Failed() {
			return
		}
		shapes = longer
	}
}

// FuzzLocations follows the redirects of a path with every kind of client, with and without a prefix in front.
func FuzzLocations(f *testing.F) {
	f.Fuzz(checkRedirect)
}

// checkRedirect checks both Locations as text, and the one that the path would be answered with by following it.
func checkRedirect(t *testing.T, path, query string) {
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
func checkLanded(t *testing.T, client, request, location, prefix, landed, landedQuery string,
	want urlpath.Target, query string) {
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
