//go:build unix

package servery_test

import (
	"net/http"
	"strings"
	"testing"

	"servery/internal/testkit"
)

// modelHeader makes a header of lines such as "Etag: \"a\"".
func modelHeader(lines ...string) http.Header {
	h := make(http.Header)
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		h.Add(name, value)
	}
	return h
}

// modelStep is a request to the cache. The origin must be asked with these fields and answers so; where it has no
// answer it must not be asked.
type modelStep struct {
	target  string // "HEAD /a", or "/a"
	fields  []string
	asked   []string // the conditions and ranges that the origin gets
	status  int      // of its answer
	header  []string
	body    string
	outcome outcome
	want    int
	reads   string // the body that the client gets
	reason  string
}

const modelText5, modelETag, modelAcceptGzip = "01234", `Etag: "a"`, "Accept-Encoding: gzip"

func TestModelCacheRules(t *testing.T) {
	vary, aged := "Vary: Accept-Encoding", "Cache-Control: max-age=3"
	first := modelStep{"/a", nil, nil, 200, []string{modelETag, vary}, modelText5, passed, 200, modelText5, "is stored"}
	firstAged := modelStep{"/a", nil, nil, 200, []string{modelETag, vary, aged}, modelText5, passed, 200, modelText5, "is stored for 3 ticks"}
	part := func(contentRange, body string, outcome outcome, header ...string) modelStep {
		field, _, _ := strings.Cut(contentRange, "/")
		asked := []string{"Range: " + strings.Replace(field, "bytes ", "bytes=", 1)}
		return modelStep{"/a", asked, asked, 206, append([]string{"Content-Range: " + contentRange, aged}, header...), body, outcome, 206, body, "a part"}
	}
	for _, tt := range []struct {
		steps  []modelStep
		reason string
	}{
		{[]modelStep{first,
			{"/a", nil, []string{`If-None-Match: "a"`}, 304, []string{modelETag}, "", validated, 200, modelText5, "current"},
			{"/b", nil, nil, 200, nil, "b", passed, 200, "b", "another target"},
		}, "what has no lifetime is validated"},
		{[]modelStep{firstAged,
			{"/a", nil, nil, 0, nil, "", hit, 200, modelText5, "one tick old"},
			{"HEAD /a", nil, nil, 0, nil, "", hit, 200, "", "two ticks old"},
			{"/a", nil, []string{`If-None-Match: "a"`}, 304, []string{modelETag, aged}, "", validated, 200, modelText5, "three ticks old"},
			{"/a", []string{`If-None-Match: "b", W/"a"`}, nil, 0, nil, "", hit, 304, "", "freshened, and the client has it"},
		}, "what has one is not, until it is over"},
		{[]modelStep{
			{"/a", nil, nil, 200, []string{modelETag, aged, "Cache-Control: no-cache"}, modelText5, passed, 200, modelText5, "is stored"},
			{"/a", nil, []string{`If-None-Match: "a"`}, 304, []string{modelETag}, "", validated, 200, modelText5, "is validated"},
		}, "no-cache counts for more than max-age"},
		{[]modelStep{
			{"/a", nil, nil, 200, []string{modelETag, aged, "Cache-Control: no-store"}, modelText5, passed, 200, modelText5, "the origin's"},
			{"/a", nil, nil, 200, []string{modelETag, aged}, modelText5, passed, 200, modelText5, "is stored"},
			{"/a", []string{"Cache-Control: no-store"}, nil, 200, []string{modelETag, aged}, "other", passed, 200, "other", "the client's"},
			{"/a", []string{"Cache-Control: no-cache"}, []string{`If-None-Match: "a"`}, 304, []string{modelETag, aged}, "", validated, 200, modelText5, "asked for"},
		}, "no-store and no-cache"},
		{[]modelStep{firstAged,
			{"/a", []string{modelAcceptGzip}, []string{`If-None-Match: "a"`}, 200, []string{`Etag: "a-gz"`, "Content-Encoding: gzip", vary, aged}, "coded", passed, 200, "coded", "another coding"},
			{"/a", nil, nil, 0, nil, "", hit, 200, modelText5, "each has its own"},
			{"/a", []string{modelAcceptGzip}, nil, 0, nil, "", hit, 200, "coded", "each has its own"},
			{"/a", []string{modelAcceptGzip, "Range: bytes=1-"}, []string{"Range: bytes=1-", `If-None-Match: "a"`}, 206, []string{modelETag, vary, "Content-Range: bytes 1-4/5"}, "1234", passed, 206, "1234", "no ranges of what is coded"},
			{"/a", []string{"Accept-Encoding: zstd"}, []string{`If-None-Match: "a", "a-gz"`}, 304, []string{`Etag: "a-gz"`, vary}, "", validated, 200, "coded", "the origin chooses"},
		}, "Vary"},
		{[]modelStep{
			{"/a", []string{modelAcceptGzip}, nil, 200, []string{modelETag, aged}, modelText5, passed, 200, modelText5, "is stored"},
			{"/a", nil, nil, 0, nil, "", hit, 200, modelText5, "for everybody"},
		}, "no Vary"},
		{[]modelStep{firstAged,
			{"/a", []string{"Range: bytes=1-2"}, nil, 0, nil, "", hit, 206, "12", "a part of the whole"},
			{"/a", []string{"Range: bytes=1-2", `If-Range: "b"`}, nil, 0, nil, "", hit, 200, modelText5, "of another version"},
		}, "ranges of what is whole"},
		{[]modelStep{part("bytes 0-1/5", "01", passed, modelETag), part("bytes 2-4/5", "234", passed, modelETag),
			{"/a", nil, nil, 0, nil, "", hit, 200, modelText5, "both"}}, "parts with one strong tag are combined"},
		{[]modelStep{part("bytes 0-1/5", "01", passed, modelETag), part("bytes 3-4/5", "34", passed, modelETag),
			{"/a", []string{"Range: bytes=3-3"}, nil, 0, nil, "", hit, 206, "3", "is there"},
			{"/a", []string{"Range: bytes=1-3"}, []string{"Range: bytes=1-3"}, 500, nil, "", passed, 500, "", "has a gap"}}, "parts that do not touch"},
		{[]modelStep{part("bytes 0-1/5", "01", passed, modelETag), part("bytes 2-4/5", "234", passed, `Etag: "b"`),
			{"/a", nil, nil, 500, nil, "", passed, 500, "", "neither is whole"}}, "parts of two versions are not combined"},
		{[]modelStep{part("bytes 0-1/5", "01", passed, `Etag: W/"a"`), part("bytes 2-4/5", "234", passed, `Etag: W/"a"`),
			{"/a", nil, nil, 500, nil, "", passed, 500, "", "neither is whole"}}, "nor is what has a weak tag"},
		{[]modelStep{first,
			{"/a", []string{`If-Match: "b"`}, []string{`If-Match: "b"`}, 412, nil, "", passed, 412, "", "the origin's to judge"},
			{"/a", []string{`If-None-Match: "b"`}, []string{`If-None-Match: "b", "a"`}, 304, []string{`Etag: "b"`}, "", passed, 304, "", "the client's own"},
			{"/a", []string{`If-None-Match: "b"`}, []string{`If-None-Match: "b", "a"`}, 304, []string{modelETag}, "", validated, 200, modelText5, "the cache's"},
		}, "conditions of the client"},
		{[]modelStep{
			{"/a", nil, nil, 200, []string{"Last-Modified: Fri, 01 Mar 2024 12:00:00 GMT"}, modelText5, passed, 200, modelText5, "is stored"},
			{"/a", nil, []string{"If-Modified-Since: Fri, 01 Mar 2024 12:00:00 GMT"}, 304, nil, "", validated, 200, modelText5, "current"},
		}, "what has only a date"},
		{[]modelStep{first,
			{"/a", nil, []string{`If-None-Match: "a"`}, 404, nil, "", passed, 404, "", "is gone"},
			{"/a", nil, nil, 200, []string{modelETag}, "anew", passed, 200, "anew", "is forgotten"},
		}, "what is not found"},
	} {
		var c modelCache
		for _, step := range tt.steps {
			step.run(t, &c, tt.reason)
		}
	}
}

