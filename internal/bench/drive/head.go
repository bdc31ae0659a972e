package drive

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// A head says which fields the head of a 200 has, apart from Date.
type head struct {
	fields []string // canonical names
	exact  bool     // and has no others, but for Content-Length
}

// preparedHead is what the ceiling sends. It is a ceiling only for a server that
// sends the same fields, so servery is held to exactly these.
var preparedHead = head{exact: true, fields: []string{
	"Accept-Ranges", "Cache-Control", "Content-Length", "Content-Type", "Etag",
	"Last-Modified", "Vary", "X-Content-Type-Options",
}}

// preparedCodedHead is the same for a coded answer.
var preparedCodedHead = head{exact: true, fields: []string{
	"Cache-Control", "Content-Encoding", "Content-Length", "Content-Type", "Etag",
	"Last-Modified", "Vary", "X-Content-Type-Options",
}}

// leastHead is what a file server sends at the least.
var leastHead = head{fields: []string{"Content-Length", "Content-Type", "Last-Modified"}}

// leastCodedHead has no length: a server that compresses while it sends does not
// know it.
var leastCodedHead = head{fields: []string{"Content-Encoding", "Content-Type", "Vary"}}

// declaredHead is of a server that sends a file that was compressed before.
var declaredHead = head{fields: append([]string{"Content-Length"}, leastCodedHead.fields...)}

// invariableHead is fasthttp's, which does not say that the answer varies.
var invariableHead = head{fields: []string{"Content-Encoding", "Content-Length", "Content-Type"}}

// answerHead is what the application's ceiling sends of a small answer, and
// leastAnswerHead what other middleware sends of it at the least.
var (
	leastAnswerHead = head{fields: []string{"Content-Length", "Content-Type"}}
	answerHead      = head{exact: true, fields: leastAnswerHead.fields}
)

// answerCodedHead is the same for a coded answer. The ceiling declares the length of
// every body, servery that of those whose end it has seen before it sends the head.
var answerCodedHead = head{exact: true, fields: leastCodedHead.fields}

func (h head) compare(header http.Header) error {
	for _, name := range h.fields {
		if len(header[name]) != 1 {
			return fmt.Errorf("%d fields %s, want 1", len(header[name]), name)
		}
	}
	if slices.Contains(h.fields, "Vary") && !strings.EqualFold(header.Get("Vary"), "Accept-Encoding") {
		return fmt.Errorf("field Vary is %q, want Accept-Encoding", header.Get("Vary"))
	}
	for name := range header {
		if h.exact && name != "Date" && name != "Content-Length" && !slices.Contains(h.fields, name) {
			return fmt.Errorf("field %s is not among those that the ceiling sends", name)
		}
	}
	return nil
}
