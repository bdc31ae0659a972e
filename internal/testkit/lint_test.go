package testkit

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// answer makes a Response out of a status, lines and a body. Every answer has a date,
// unless one of the lines is "Date:".
func answer(status int, body string, lines ...string) Response {
	header := http.Header{"Date": {"Fri, 01 Mar 2024 12:00:00 GMT"}}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ":")
		if name == "Date" {
			header.Del(name)
		}
		if value = strings.TrimSpace(value); value != "" {
			header.Add(name, value)
		}
	}
	return Response{Status: status, Head: fmt.Sprint(header), Header: header, Body: []byte(body)}
}

const (
	sized   = "Content-Length: 4"
	kind    = "Content-Type: text/plain; charset=utf-8"
	nosniff = "X-Content-Type-Options: nosniff"
	varies  = "Vary: Accept-Encoding"
	ranges  = "Accept-Ranges: bytes"
	tag     = `Etag: "x"`
	gzipped = "Content-Encoding: gzip"
	wants   = "Accept-Encoding: gzip;q=0.5, br;q=0"
	part    = "Range: bytes=2-5"
)

// parts are bytes 0 to 1 and 8 of ten.
const twoParts = "--B\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-1/10\r\n\r\nab\r\n" +
	"--B\r\nContent-Type: text/plain\r\nContent-Range: bytes 8-8/10\r\n\r\ni\r\n--B--\r\n"

var several = []string{nosniff, "Content-Type: multipart/byteranges; boundary=B"}

func multipart(body string, lines ...string) Response {
	return answer(206, body, append(lines, append(several, fmt.Sprintf("Content-Length: %d", len(body)))...)...)
}

