// Package fields sets header fields at the price of one allocation, or of none where the
// values were prepared.
package fields

import (
	"net/http"
	"strings"
)

// Setter sets fields of a header, each name once. It is for one goroutine.
type Setter struct {
	header http.Header
	bare   bool // there was nothing in header, so that nothing need be removed
	room   []string
	spare  int // how many values the next room is for
}

// New returns a Setter whose first n values share one allocation.
func New(h http.Header, n int) Setter { return Setter{header: h, bare: len(h) == 0, spare: n} }

// Set makes value the only one of a field, whose name is canonical, or removes the
// field if value is empty. The value is in a slice without spare room, so that whoever
// appends to it reaches no other.
func (s *Setter) Set(name, value string) {
	if value == "" {
		if !s.bare {
			delete(s.header, name)
		}
		return
	}
	if len(s.room) == cap(s.room) {
		s.room, s.spare = make([]string, 0, s.spare), 4
	}
	i := len(s.room)
	s.room = append(s.room, value)
	s.header[name] = s.room[i : i+1 : i+1]
}

// SetReady is Set that takes ready for the field if it holds value and nothing else. It
// is shared then: by all answers that it was made ready for.
func (s *Setter) SetReady(name, value string, ready []string) {
	if len(ready) == 1 && value != "" && ready[0] == value {
		s.header[name] = ready[:1:1]
		return
	}
	s.Set(name, value)
}

// SetIfAny is Set that leaves the field alone if value is empty.
func (s *Setter) SetIfAny(name, value string) {
	if value != "" {
		s.Set(name, value)
	}
}

// Vary adds a member to Vary, unless it is there or "*" is, which speaks for all names
// (RFC 9110, section 12.5.5). What is ready is as for SetReady.
func (s *Setter) Vary(name string, ready []string) {
	lines := s.header["Vary"]
	if len(lines) == 0 {
		s.SetReady("Vary", name, ready)
		return
	}
	for _, line := range lines {
		for member := range strings.SplitSeq(line, ",") {
			member = strings.Trim(member, " \t")
			if member == "*" || strings.EqualFold(member, name) {
				return
			}
		}
	}
	list := strings.Join(lines, ", ")
	if strings.Trim(list, ", \t") == "" {
		s.Set("Vary", name) // a list is not to begin with an empty member (RFC 9110, section 5.6.1.1)
		return
	}
	s.Set("Vary", list+", "+name)
}
