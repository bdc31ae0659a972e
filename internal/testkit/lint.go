package testkit

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Lint returns what is wrong with an answer, whatever was asked. Each rule is one
// of RFC 9110 and 9112, or a promise of the library.
func Lint(method string, fields []string, r Response) []string {
	var faults []string
	rule := func(ok bool, fault string) {
		if !ok {
			faults = append(faults, fault)
		}
	}
	h := r.Header
	has := func(name string) bool { return len(h[name]) > 0 }
	for name, values := range h {
		rule(len(values) == 1 || name == "Set-Cookie" || name == "Vary", name+" stands there more than once")
	}
	rule(!has("Content-Length") || !has("Transfer-Encoding"), "both Content-Length and Transfer-Encoding (RFC 9112, 6.2)")
	rule(has("Date"), "no Date (RFC 9110, 6.6.1)")
	if tag := h.Get("Etag"); has("Etag") {
		opaque := strings.TrimPrefix(tag, "W/")
		rule(len(opaque) >= 2 && opaque[0] == '"' && opaque[len(opaque)-1] == '"', "ETag is not quoted")
	}
	if length, err := strconv.Atoi(h.Get("Content-Length")); has("Content-Length") && r.Err == nil && method != "HEAD" {
		rule(err == nil && (length == len(r.Body) || r.Status == 304), "Content-Length is not the body's")
	}
	lintStatus(method, r, has, rule)
	return faults
}

func lintStatus(method string, r Response, has func(string) bool, rule func(bool, string)) {
	h := r.Header
	switch r.Status {
	case http.StatusNotModified:
		for _, name := range []string{"Content-Type", "Content-Length", "Content-Encoding", "Content-Range"} {
			rule(!has(name), "304 with "+name)
		}
		rule(has("Etag") || has("Last-Modified"), "304 without a validator")
	case http.StatusPartialContent:
		multipart := strings.HasPrefix(h.Get("Content-Type"), "multipart/byteranges")
		rule(has("Content-Range") != multipart, "206 needs Content-Range, or parts that have it")
		rule(!has("Content-Encoding"), "a range of a coded representation")
	case http.StatusRequestedRangeNotSatisfiable:
		rule(strings.HasPrefix(h.Get("Content-Range"), "bytes */"), "416 without the size")
	case http.StatusMethodNotAllowed:
		rule(has("Allow"), "405 without Allow")
	case http.StatusServiceUnavailable:
		rule(has("Retry-After") && h.Get("Cache-Control") == "no-store", "503 that is kept, or for ever")
	}
	if r.Status >= 400 {
		for _, name := range []string{"Etag", "Last-Modified", "Content-Encoding", "Accept-Ranges"} {
			rule(!has(name), "an error with "+name)
		}
		rule(r.Status == 503 || !has("Cache-Control"), "an error with a cache policy")
		rule(method == "HEAD" || isPlainError(r) || isErrorPage(r), "an error's body says more than its status")
	}
	if has("Content-Encoding") {
		rule(!has("Accept-Ranges"), "ranges of a coded representation")
		rule(slices.ContainsFunc(h["Vary"], func(v string) bool { return strings.Contains(v, "Accept-Encoding") }), "coded without Vary")
	}
}

// isErrorPage reports whether the application answered itself that nothing was found: what
// the library says of errors is plain text.
func isErrorPage(r Response) bool {
	return r.Status == http.StatusNotFound && strings.HasPrefix(r.Header.Get("Content-Type"), "text/html")
}

// isPlainError reports whether an error says its status and nothing else: what
// the system said stays with the server.
func isPlainError(r Response) bool {
	want := strconv.Itoa(r.Status) + " " + http.StatusText(r.Status) + "\n"
	if r.Status == http.StatusRequestedRangeNotSatisfiable {
		want = "416 Range Not Satisfiable\n" // RFC 9110, section 15.5.17
	}
	return string(r.Body) == want
}
