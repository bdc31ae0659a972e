package testkit

import (
	"bufio"
	"bytes"
	"fmt"
	"mime"
	"net/http"
	"net/textproto"
	"regexp"
	"strconv"
	"strings"
)

// byteRange is one part of a 206.
type byteRange struct {
	first, last, size int64 // Content-Range: bytes first-last/size
	kind              string
	data              []byte
}

func (f *findings) partial() {
	if f.Status != http.StatusPartialContent {
		return
	}
	f.rule(f.method == http.MethodGet && len(f.asked("Range")) > 0, "206, and no range was asked for (RFC 9110, section 14.2)")
	f.rule(!f.has("Content-Encoding"), "a range of a coded representation")
	f.rule(f.has("Content-Length"), "206 without Content-Length")
	if f.Err != nil || f.hasNoBody() {
		return
	}
	parts, fault := f.parts()
	f.rule(fault == "", "206: "+fault)
	for _, p := range parts {
		f.rule(p.size == parts[0].size, "206: parts of different sizes")
	}
	if len(parts) == 1 {
		f.wanted(parts[0])
	}
}

// parts takes a 206 apart by its numbers alone: where a part ends its length says,
// and the boundary has to stand there.
func (f *findings) parts() ([]byteRange, string) {
	kind, params, _ := mime.ParseMediaType(f.Header.Get("Content-Type"))
	if kind != "multipart/byteranges" {
		p, ok := parseContentRange(f.Header.Get("Content-Range"))
		if !ok {
			return nil, "Content-Range is no range (RFC 9110, section 14.4)"
		}
		if p.last-p.first+1 != int64(len(f.Body)) {
			return nil, "Content-Range is not the body's length (RFC 9110, section 15.3.7.1)"
		}
		p.kind, p.data = f.Header.Get("Content-Type"), f.Body
		return []byteRange{p}, ""
	}
	if f.has("Content-Range") {
		return nil, "Content-Range of several parts (RFC 9110, section 15.3.7.2)"
	}
	var parts []byteRange
	delimiter, rest := "--"+params["boundary"], f.Body
	for {
		var ok bool
		if rest, ok = bytes.CutPrefix(rest, []byte(delimiter)); !ok {
			return nil, fmt.Sprintf("no boundary after %d parts", len(parts))
		}
		if string(rest) == "--\r\n" && len(parts) > 0 {
			return parts, ""
		}
		p, after, fault := takePart(rest)
		if fault != "" {
			return nil, fault
		}
		parts, rest = append(parts, p), after
	}
}

// takePart takes a part off what follows its boundary.
func takePart(rest []byte) (byteRange, []byte, string) {
	head, after, ok := bytes.Cut(rest, []byte("\r\n\r\n"))
	if !ok || !bytes.HasPrefix(head, []byte("\r\n")) {
		return byteRange{}, nil, "a part without a head, or an end that is none"
	}
	lines := textproto.NewReader(bufio.NewReader(strings.NewReader(string(head[2:]) + "\r\n\r\n")))
	header, err := lines.ReadMIMEHeader()
	if err != nil {
		return byteRange{}, nil, "a part whose head is none"
	}
	p, ok := parseContentRange(header.Get("Content-Range"))
	if !ok {
		return byteRange{}, nil, "a part without Content-Range (RFC 9110, section 15.3.7.2)"
	}
	length := p.last - p.first + 1
	if length > int64(len(after)) || !bytes.HasPrefix(after[length:], []byte("\r\n")) {
		return byteRange{}, nil, "a part is not as long as its Content-Range"
	}
	p.kind, p.data = header.Get("Content-Type"), after[:length]
	return p, after[length+2:], ""
}

var contentRange = regexp.MustCompile(`^bytes (\d+)-(\d+)/(\d+)$`)

func parseContentRange(value string) (p byteRange, ok bool) {
	m := contentRange.FindStringSubmatch(value)
	if m == nil {
		return byteRange{}, false
	}
	for i, number := range []*int64{&p.first, &p.last, &p.size} {
		n, err := strconv.ParseInt(m[i+1], 10, 64)
		if err != nil {
			return byteRange{}, false
		}
		*number = n
	}
	return p, p.first <= p.last && p.last < p.size
}

var oneRange = regexp.MustCompile(`^(?i:bytes)=(\d*)-(\d*)$`)

// wanted compares the part with the range that was asked for, where that is one.
func (f *findings) wanted(p byteRange) {
	m := oneRange.FindStringSubmatch(strings.Join(f.asked("Range"), ","))
	if m == nil {
		return
	}
	first, err := strconv.ParseInt(m[1], 10, 64)
	last, err2 := strconv.ParseInt(m[2], 10, 64)
	if err2 != nil { // open, or beyond what can be counted
		last = p.size - 1
	}
	if m[1] == "" {
		first, last, err = max(0, p.size-last), p.size-1, err2
	}
	if err != nil {
		first, last = 0, p.size-1 // all of it: a suffix beyond what can be counted
	}
	f.rule(p.first == first && p.last == min(last, p.size-1), "206: not the range that was asked for (RFC 9110, section 14.1.2)")
}
