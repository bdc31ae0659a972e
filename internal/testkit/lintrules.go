package testkit

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// entityTag is one of RFC 9110, section 8.8.3.
var entityTag = regexp.MustCompile(`^(W/)?"[\x21\x23-\x7e\x80-\xff]*"$`)

func (f *findings) validators() {
	tag := f.Header.Get("Etag")
	f.rule(!f.has("Etag") || entityTag.MatchString(tag), "ETag is no entity-tag (RFC 9110, section 8.8.3)")
	if f.Status == http.StatusPartialContent && len(f.asked("If-Range")) > 0 {
		f.rule(!strings.HasPrefix(tag, "W/"), "If-Range with a weak tag (RFC 9110, section 13.1.5)")
	}
	if f.Status == http.StatusNotModified && len(f.asked("If-None-Match")) > 0 {
		held := strings.Join(f.asked("If-None-Match"), ",")
		f.rule(held == "*" || strings.Contains(held, strings.TrimPrefix(tag, "W/")), "304 for a tag that the client does not hold (RFC 9110, section 15.4.5)")
	}
}

// never are the types that gain nothing, and may not be coded.
var never = regexp.MustCompile(`^(image/(png|jpeg|gif|webp|avif)|audio/|video/|font/woff|application/(zip|gzip|grpc)|text/event-stream)`)

func (f *findings) coding() {
	vary := members(f.Header["Vary"])
	byCoding := slices.Contains(vary, "accept-encoding")
	varies := byCoding || slices.Contains(vary, "*")
	kind := f.Header.Get("Content-Type")
	if f.has("Content-Encoding") {
		coding := f.Header.Get("Content-Encoding")
		f.rule(slices.Contains([]string{"gzip", "zstd", "br"}, coding), "the coding "+coding+" is none (RFC 9110, section 8.4)")
		f.rule(accepts(f.asked("Accept-Encoding"), coding), coding+" was not asked for (RFC 9110, section 12.5.3)")
		f.rule(varies, "coded without Vary (RFC 9110, section 12.5.5)")
		f.rule(!f.has("Accept-Ranges"), "ranges of a coded representation")
		f.rule(!never.MatchString(kind), "coded, though "+kind+" never is")
	}
	f.rule(f.Status != http.StatusNotAcceptable || varies, "406 without Vary (RFC 9110, section 12.5.5)")
	if f.Status < 300 && never.MatchString(kind) {
		f.rule(!byCoding, "Vary, though "+kind+" is never coded")
	}
}

var refusal = regexp.MustCompile(`;\s*[qQ]=0(\.0{0,3})?\s*$`)

// accepts reports whether a list asks for a coding. Of a coding that is there twice,
// one member is enough: which of them counts is for other tests.
func accepts(lines []string, coding string) bool {
	for _, member := range members(lines) {
		name, _, _ := strings.Cut(member, ";")
		name = strings.TrimPrefix(strings.TrimRight(name, " \t"), "x-")
		if (name == coding || name == "*") && !refusal.MatchString(member) {
			return true
		}
	}
	return false
}

func (f *findings) status() {
	h := f.Header
	switch f.Status {
	case http.StatusNotModified:
		for _, name := range []string{"Content-Type", "Content-Length", "Content-Encoding", "Content-Range", "Accept-Ranges"} {
			f.rule(!f.has(name), "304 with "+name+" (RFC 9110, section 15.4.5)")
		}
		f.rule(f.has("Etag") != f.has("Last-Modified"), "304 needs a tag, or else a date (RFC 9110, section 15.4.5)")
	case http.StatusRequestedRangeNotSatisfiable:
		f.rule(unsatisfied.MatchString(h.Get("Content-Range")), "416 without the size (RFC 9110, section 15.5.17)")
		f.rule(len(f.asked("Range")) > 0 && f.method == http.MethodGet, "416, and no range was asked for")
	case http.StatusMethodNotAllowed:
		f.rule(f.has("Allow"), "405 without Allow (RFC 9110, section 15.5.6)")
	}
	if f.Status != http.StatusPartialContent && f.Status != http.StatusRequestedRangeNotSatisfiable {
		f.rule(!f.has("Content-Range"), "Content-Range where it means nothing (RFC 9110, section 14.4)")
	}
}

var (
	unsatisfied = regexp.MustCompile(`^bytes \*/[0-9]+$`)

	// systemText is what errors of the system and of Go look like.
	systemText = regexp.MustCompile(`(?i)no such file|permission denied|not a directory|too many open files|input/output error|openat|goroutine \d|runtime error|\.go:\d`)
)

// staysHere reports whether no client can take a reference for another host: some read
// a backslash as a slash, and skip blanks.
func staysHere(location string) bool {
	u, err := url.Parse(location)
	odd := strings.ContainsAny(location, "\\ \t\r\n") || strings.HasPrefix(location, "//")
	return err == nil && location != "" && !odd && u.Scheme == "" && u.Host == ""
}

// promises are those of a FileServer.
func (f *findings) promises() {
	switch h := f.Header; f.Status {
	case http.StatusOK, http.StatusPartialContent:
		f.rule(h.Get("X-Content-Type-Options") == "nosniff", "the type may be sniffed")
	case http.StatusMovedPermanently:
		f.rule(staysHere(h.Get("Location")), "a Location that may lead to another host (RFC 9110, section 10.2.2)")
	case http.StatusServiceUnavailable:
		_, err := strconv.ParseUint(h.Get("Retry-After"), 10, 31)
		f.rule(err == nil && h.Get("Cache-Control") == "no-store", "503 that is kept, or for ever (RFC 9110, section 10.2.3)")
	}
	if f.Status >= 400 {
		f.rule(f.Status == 503 || !f.has("Cache-Control"), "an error with a cache policy")
		for _, name := range []string{"Etag", "Last-Modified", "Content-Encoding", "Accept-Ranges"} {
			f.rule(!f.has(name), "an error with "+name)
		}
	}
	f.secrecy()
}

// secrecy: an error says its status and nothing else, for what the system said stays
// with the server.
func (f *findings) secrecy() {
	f.rule(!systemText.MatchString(f.Head), "the head says what the system said")
	if f.Status < 400 || f.hasNoBody() || f.isErrorPage() {
		return
	}
	want := strconv.Itoa(f.Status) + " " + http.StatusText(f.Status) + "\n"
	if f.Status == http.StatusRequestedRangeNotSatisfiable {
		want = "416 Range Not Satisfiable\n" // RFC 9110, section 15.5.17
	}
	f.rule(string(f.Body) == want, "an error's body says more than its status")
}

// isErrorPage reports whether the application answered itself that nothing was found: what
// the library says of errors is plain text.
func (f *findings) isErrorPage() bool {
	return f.Status == http.StatusNotFound && strings.HasPrefix(f.Header.Get("Content-Type"), "text/html")
}