// What is as it should be, and what is not for one reason alone.
func TestLint(t *testing.T) {
	for _, tt := range []struct {
		method   string
		fields   []string
		response Response
		want     string // a part of the only fault, or "" for none
	}{
		{"GET", nil, answer(200, "text", sized, kind, nosniff, varies, ranges, tag), ""},
		{"HEAD", nil, answer(200, "", sized, kind, nosniff, varies, ranges, tag), ""},
		{"GET", []string{wants}, answer(200, "text", sized, kind, nosniff, varies, tag, gzipped), ""},
		{"GET", nil, answer(200, "text", "Transfer-Encoding: chunked", kind, nosniff), ""},
		{"GET", nil, answer(204, "", "Allow: GET"), ""},
		{"GET", nil, answer(103, "", "Date:"), ""},
		{"GET", []string{`If-None-Match: "x"`}, answer(304, "", tag, varies, "Cache-Control: no-cache"), ""},
		{"GET", nil, answer(301, "", "Location: ../a/?q=1", "Content-Length: 0"), ""},
		{"GET", []string{part}, answer(206, "cdef", sized, nosniff, "Content-Range: bytes 2-5/10"), ""},
		{"GET", []string{"Range: bytes=-4"}, answer(206, "ghij", sized, nosniff, "Content-Range: bytes 6-9/10"), ""},
		{"GET", []string{"Range: bytes=6-"}, answer(206, "ghij", sized, nosniff, "Content-Range: bytes 6-9/10"), ""},
		{"GET", []string{"Range: bytes=6-99999999999999999999"}, answer(206, "ghij", sized, nosniff, "Content-Range: bytes 6-9/10"), ""},
		{"GET", []string{"Range: bytes=-99999999999999999999"}, answer(206, "abcd", sized, nosniff, "Content-Range: bytes 0-3/4"), ""},
		{"GET", []string{"Range: bytes=0-1,8-8"}, multipart(twoParts), ""},
		{"GET", []string{part}, answer(416, "416 Range Not Satisfiable\n", "Content-Range: bytes */2"), ""},
		{"GET", nil, answer(404, "404 Not Found\n", kind), ""},
		{"GET", nil, answer(406, "406 Not Acceptable\n", varies), ""},
		{"PUT", nil, answer(405, "405 Method Not Allowed\n", "Allow: GET"), ""},
		{"GET", nil, answer(503, "503 Service Unavailable\n", "Retry-After: 1", "Cache-Control: no-store"), ""},

		{"GET", nil, answer(200, "text", sized, sized, nosniff), "Content-Length stands there more than once"},
		{"GET", nil, answer(200, "text", kind, kind, nosniff), "Content-Type stands there more than once"},
		{"GET", nil, answer(200, "text", sized, nosniff, "Transfer-Encoding: chunked"), "both"},
		{"GET", nil, answer(200, "text", nosniff, "Date:"), "no Date"},
		{"GET", nil, answer(200, "text", nosniff, "Content-Length: 5"), "not the body's"},
		{"GET", nil, answer(200, "text", nosniff, "Content-Length: +4"), "no number"},
		{"GET", nil, answer(204, "", "Content-Length: 0"), "cannot be"},
		{"GET", nil, answer(103, "", "Transfer-Encoding: chunked"), "cannot be"},
		{"HEAD", nil, answer(200, "text", nosniff), "a body where none may be"},
		{"GET", nil, answer(204, "text"), "a body where none may be"},
		{"GET", nil, answer(304, "text", tag), "a body where none may be"},
		{"GET", nil, answer(200, "", nosniff, "Vary: Origin, Accept-Encoding, origin"), "a field more than once"},
		{"GET", nil, answer(200, "", nosniff, "Date:", "Date: Fri, 1 Mar 2024 12:00:00 GMT"), "no IMF-fixdate"},
		{"GET", nil, answer(200, "", nosniff, "Last-Modified: Friday, 01-Mar-24 12:00:00 GMT"), "no IMF-fixdate"},
		{"GET", nil, answer(200, "", nosniff, "Expires: 0"), "no IMF-fixdate"},
		{"GET", nil, answer(200, "", nosniff, "Last-Modified: Fri, 01 Mar 2024 12:00:01 GMT"), "later than Date"},
		{"GET", nil, answer(200, "", nosniff, "Etag: x"), "no entity-tag"},
		{"GET", nil, answer(200, "", nosniff, `Etag: "a"b"`), "no entity-tag"},
		{"GET", []string{"Range: bytes=0-0", `If-Range: "x"`}, answer(206, "a", nosniff, "Content-Length: 1", "Content-Range: bytes 0-0/2", `Etag: W/"x"`), "weak"},
		{"GET", []string{`If-None-Match: "y"`}, answer(304, "", tag), "does not hold"},
		{"GET", []string{wants}, answer(200, "", nosniff, gzipped), "coded without Vary"},
		{"GET", []string{wants}, answer(200, "", nosniff, gzipped, varies, ranges), "ranges of a coded"},
		{"GET", []string{wants}, answer(200, "", nosniff, varies, "Content-Encoding: br"), "not asked for"},
		{"GET", nil, answer(200, "", nosniff, varies, gzipped), "not asked for"},
		{"GET", []string{"Accept-Encoding: *"}, answer(200, "", nosniff, varies, "Content-Encoding: x-gzip"), "is none"},
		{"GET", nil, answer(200, "", nosniff, varies, "Content-Type: image/png"), "is never coded"},
		{"GET", []string{wants}, answer(200, "", nosniff, "Vary: *", gzipped, "Content-Type: text/event-stream"), "coded, though"},
		{"GET", nil, answer(406, "406 Not Acceptable\n"), "406 without Vary"},
		{"GET", nil, answer(304, "", tag, kind), "304 with Content-Type"},
		{"GET", []string{wants}, answer(304, "", tag, gzipped, varies), "304 with Content-Encoding"},
		{"GET", nil, answer(304, ""), "a tag, or else a date"},
		{"GET", nil, answer(304, "", tag, "Last-Modified: Fri, 01 Mar 2024 12:00:00 GMT"), "a tag, or else a date"},
		{"GET", []string{part}, answer(416, "416 Range Not Satisfiable\n"), "416 without the size"},
		{"GET", []string{part}, answer(416, "416 Range Not Satisfiable\n", "Content-Range: bytes 0-1/2"), "416 without the size"},
		{"HEAD", []string{part}, answer(416, "", "Content-Range: bytes */2"), "no range was asked for"},
		{"PUT", nil, answer(405, "405 Method Not Allowed\n"), "405 without Allow"},
		{"GET", nil, answer(200, "", nosniff, "Content-Range: bytes */2"), "means nothing"},
		{"GET", nil, answer(200, "text", sized), "sniffed"},
		{"GET", nil, answer(301, "", "Location: //host/"), "another host"},
		{"GET", nil, answer(301, "", `Location: /\host/`), "another host"},
		{"GET", nil, answer(301, "", "Location: http://host/"), "another host"},
		{"GET", nil, answer(301, ""), "another host"},
		{"GET", nil, answer(503, "503 Service Unavailable\n", "Cache-Control: no-store"), "for ever"},
		{"GET", nil, answer(503, "503 Service Unavailable\n", "Retry-After: 1"), "for ever"},
		{"GET", nil, answer(404, "404 Not Found\n", "Cache-Control: no-cache"), "a cache policy"},
		{"GET", nil, answer(404, "404 Not Found\n", tag), "an error with Etag"},
		{"GET", nil, answer(404, "404 page not found\n"), "more than its status"},
		{"GET", nil, answer(500, "500 Internal Server Error\nread /srv/x: input/output error\n"), "more than its status"},
		{"HEAD", nil, answer(404, "", "X-Error: open /srv/x: no such file or directory"), "what the system said"},
	} {
		wantFaults(t, fmt.Sprint(tt.method, tt.fields, tt.response.Status, tt.response.Header), Lint(tt.method, tt.fields, tt.response), tt.want)
	}
}

