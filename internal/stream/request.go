package stream

import (
	"net/http"
	"slices"
	"strings"

	"servery/internal/accept"
	"servery/internal/etag"
)

// request is what a response depends on of the request that it answers.
type request struct {
	*http.Request
	head   bool
	ranged bool

	coding string     // that the answer may have, or "" for none
	suffix string     // of the entity-tags in that coding
	held   []etag.Tag // the handler's forms of the tags that If-None-Match lists in that coding
}

// request reads r, and returns with it the request that the handler is to see. That is r itself, unless it speaks of
// representations that only this middleware knows.
func (m *Middleware) request(r *http.Request) (request, *http.Request) {
	q := request{Request: r, head: r.Method == http.MethodHead}
	var wanted [8]string
	order := accept.Order(wanted[:0], r.Header["Accept-Encoding"], m.Encoders.Codings())
	negotiates := len(order) > 0 && order[0] != accept.Identity
	seen := m.withoutCodedRange(r, negotiates)
	change := changes(r.Method)
	if change {
		// A change is conditional on the state of the resource, whatever coding the client knows that in.
		for _, coding := range m.Encoders.Codings() {
			tags := etag.WithoutCoding(r.Header["If-Match"], m.Encoders.TagSuffix(coding))
			seen = withPlainTags(seen, r, "If-Match", tags)
		}
	}
	// Ranges are of the plain bytes. Other methods than GET have none (RFC 9110, section 14.2).
	if q.ranged = len(seen.Header["Range"]) > 0 && r.Method == http.MethodGet; q.ranged {
		return q, seen
	}
	if !negotiates {
		return q, seen
	}
	q.coding = order[0]
	q.suffix = m.Encoders.TagSuffix(q.coding)
	q.held = etag.WithoutCoding(r.Header["If-None-Match"], q.suffix)
	seen = withPlainTags(seen, r, "If-None-Match", q.held)
	if !change {
		seen = withPlainTags(seen, r, "If-Match", etag.WithoutCoding(r.Header["If-Match"], q.suffix))
	}
	return q, seen
}

// changes reports whether requests with the method change a resource: the method is none of those that are registered as
// safe (RFC 9110, section 9.2.1).
func changes(method string) bool {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, "QUERY", "PROPFIND", "REPORT", "SEARCH":
		return false
	}
	return true
}

// withoutCodedRange returns a request without its range if that is to continue a copy in one of the codings, which
// plain bytes would spoil (RFC 9110, section 13.1.5). A tag tells; a date, which all codings have in common, does not, and
// is taken for that of a coded copy where the client negotiates one.
func (m *Middleware) withoutCodedRange(r *http.Request, negotiates bool) *http.Request {
	lines := r.Header["If-Range"]
	if len(lines) == 0 {
		return r
	}
	tag, isTag := etag.Parse(lines[0])
	coded := !isTag && negotiates || slices.ContainsFunc(m.Encoders.Codings(), func(coding string) bool {
		_, coded := tag.WithoutCoding(m.Encoders.TagSuffix(coding))
		return coded
	})
	if !coded {
		return r
	}
	seen := copied(r)
	seen.Header.Del("If-Range")
	seen.Header.Del("Range")
	return seen
}

// withPlainTags adds tags to a field of seen, which is a copy of r already or becomes one. The original forms stay: they
// may be the handler's own. What is added comes first, since many handlers read no more than the first line, and a list
// may be malformed further on; in place of a single tag a single one, which is what many handlers compare with.
func withPlainTags(seen, r *http.Request, field string, tags []etag.Tag) *http.Request {
	added := list(tags)
	if len(tags) == 0 || strings.HasPrefix(seen.Header[field][0]+", ", added) { // there already, by a middleware outside
		return seen
	}
	if seen == r {
		seen = copied(r)
	}
	lines := seen.Header[field] // owned, and not empty: the tags come from there
	if _, single := etag.Parse(lines[0]); single && len(lines) == 1 {
		seen.Header[field] = []string{string(tags[0]), lines[0]}
	} else {
		lines[0] = added + lines[0]
	}
	return seen
}

// list is the beginning of a list. A request may have a hundred thousand tags: it is made in one go.
func list(tags []etag.Tag) string {
	var b strings.Builder
	for _, tag := range tags {
		b.WriteString(string(tag))
		b.WriteString(", ")
	}
	return b.String()
}

// copied returns a copy of r with a header of its own: handlers must not modify a request.
func copied(r *http.Request) *http.Request {
	seen := r.WithContext(r.Context())
	seen.Header = r.Header.Clone()
	return seen
}
