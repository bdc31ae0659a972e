package servery_test

import (
	"bytes"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// scriptOutcome is what a script led to on one side.
type scriptOutcome struct {
	call   *scriptCall
	answer *scriptAnswer
}

func (o *scriptOutcome) facts() *scriptFacts { return &o.call.facts }

// coding is the one that Compress applied.
func (o *scriptOutcome) coding() string {
	if o.answer.status == 0 || o.call.recovered != nil || isForeignCoding(o.facts().frozen) {
		return ""
	}
	coding := o.answer.header.Get("Content-Encoding")
	if strings.EqualFold(coding, "identity") {
		return ""
	}
	return coding
}

// scriptComparison is a script with what it led to behind Compress and without it.
type scriptComparison struct {
	script     *script
	bare, ours *scriptOutcome
	forecast   scriptForecast
}

func newScriptComparison(s *script, bare, ours *scriptOutcome) *scriptComparison {
	return &scriptComparison{s, bare, ours, s.forecast(bare.facts())}
}

// faults are the differences that no rule explains, and what is wrong whatever the bare
// server did.
func (c *scriptComparison) faults(rules []scriptRule) []string {
	var faults []string
	for _, aspect := range c.aspects() {
		if !slices.ContainsFunc(rules, func(rule scriptRule) bool { return rule.covers(c, aspect) }) {
			faults = append(faults, aspect+" differs")
		}
	}
	for _, law := range scriptLaws {
		if !law.holds(c) {
			faults = append(faults, "not so: "+law.name)
		}
	}
	return faults
}

// callAspect is followed by the number of a call that returned something else.
const callAspect = "call "

// entries are what the call returned that an aspect is about.
func (c *scriptComparison) entries(aspect string) (bare, ours scriptEntry) {
	number, ok := strings.CutPrefix(aspect, callAspect)
	if !ok {
		return bare, ours
	}
	i, _ := strconv.Atoi(number)
	return c.bare.facts().log[i], c.ours.facts().log[i]
}

// isAboutHandler reports whether an aspect is what the handler can tell, whatever the
// client gets.
func isAboutHandler(aspect string) bool {
	return strings.HasPrefix(aspect, callAspect) || slices.Contains([]string{"calls", "interim", "request", "panic", "header of the handler"}, aspect)
}

// aspects are what the two sides differ in.
func (c *scriptComparison) aspects() []string {
	var aspects []string
	differ := func(name string, same bool) {
		if !same {
			aspects = append(aspects, name)
		}
	}
	bare, ours := c.bare.answer, c.ours.answer
	differ("interim", slices.EqualFunc(bare.interim, ours.interim, sameHead))
	differ("status", bare.status == ours.status)
	differ("body", bytes.Equal(bare.plain, ours.plain))
	differ("whole", bare.whole == ours.whole)
	differ("trailers", reflect.DeepEqual(withValues(bare.trailer), withValues(ours.trailer)))
	differ("next", bare.next == ours.next)
	differ("raw", c.bare.facts().hijacked == c.ours.facts().hijacked && (!c.bare.facts().hijacked || bytes.Equal(bare.raw, ours.raw)))
	differ("panic", c.bare.call.arrived == c.ours.call.arrived && c.bare.call.recovered == c.ours.call.recovered)
	differ("request", reflect.DeepEqual(c.bare.facts().request, c.ours.facts().request))
	differ("calls", len(c.bare.facts().log) == len(c.ours.facts().log))
	for i := range min(len(c.bare.facts().log), len(c.ours.facts().log)) {
		differ(fmt.Sprint(callAspect, i), c.bare.facts().log[i] == c.ours.facts().log[i])
	}
	differ("header of the handler", reflect.DeepEqual(c.bare.facts().live, c.ours.facts().live))
	return append(aspects, differentFields(bare.header, ours.header)...)
}

func sameHead(a, b scriptHead) bool {
	return a.status == b.status && len(differentFields(a.header, b.header)) == 0
}

// differentFields are the names of the fields that differ, the Date excepted.
func differentFields(a, b http.Header) []string {
	var names []string
	for name := range a {
		if name != "Date" && !slices.Equal(a[name], b[name]) {
			names = append(names, name)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok && name != "Date" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// filled is a header without the names that have no values, which say the same.
func withValues(header http.Header) http.Header {
	full := http.Header{}
	for name, values := range header {
		if len(values) > 0 {
			full[name] = values
		}
	}
	return full
}

// ended reports whether the handler and its answer came to their end on both sides, and
// both took the same bytes: what the forecast is for.
func (c *scriptComparison) ended() bool {
	return c.bare.call.arrived == nil && c.ours.call.arrived == nil && c.bare.call.recovered == nil &&
		c.bare.answer.whole && c.ours.answer.whole && !c.bare.facts().hijacked &&
		!(c.isOverrun() && (c.copies() || c.script.isHTTP2()))
}

// report is what a person needs who has to find the fault.
func (c *scriptComparison) report(tb testing.TB, faults []string) {
	tb.Helper()
	tb.Errorf("%s\n\nscript:\n%s\nforecast: %+v\n\nwithout Compress: %s\nbehind Compress: %s",
		strings.Join(faults, "\n"), c.script, c.forecast, c.bare, c.ours)
}

func (o *scriptOutcome) String() string {
	var b strings.Builder
	a, f := o.answer, o.facts()
	for _, head := range append(a.interim, a.scriptHead) {
		fmt.Fprintf(&b, "%d %q\n", head.status, head.header)
	}
	fmt.Fprintf(&b, "%d bytes of body, %d decoded (%v), trailers %q, whole %t, next %t\n", len(a.body), len(a.plain), a.bad, a.trailer, a.whole, a.next)
	fmt.Fprintf(&b, "handler: request %q\n", f.request)
	fmt.Fprintf(&b, "log %+v\nfrozen at %d: %q\nat the end: %q\n", f.log, f.status, f.frozen, f.live)
	fmt.Fprintf(&b, "%d bytes passed on, %d taken, flushed at %d, hijacked %t, panicked %v\n",
		len(f.attempted), len(f.accepted), f.flushedAt, f.hijacked, f.panicked)
	fmt.Fprintf(&b, "panic %v, recovered %v, OnError %d\n", o.call.arrived, o.call.recovered, o.call.told)
	return b.String()
}
