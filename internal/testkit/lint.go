package testkit

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Rules come in layers. LintFraming holds for every answer that leaves an http.Server,
// LintHandler for those of handlers that keep to RFC 9110, and Lint has what a
// FileServer promises beyond that. A Linter compares answers with each other.

// findings collects what is wrong with one answer to one request.
type findings struct {
	Response
	method string
	fields []string // of the request
	faults []string
}

func (f *findings) rule(ok bool, fault string) {
	if !ok {
		f.faults = append(f.faults, fault)
	}
}

func (f *findings) has(name string) bool { return len(f.Header[name]) > 0 }

// hasNoBody reports whether the answer ends with its head (RFC 9112, section 6.3).
func (f *findings) hasNoBody() bool {
	return f.method == http.MethodHead || f.Status < 200 || f.Status == http.StatusNoContent || f.Status == http.StatusNotModified
}

// LintFraming returns what is wrong with an answer of any handler: the rules of RFC
// 9110 and 9112 that net/http keeps, and that middleware can break.
func LintFraming(method string, fields []string, r Response) []string {
	f := &findings{Response: r, method: method, fields: fields}
	f.framing()
	return f.faults
}

// LintHandler returns what is wrong with an answer of a handler that does no more
// than RFC 9110 has, which Compress must not change.
func LintHandler(method string, fields []string, r Response) []string {
	f := &findings{Response: r, method: method, fields: fields}
	f.handler()
	return f.faults
}

// Lint returns what is wrong with an answer of a FileServer, whatever was asked.
// Each rule is one of RFC 9110 and 9112, or a promise of the library.
func Lint(method string, fields []string, r Response) []string {
	f := &findings{Response: r, method: method, fields: fields}
	f.handler()
	f.promises()
	return f.faults
}

func (f *findings) handler() {
	f.framing()
	f.once()
	f.dates()
	f.validators()
	f.coding()
	f.status()
	f.partial()
}

// alone are the fields of which a second line contradicts the first.
var alone = []string{"Content-Length", "Transfer-Encoding", "Date"}

func (f *findings) framing() {
	for _, name := range alone {
		f.rule(len(f.Header[name]) <= 1, name+" stands there more than once")
	}
	f.rule(!f.has("Content-Length") || !f.has("Transfer-Encoding"), "both Content-Length and Transfer-Encoding (RFC 9112, section 6.2)")
	f.rule(f.Status < 200 || f.has("Date"), "no Date (RFC 9110, section 6.6.1)")
	if f.Status < 200 || f.Status == http.StatusNoContent {
		f.rule(!f.has("Content-Length") && !f.has("Transfer-Encoding"), "framing of a body that cannot be (RFC 9112, sections 6.1 and 6.3)")
	}
	if f.hasNoBody() {
		f.rule(len(f.Body) == 0, "a body where none may be (RFC 9112, section 6.3)")
	}
	if !f.has("Content-Length") {
		return
	}
	value := f.Header.Get("Content-Length")
	length, err := strconv.ParseUint(value, 10, 63)
	f.rule(err == nil, "Content-Length "+value+" is no number of bytes (RFC 9110, section 8.6)")
	if err == nil && f.Err == nil && !f.hasNoBody() {
		f.rule(length == uint64(len(f.Body)), "Content-Length is not the body's (RFC 9110, section 8.6)")
	}
}

func (f *findings) once() {
	for name, values := range f.Header {
		f.rule(len(values) == 1 || name == "Set-Cookie" || name == "Vary" || slices.Contains(alone, name), name+" stands there more than once")
	}
	vary := members(f.Header["Vary"])
	slices.Sort(vary)
	f.rule(len(slices.Compact(slices.Clone(vary))) == len(vary), "Vary names a field more than once")
}

// dates are in the one form that may be sent (RFC 9110, section 5.6.7), and nothing
// was modified after it was sent (section 8.8.2.1).
func (f *findings) dates() {
	for _, name := range []string{"Date", "Last-Modified", "Expires"} {
		if f.has(name) {
			f.rule(isFixdate(f.Header.Get(name)), name+" is no IMF-fixdate (RFC 9110, section 5.6.7)")
		}
	}
	modified, err := http.ParseTime(f.Header.Get("Last-Modified"))
	date, err2 := http.ParseTime(f.Header.Get("Date"))
	f.rule(err != nil || err2 != nil || !modified.After(date), "Last-Modified is later than Date (RFC 9110, section 8.8.2.1)")
}

func isFixdate(value string) bool {
	t, err := time.Parse(http.TimeFormat, value)
	return err == nil && t.Format(http.TimeFormat) == value
}

// members are those of a list that may stand on several lines, in lower case.
func members(lines []string) (list []string) {
	for member := range strings.SplitSeq(strings.Join(lines, ","), ",") {
		if member = strings.Trim(member, " \t"); member != "" {
			list = append(list, strings.ToLower(member))
		}
	}
	return list
}

// asked are the lines of a field of the request.
func (f *findings) asked(name string) (lines []string) {
	for field := range strings.SplitSeq(strings.Join(f.fields, "\r\n"), "\r\n") {
		if key, value, _ := strings.Cut(field, ":"); strings.EqualFold(key, name) {
			lines = append(lines, strings.Trim(value, " \t"))
		}
	}
	return lines
}
