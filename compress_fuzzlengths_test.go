package servery_test

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
)

// lengthRules are about framing.
var lengthRules = []scriptRule{
	{
		name:   "length that nobody declared",
		reason: "RFC 9112, 6.3: net/http finds it or sends chunks, by how much it has when the handler ends; the framing has been seen to agree",
		covers: func(c *scriptComparison, aspect string) bool {
			return (aspect == "Content-Length" || aspect == "Transfer-Encoding") && !c.isCoded() &&
				declaredLength(c.bare.facts().frozen) < 0 && c.bare.answer.whole && c.ours.answer.whole
		},
	},
	{
		name:   "connections of HTTP/1.0",
		reason: "RFC 9112, 9.3: they go on only after a known length; HTTP/1.0 has no chunks",
		covers: func(c *scriptComparison, aspect string) bool {
			return (aspect == "next" || aspect == "Connection") && strings.HasPrefix(c.script.chosen("version"), "HTTP/1.0") &&
				(declaredLength(c.bare.answer.header) < 0) != (declaredLength(c.ours.answer.header) < 0)
		},
	},
	{
		name:   "trailers that net/http drops",
		reason: "RFC 9112, 7.1: they need chunks, which net/http does not use where it knows the length at the head",
		covers: func(c *scriptComparison, aspect string) bool {
			return aspect == "trailers" && c.bare.answer.header["Transfer-Encoding"] == nil && c.hasOwnTrailers()
		},
	},
	{
		name:   "late trailers of a short copy",
		reason: "net/http sends the head in the middle of a copy and so has chunks; it drops them of a body as short that is written",
		covers: func(c *scriptComparison, aspect string) bool {
			return aspect == "trailers" && !c.isCoded() && c.copies() && c.ours.answer.header["Content-Length"] != nil &&
				!hasScriptTrailers(c.bare.facts().frozen)
		},
	},
	{
		name:   "declared lengths in HTTP/2",
		reason: "net/http sees a write beyond them only after the head, and none beyond 0; the client sees them all (RFC 9113, section 8.1.1)",
		covers: func(c *scriptComparison, aspect string) bool {
			declared := declaredLength(c.bare.facts().frozen)
			return c.script.isHTTP2() && c.isOverrun() &&
				(!c.ours.answer.whole || c.script.isHead() || len(c.ours.answer.plain) == int(declared) || c.isRecovered()) &&
				aspect != "interim" && aspect != "request"
		},
	},
	{
		name:   "more than what was declared, copied",
		reason: "how a copy is cut is nobody's promise, and with it which piece is refused; net/http's own ReadFrom refuses none, and sends what is no part of the body",
		covers: func(c *scriptComparison, aspect string) bool {
			bare, ours := c.entries(aspect)
			if !c.isOverrun() || !c.copies() {
				return false
			}
			return bare.call != "" && bare.call == ours.call && ours.err == http.ErrContentLength.Error() || aspect == "next" ||
				(aspect == "body" || aspect == "whole") && int64(len(c.ours.answer.plain)) == declaredLength(c.bare.facts().frozen) ||
				(!c.ours.answer.whole || c.script.isHead()) && !isAboutHandler(aspect) ||
				aspect == "panic" && c.ours.call.arrived == http.ErrAbortHandler || c.ours.call.arrived != nil && c.isBroken(aspect)
		},
	},
	{
		name:   "a connection after more than what was declared",
		reason: "net/http closes it although the framing is right; what Compress refused it has not seen",
		covers: func(c *scriptComparison, aspect string) bool {
			return aspect == "next" && c.isOverrun() && c.ours.answer.next
		},
	},
	{
		name:   "less than what was declared",
		reason: "contract 7: fails as without Compress, which cannot be by the length where the answer is coded",
		covers: func(c *scriptComparison, aspect string) bool {
			return c.isShort() && (aspect == "panic" && c.ours.call.arrived == http.ErrAbortHandler || c.isBroken(aspect))
		},
	},
}

// hasScriptTrailers reports whether trailers are announced in the header.
func hasScriptTrailers(header http.Header) bool {
	for name := range header {
		if name == "Trailer" || strings.HasPrefix(name, http.TrailerPrefix) {
			return true
		}
	}
	return false
}

// hasOwnTrailers reports whether all trailers are what the handler set as such.
func (c *scriptComparison) hasOwnTrailers() bool {
	facts := c.ours.facts()
	for name, values := range c.ours.answer.trailer {
		declared := slices.Contains(listed(facts.frozen["Trailer"]), strings.ToLower(name))
		if late := facts.live[http.TrailerPrefix+name]; !slices.Equal(late, values) && !(declared && slices.Equal(facts.live[name], values)) {
			return false
		}
	}
	return len(c.ours.answer.trailer) > 0
}

// isOverrun reports whether the handler tried to write more than it declared.
func (c *scriptComparison) isOverrun() bool {
	declared := declaredLength(c.bare.facts().frozen)
	return declared >= 0 && int64(len(c.bare.facts().attempted)) > declared
}

// copies reports whether one of the calls was an io.Copy.
func (c *scriptComparison) copies() bool {
	return slices.ContainsFunc(c.bare.facts().log, func(e scriptEntry) bool { return e.call == "Copy" || e.call == "ReadFrom" })
}

// isShort reports whether the handler came to its end and wrote less than it declared.
func (c *scriptComparison) isShort() bool {
	facts := c.bare.facts()
	return facts.panicked == nil && !c.script.isHead() && declaredLength(facts.frozen) > int64(len(facts.accepted))
}

// isBroken reports whether an aspect may differ between two answers that break off,
// which depends on how much of them was sent: nothing that a client could take for
// whole, or for something else.
func (c *scriptComparison) isBroken(aspect string) bool {
	ours := c.ours.answer
	switch {
	case !isAboutHandler(aspect) && ours.status == 0:
		return true // nothing of it was sent
	case ours.whole && !c.bare.answer.whole && ours.bad == nil && int64(len(ours.plain)) != declaredLength(c.ours.facts().frozen):
		return false
	case aspect == "trailers":
		return len(withValues(ours.trailer)) == 0
	case aspect == "status":
		return ours.status == c.ours.facts().status
	case aspect == "body":
		return bytes.HasPrefix(c.ours.facts().attempted, ours.plain)
	}
	return slices.Contains([]string{"whole", "next", "Content-Length", "Transfer-Encoding", "Connection"}, aspect)
}
