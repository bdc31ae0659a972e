package servery_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
)

// scriptRule is a way in which an answer behind Compress is meant to differ.
type scriptRule struct {
	name   string
	reason string // RFC 9110 where a section has no other name; "contract" is the library's own

	// covers reports whether the rule is why the two sides differ in an aspect, and
	// has looked at what is there in its place.
	covers func(c *scriptComparison, aspect string) bool
}

// scriptRules are all of them.
func scriptRules() []scriptRule {
	return slices.Concat(codingRules, lengthRules, panicRules, handlerRules)
}

// codingRules are about what is coded, or could have been.
var codingRules = []scriptRule{
	{
		name:   "coding",
		reason: "section 8.4: a coded body names its coding",
		covers: func(c *scriptComparison, aspect string) bool {
			return aspect == "Content-Encoding" && c.isCoded() && slices.Equal(c.ours.answer.header["Content-Encoding"], []string{c.forecast.coding})
		},
	},
	{
		name:   "Vary",
		reason: "contract 1 and section 12.5.5: the coding could have been another one",
		covers: func(c *scriptComparison, aspect string) bool {
			return aspect == "Vary" && c.forecast.vary && slices.Equal(listed(c.ours.answer.header["Vary"]), c.wantVary())
		},
	},
	{
		name:   "tag of a coded answer",
		reason: "section 8.8.3.3: two representations share no strong tag; a malformed one has no place for a suffix",
		covers: func(c *scriptComparison, aspect string) bool {
			return aspect == "Etag" && c.isCoded() && c.ours.answer.header.Get("Etag") == c.script.answerTag(c.bare.facts())
		},
	},
	{
		name:   "tag of a 304",
		reason: "contract 7: it is about what the client holds, the coded representation",
		covers: func(c *scriptComparison, aspect string) bool {
			return aspect == "Etag" && c.ours.answer.status == 304 && c.script.isOwnNotModified(c.bare.facts()) &&
				c.ours.answer.header.Get("Etag") == c.script.codedTag(c.bare.facts())
		},
	},
	{
		name:   "two suffixes",
		reason: "each of two Compress takes its own off a condition, and puts it on the 304 to that",
		covers: func(c *scriptComparison, aspect string) bool {
			twice := scriptSuffix["gzip"] + scriptSuffix["gzip"]
			return aspect == "Etag" && c.ours.answer.status == 304 && c.script.chosen("options") == "twice" &&
				strings.Contains(c.script.chosen("condition"), twice) &&
				c.ours.answer.header.Get("Etag") == strings.TrimSuffix(c.bare.answer.header.Get("Etag"), `"`)+twice+`"`
		},
	},
	{
		name:   "no ranges of a coded answer",
		reason: "contract 7: ranges are of the plain bytes",
		covers: func(c *scriptComparison, aspect string) bool {
			return aspect == "Accept-Ranges" && c.isCoded() && c.ours.answer.header["Accept-Ranges"] == nil
		},
	},
	{
		name:   "length of a coded answer",
		reason: "section 8.6: the length of what is sent, which the handler cannot know; the framing has been seen to agree",
		covers: func(c *scriptComparison, aspect string) bool {
			return (aspect == "Content-Length" || aspect == "Transfer-Encoding") && c.isCoded()
		},
	},
}

// isCoded reports whether the answer is coded and was to be.
func (c *scriptComparison) isCoded() bool {
	return c.forecast.coding != "" && c.ours.coding() == c.forecast.coding
}

// panicRules are about handlers that panic, and encoders that fail.
var panicRules = []scriptRule{
	{
		name:   "failure of an encoder",
		reason: "contract 7: what cannot be finished is aborted, if it cannot be sent plain any more",
		covers: func(c *scriptComparison, aspect string) bool {
			if c.ours.call.told == 0 || c.script.chosen("options") == "fails in New" || c.script.isOneShot(c.bare.facts()) {
				return false
			}
			failed := slices.IndexFunc(c.ours.facts().log, func(e scriptEntry) bool { return e.err == errScriptEncoder.Error() })
			if call, ok := strings.CutPrefix(aspect, callAspect); ok {
				i, _ := strconv.Atoi(call)
				return failed >= 0 && i >= failed
			}
			// A connection whose answer has failed is not handed over, and the handler goes another way.
			if failed >= 0 && c.bare.facts().hijacked && !c.ours.facts().hijacked {
				unended := c.isCoded() && c.ours.answer.bad != nil // all that HTTP/1.0 can tell of a body without a length
				return !c.ours.answer.whole || unended || c.ours.call.recovered != nil && c.isRecovered()
			}
			return failed >= 0 && slices.Contains([]string{"calls", "raw", "header of the handler"}, aspect) ||
				aspect == "panic" && c.ours.call.arrived == http.ErrAbortHandler || c.ours.call.arrived != nil && c.isBroken(aspect)
		},
	},
	{
		name:   "panic with less sent",
		reason: "contract 7: nothing is sent before the commit, and no end afterwards",
		covers: func(c *scriptComparison, aspect string) bool {
			return c.bare.call.arrived != nil && c.ours.call.arrived == c.bare.call.arrived && c.isBroken(aspect)
		},
	},
	{
		name:   "recovery before the commit",
		reason: "contract 7: nothing was sent, so that an outer recovery can answer",
		covers: func(c *scriptComparison, aspect string) bool {
			return c.bare.call.arrived != nil && c.ours.call.recovered == c.bare.call.arrived && c.ours.call.arrived == nil &&
				c.isRecovered() && (aspect == "panic" || !isAboutHandler(aspect))
		},
	},
}

// isRecovered reports whether the answer is that of the recovery, with the header that
// the handler left and nothing of Compress.
func (c *scriptComparison) isRecovered() bool {
	want := httptest.NewRecorder()
	for name, values := range c.ours.facts().live {
		want.Header()[name] = values
	}
	http.Error(want, "recovered", http.StatusInternalServerError)
	ours := c.ours.answer
	for _, name := range differentFields(withValues(want.Header()), ours.header) {
		if !slices.Contains([]string{"Content-Length", "Transfer-Encoding", "Connection", "Trailer"}, name) && !strings.HasPrefix(name, http.TrailerPrefix) {
			return false
		}
	}
	return ours.status == http.StatusInternalServerError && ours.whole && (c.script.isHead() || string(ours.plain) == "recovered\n")
}
