package stream

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"servery/internal/etag"
	"servery/internal/fields"
)

// edits are what makes the handler's header that of the response. The zero edits change nothing.
type edits struct {
	verdict
	coding string // "" for a response that passes
	suffix string // of the coding's tags
	change bool   // the request was for a change
	length int64  // of the encoded body, or -1 where it is not known
}

// apply changes h. What it removes speaks of the plain bytes.
func (e edits) apply(h http.Header) {
	if !e.vary && e.tag == "" && e.coding == "" {
		return
	}
	f := fields.New(h, 6)
	if e.vary {
		f.Vary("Accept-Encoding", nil)
	}
	if e.tag != "" {
		f.Set("Etag", string(e.tag))
	}
	if e.coding == "" {
		return
	}
	f.Set("Content-Encoding", e.coding)
	delete(h, "Accept-Ranges")
	delete(h, "Content-Length")
	if e.length >= 0 {
		f.Set("Content-Length", strconv.FormatInt(e.length, 10))
	}
	if e.mediaType != "" {
		f.Set("Content-Type", e.mediaType)
	}
	if !e.tagsBody(h) {
		return
	}
	// A weak tag is for all codings, a malformed one cannot be told apart from that of the plain bytes.
	switch tag, ok := etag.Parse(first(h, "Etag")); {
	case !ok:
		delete(h, "Etag")
	case !tag.IsWeak():
		f.Set("Etag", string(tag.ForCoding(e.suffix)))
	}
}

// tagsBody reports whether an entity-tag is that of what the body holds. In the answer to a change it is that of the
// resource's new state (RFC 9110, section 8.8), unless the body is said to be a representation of that (section 8.7).
func (e edits) tagsBody(h http.Header) bool { return !e.change || len(h["Content-Location"]) > 0 }

// trailers changes those of an encoded body, among which an entity-tag may have been announced. A digest that was not
// announced is of the plain bytes.
func (e edits) trailers(h http.Header, tagAnnounced bool) {
	for name, values := range h {
		bare, prefixed := strings.CutPrefix(name, http.TrailerPrefix)
		if prefixed {
			bare = http.CanonicalHeaderKey(bare) // which the prefix has kept from being so
		}
		switch {
		case prefixed && slices.Contains(digests[:], bare):
			delete(h, name)
		case bare == "Etag" && (prefixed || tagAnnounced) && e.tagsBody(h):
			h[name] = e.retag(values)
		}
	}
}

// retag returns entity-tags in the form of the coding, where they are not in that already.
func (e edits) retag(values []string) []string {
	tags := slices.Clone(values)
	for i, value := range values {
		tag, _ := etag.Parse(value)
		if _, done := tag.WithoutCoding(e.suffix); tag != "" && !tag.IsWeak() && !done {
			tags[i] = string(tag.ForCoding(e.suffix))
		}
	}
	return tags
}

// keep makes those fields of later that were edited what they are in sent. Trailers are left alone.
func (e edits) keep(sent, later http.Header) {
	for _, name := range e.names() {
		switch values, ok := sent[name]; {
		case announces(sent["Trailer"], name):
		case ok:
			later[name] = values
		default:
			delete(later, name)
		}
	}
}

// names are those of the fields that apply changes.
func (e edits) names() (names []string) {
	if e.coding != "" {
		return []string{"Vary", "Etag", "Content-Encoding", "Content-Length", "Content-Type", "Accept-Ranges"}
	}
	if e.vary {
		names = append(names, "Vary")
	}
	if e.tag != "" {
		names = append(names, "Etag")
	}
	return names
}

// announces reports whether the values of a Trailer field (RFC 9110, section 6.6.2) have the name.
func announces(trailer []string, name string) bool {
	for _, list := range trailer {
		for member := range strings.SplitSeq(list, ",") {
			if strings.EqualFold(strings.TrimSpace(member), name) {
				return true
			}
		}
	}
	return false
}

// snapshot is a header as it was at one moment. Its memory is used again.
type snapshot struct {
	fields []field
	values []string // of all fields, in their order
}

type field struct {
	name   string
	values int // how many
}

func (s *snapshot) take(h http.Header) {
	s.clear()
	for name, values := range h {
		s.fields = append(s.fields, field{name, len(values)})
		s.values = append(s.values, values...)
	}
}

// clear lets go of what the snapshot holds.
func (s *snapshot) clear() {
	clear(s.fields)
	clear(s.values)
	s.fields, s.values = s.fields[:0], s.values[:0]
}

// restore makes h what it was, and returns what it had become meanwhile, or nil if nothing was changed. Trailers that
// are named by a prefix stay: they are for later, and net/http looks for them in both places.
func (s *snapshot) restore(h http.Header) (later http.Header) {
	if s.same(h) {
		return nil
	}
	later = maps.Clone(h)
	clear(h)
	values := slices.Clone(s.values)
	for _, f := range s.fields {
		h[f.name] = values[:f.values:f.values]
		values = values[f.values:]
	}
	for name, values := range later {
		if strings.HasPrefix(name, http.TrailerPrefix) {
			h[name] = values
		}
	}
	return later
}

func (s *snapshot) same(h http.Header) bool {
	if len(h) != len(s.fields) {
		return false
	}
	values := s.values
	for _, f := range s.fields {
		if now, ok := h[f.name]; !ok || !slices.Equal(now, values[:f.values]) {
			return false
		}
		values = values[f.values:]
	}
	return true
}

// hasTrailers reports whether fields are to follow the body, which takes a body without a declared length.
func hasTrailers(h http.Header) bool {
	if len(h["Trailer"]) > 0 {
		return true
	}
	for name := range h {
		if strings.HasPrefix(name, http.TrailerPrefix) {
			return true
		}
	}
	return false
}

// replace makes h what other is.
func replace(h, other http.Header) {
	clear(h)
	maps.Copy(h, other)
}
