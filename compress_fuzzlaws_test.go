package servery_test

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"

	"servery/internal/testkit"
)

// scriptLaw holds for every answer behind Compress.
type scriptLaw struct {
	name  string
	holds func(c *scriptComparison) bool
}

var scriptLaws = []scriptLaw{
	{"the answer is coded as the contract demands", func(c *scriptComparison) bool {
		return !c.ended() || c.mayFail() || c.ours.coding() == c.forecast.coding
	}},
	{"only a failure makes plain what was to be coded", func(c *scriptComparison) bool {
		return !c.ended() || c.forecast.coding == "" || c.ours.coding() != "" || c.ours.call.told > 0
	}},
	{"Vary as the contract demands", func(c *scriptComparison) bool {
		return !c.ended() || c.forecast.unsure || slices.Equal(listed(c.ours.answer.header["Vary"]), c.wantVary())
	}},
	{"the entity-tag is that of the coding", func(c *scriptComparison) bool {
		coded := c.ours.coding() != "" || c.ours.answer.status == http.StatusNotModified && c.script.isOwnNotModified(c.ours.facts())
		return !coded || c.ours.answer.header.Get("Etag") == c.script.answerTag(c.ours.facts())
	}},
	{"what is coded has Vary, and no ranges", func(c *scriptComparison) bool {
		header := c.ours.answer.header
		return c.ours.coding() == "" || hasVary(header["Vary"]) && header["Accept-Ranges"] == nil && header["Content-Range"] == nil
	}},
	{"only an encoder that was asked for", func(c *scriptComparison) bool {
		return c.ours.coding() == "" || c.ours.coding() == c.script.negotiated()
	}},
	{"a coded body that is whole can be decoded", func(c *scriptComparison) bool {
		return c.ours.coding() == "" || !c.ended() || c.ours.answer.bad == nil
	}},
	{"a coded body that broke off cannot be decoded to its end", func(c *scriptComparison) bool {
		return c.ours.coding() == "" || c.ours.call.arrived == nil || len(c.ours.answer.body) == 0 || c.ours.answer.bad != nil
	}},
	{"nothing is decoded that the handler has not written", func(c *scriptComparison) bool {
		return c.ours.coding() == "" || c.ours.facts().hijacked || bytes.HasPrefix(c.ours.facts().attempted, c.ours.answer.plain)
	}},
	{"the framing has no fault that it has not without Compress", func(c *scriptComparison) bool {
		return len(c.framingFaults(c.ours)) == 0 || len(c.framingFaults(c.bare)) > 0
	}},
	{"a coded body that was all there has a length, if no trailers follow", func(c *scriptComparison) bool {
		facts := c.ours.facts()
		return !c.ended() || c.ours.coding() == "" || c.script.isHead() || !c.script.isOneShot(facts) ||
			hasScriptTrailers(facts.frozen) || hasScriptTrailers(facts.live) || c.ours.answer.header["Content-Length"] != nil
	}},
	{"a coded answer to HEAD has no length", func(c *scriptComparison) bool {
		return !c.script.isHead() || c.ours.coding() == "" || c.ours.answer.header["Content-Length"] == nil
	}},
	{"what is flushed arrives", func(c *scriptComparison) bool {
		return !slices.ContainsFunc(c.ours.facts().log, func(e scriptEntry) bool { return e.call == undelivered })
	}},
	{"OnError is told of failures of encoders, and of nothing else", func(c *scriptComparison) bool {
		return c.ours.call.told == 0 || c.script.fails()
	}},
}

// framingFaults are those of a final answer, if there was one.
func (c *scriptComparison) framingFaults(of *scriptOutcome) []string {
	a := of.answer
	if a.status == 0 || c.ours.facts().hijacked {
		return nil
	}
	var broken error
	if !a.whole {
		broken = io.ErrUnexpectedEOF
	}
	return testkit.LintFraming(c.script.chosen("method"), nil, testkit.Response{Status: a.status, Header: a.header, Body: a.body, Err: broken})
}

// mayFail reports whether the encoder fails.
func (c *scriptComparison) mayFail() bool { return c.forecast.coding != "" && c.script.fails() }

// wantVary are the members that Vary must have, in lower case.
func (c *scriptComparison) wantVary() []string {
	want := listed(c.bare.answer.header["Vary"])
	if c.forecast.vary && !hasVary(c.bare.answer.header["Vary"]) {
		want = append(want, "accept-encoding")
	}
	return want
}

// listed are the members of a list, in lower case.
func listed(lines []string) (list []string) {
	for member := range strings.SplitSeq(strings.Join(lines, ","), ",") {
		if member = strings.Trim(member, " \t"); member != "" {
			list = append(list, strings.ToLower(member))
		}
	}
	return list
}

func hasVary(lines []string) bool {
	list := listed(lines)
	return slices.Contains(list, "accept-encoding") || slices.Contains(list, "*")
}