// The numbers of a 206 agree with each other, with the bytes and with the request.
func TestLintPartial(t *testing.T) {
	replace := func(old, new string) Response { return multipart(strings.Replace(twoParts, old, new, 1)) }
	const two = "Range: bytes=0-1,8-8"
	for _, tt := range []struct {
		method, field string
		response      Response
		want          string
	}{
		{"HEAD", part, answer(206, "", sized, nosniff, "Content-Range: bytes 2-5/10"), "no range was asked for"},
		{"GET", wants, answer(206, "cdef", sized, nosniff, "Content-Range: bytes 2-5/10"), "no range was asked for"},
		{"GET", part, answer(206, "cdef", nosniff, "Content-Range: bytes 2-5/10"), "without Content-Length"},
		{"GET", part + "\r\n" + wants, answer(206, "cdef", sized, nosniff, varies, gzipped, "Content-Range: bytes 2-5/10"), "of a coded representation"},
		{"GET", part, answer(206, "cdef", sized, nosniff), "is no range"},
		{"GET", part, answer(206, "cdef", sized, nosniff, "Content-Range: bytes 2-5/*"), "is no range"},
		{"GET", part, answer(206, "cdef", sized, nosniff, "Content-Range: bytes 2-5/5"), "is no range"},
		{"GET", part, answer(206, "cdef", sized, nosniff, "Content-Range: bytes 5-2/10"), "is no range"},
		{"GET", part, answer(206, "cdef", sized, nosniff, "Content-Range: bytes 2-5/99999999999999999999"), "is no range"},
		{"GET", part, answer(206, "cdef", sized, nosniff, "Content-Range: bytes 2-6/10"), "not the body's length"},
		{"GET", part, answer(206, "cdef", sized, nosniff, "Content-Range: bytes 3-6/10"), "not the range that was asked for"},
		{"GET", "Range: bytes=-5", answer(206, "cdef", sized, nosniff, "Content-Range: bytes 6-9/10"), "not the range that was asked for"},
		{"GET", "Range: bytes=2-", answer(206, "cdef", sized, nosniff, "Content-Range: bytes 2-5/10"), "not the range that was asked for"},
		{"GET", two, multipart(twoParts, "Content-Range: bytes 0-1/10"), "of several parts"},
		{"GET", two, replace("bytes 0-1/10", "bytes 0-2/10"), "not as long as its Content-Range"},
		{"GET", two, replace("bytes 0-1/10", "bytes 0-1/11"), "different sizes"},
		{"GET", two, replace("\r\nContent-Range: bytes 0-1/10", ""), "without Content-Range"},
		{"GET", two, replace("Content-Type: text/plain", "Content-Type text/plain"), "whose head is none"},
		{"GET", two, replace("--B--", "--C--"), "no boundary after 2 parts"},
		{"GET", two, replace("--B--\r\n", "--B--\r\nmore"), "an end that is none"},
		{"GET", two, multipart("\r\n" + twoParts), "no boundary after 0 parts"},
		{"GET", two, multipart("--B--\r\n"), "an end that is none"},
	} {
		wantFaults(t, fmt.Sprintf("%s %q %v %q", tt.method, tt.field, tt.response.Header, tt.response.Body),
			Lint(tt.method, []string{tt.field}, tt.response), tt.want)
	}
}

// Other handlers may say more, and net/http lets them say anything.
func TestLintLayers(t *testing.T) {
	for _, tt := range []struct {
		response                  Response
		framing, handler, library int
	}{
		{answer(500, "disk on fire", "Cache-Control: no-cache"), 0, 0, 2},
		{answer(200, "text", "Etag: x"), 0, 1, 2},
		{answer(200, "text", "Content-Length: 5", nosniff), 1, 1, 1},
	} {
		got := [3]int{len(LintFraming("GET", nil, tt.response)), len(LintHandler("GET", nil, tt.response)), len(Lint("GET", nil, tt.response))}
		if want := [3]int{tt.framing, tt.handler, tt.library}; got != want {
			t.Errorf("%v: %v faults, want %v", tt.response.Header, got, want)
		}
	}
}

func wantFaults(t *testing.T, what string, faults []string, want string) {
	t.Helper()
	if want == "" && len(faults) > 0 {
		t.Errorf("%s: faults %q, want none", what, faults)
	}
	if want != "" && (len(faults) != 1 || !strings.Contains(faults[0], want)) {
		t.Errorf("%s: faults %q, want one that says %q", what, faults, want)
	}
}
