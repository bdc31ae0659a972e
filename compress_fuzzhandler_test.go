package servery_test

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
)

// handlerRules are about what the handler can tell, and what it did with the connection.
var handlerRules = []scriptRule{
	{
		name:   "the request's body before the head",
		reason: "net/http discards it when it sends the head, which Compress does later, and closes the connection if the handler forbade that or closed it first",
		covers: func(c *scriptComparison, aspect string) bool {
			return aspect == "next" && c.script.body() != nil && slices.ContainsFunc(c.ours.facts().log, func(e scriptEntry) bool {
				return e.call == "EnableFullDuplex" || e.call == "Body.Close"
			})
		},
	},
	{
		name:   "HEAD in HTTP/2",
		reason: "net/http ends the stream with the head, and calls that an error of what is written and flushed, one or another",
		covers: func(c *scriptComparison, aspect string) bool {
			bare, ours := c.entries(aspect)
			return c.script.isHead() && c.script.isHTTP2() && bare.call == ours.call &&
				slices.Contains([]string{"Write", "WriteString", "Copy", "ReadFrom", "Flush"}, bare.call)
		},
	},
	{
		name:   "recovery after hijacking",
		reason: "what is written then fails without a look at the outer writer, which so takes it that nothing was sent",
		covers: func(c *scriptComparison, aspect string) bool {
			return aspect == "panic" && c.bare.facts().hijacked && c.ours.call.recovered == c.bare.call.arrived && c.ours.call.arrived == nil
		},
	},
	{
		name:   "hijacked after the head",
		reason: "net/http forgets what it has not sent by then, of either answer; what the handler writes itself comes last",
		covers: func(c *scriptComparison, aspect string) bool {
			return c.bare.facts().hijacked && c.bare.facts().began && bytes.HasSuffix(c.ours.answer.raw, []byte(hijackedAnswer)) &&
				!isAboutHandler(aspect)
		},
	},
	{
		name:   "a Hijacker that Unwrap leads to",
		reason: "a ResponseController finds it there, and what was written before must not be left behind",
		covers: func(c *scriptComparison, aspect string) bool {
			bare, ours := c.entries(aspect)
			return ours.call != bare.call && ours.call == strings.Replace(bare.call, "Hijacker false", "Hijacker true", 1) &&
				!c.script.isHTTP2() && (c.script.chosen("outer") == "recovers" || c.script.chosen("outer") == "unwraps")
		},
	},
	{
		name:   "the header after the commit",
		reason: "the handler and those around it have one header, which then says what was sent",
		covers: func(c *scriptComparison, aspect string) bool {
			return aspect == "header of the handler" && c.isHeaderOfCompress()
		},
	},
	{
		name:   "the request's body can be read for longer",
		reason: "net/http discards what is left of it when it sends the head, which Compress does later",
		covers: func(c *scriptComparison, aspect string) bool {
			bare, ours := c.entries(aspect)
			return bare.call == "Body.Read" && ours.call == "Body.Read" && bare.n <= ours.n && ours.err != http.ErrBodyReadAfterClose.Error()
		},
	},
}

// isHeaderOfCompress reports whether the handler's header differs from the bare server's
// in no other fields than those that Compress edits, which are as they were sent, with
// what the handler added later.
func (c *scriptComparison) isHeaderOfCompress() bool {
	edited := []string{"Content-Length"} // net/http removes an invalid one
	if c.ours.call.recovered == nil {
		edited = []string{"Vary", "Content-Encoding", "Content-Length", "Accept-Ranges", "Etag", "Content-Type"}
	}
	live, sent := c.ours.facts().live, c.ours.answer
	for _, name := range differentFields(c.bare.facts().live, live) {
		if !slices.Contains(edited, name) {
			return false
		}
		values := sent.header[name]
		if name != "Content-Length" && sent.status != 0 && !slices.Equal(live[name][:min(len(values), len(live[name]))], values) {
			return false
		}
	}
	return true
}