func (step modelStep) run(t *testing.T, c *modelCache, reason string) {
	t.Helper()
	method, target, ok := strings.Cut(step.target, " ")
	if !ok {
		method, target = http.MethodGet, method
	}
	q := modelRequest{method, target, modelHeader(step.fields...)}
	got := c.ask(q, func(onward modelRequest) (testkit.Response, *modelText) {
		for name, values := range onward.header {
			if (strings.HasPrefix(name, "If-") || name == "Range") && modelHeader(step.asked...).Get(name) != values[0] {
				t.Errorf("%s, %s: the origin is asked %v, want %q", reason, step.reason, onward.header, step.asked)
			}
		}
		for name := range modelHeader(step.asked...) {
			if !onward.has(name) {
				t.Errorf("%s, %s: the origin is asked %v, want %q", reason, step.reason, onward.header, step.asked)
			}
		}
		return testkit.Response{Status: step.status, Header: modelHeader(step.header...), Body: []byte(step.body)}, new(modelText)
	})
	if got.outcome != step.outcome || got.Status != step.want || string(got.Body) != step.reads {
		t.Errorf("%s, %s: got %s, %d %q, want %s, %d %q", reason, step.reason, got.outcome, got.Status, got.Body, step.outcome, step.want, step.reads)
	}
}
