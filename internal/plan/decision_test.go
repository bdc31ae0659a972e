package plan_test

import (
	"fmt"
	"iter"
	"testing"
	"time"

	"servery/internal/etag"
	"servery/internal/plan"
)

var (
	modified  = time.Date(2024, time.March, 1, 12, 0, 0, 0, time.UTC)
	imfFixed  = func(t time.Time) string { return t.Format("Mon, 02 Jan 2006 15:04:05 GMT") }
	boundary  = "B0UNDARY"
	mediaType = "text/plain; charset=utf-8"
)

// state is one thing that a field can say, with its meaning beside it: the oracle
// reads the meaning and never the lines.
type state struct {
	name  string
	lines []string // nil where the field is absent

	star         bool // the field is `*`
	strong, weak bool // it lists the opaque tag of the representation, in that form

	date   bool // it is one valid HTTP-date
	offset int  // seconds from the date of the representation
}

var (
	absent    = state{name: "absent"}
	tagStates = []state{
		absent,
		{name: "matching", lines: []string{`"v1"`}, strong: true},
		{name: "failing", lines: []string{`"v2"`}},
		{name: "weak", lines: []string{`W/"v1"`}, weak: true},
		{name: "malformed", lines: []string{`v1`}},
		{name: "any", lines: []string{`*`}, star: true},
		{name: "lines", lines: []string{`"a,b", W/"v2"`, `, "v1"`}, strong: true},
	}
	dateStates = []state{
		absent,
		{name: "equal", lines: []string{imfFixed(modified)}, date: true},
		{name: "a second before", lines: []string{imfFixed(modified.Add(-time.Second))}, date: true, offset: -1},
		{name: "a second after", lines: []string{imfFixed(modified.Add(time.Second))}, date: true, offset: 1},
		{name: "malformed", lines: []string{"yesterday"}},
		{name: "lines", lines: []string{imfFixed(modified), imfFixed(modified)}},
	}
	// If-Range is one tag or one date: `*` and lists are malformed.
	ifRangeStates = []state{
		absent,
		{name: "matching", lines: []string{`"v1"`}, strong: true},
		{name: "failing", lines: []string{`"v2"`}},
		{name: "weak", lines: []string{`W/"v1"`}, weak: true},
		{name: "malformed", lines: []string{`"v1`}},
		{name: "any", lines: []string{`*`}},
		{name: "list", lines: []string{`"v1", "v1"`}},
		{name: "lines", lines: []string{`"v1"`, `"v1"`}},
		{name: "equal date", lines: []string{imfFixed(modified)}, date: true},
		{name: "date a second before", lines: []string{imfFixed(modified.Add(-time.Second))}, date: true, offset: -1},
		{name: "date a second after", lines: []string{imfFixed(modified.Add(time.Second))}, date: true, offset: 1},
	}
	rangeStates  = []state{absent, {name: "bytes=1-2", lines: []string{"bytes=1-2"}}}
	methodStates = []state{{name: "GET"}, {name: "HEAD"}}
)

// representation is one kind of file, with the validators that it has.
type representation struct {
	name             string
	strong, weak     bool // has the opaque tag v1, in that form
	dated, settled   bool // has a date; the date is a second or more in the past
	negotiable, seek bool
}

var representations = []representation{
	{name: "strong tag", strong: true, dated: true, settled: true, negotiable: true, seek: true},
	{name: "weak tag", weak: true, dated: true, settled: true, seek: true},
	{name: "no tag", dated: true, settled: true, negotiable: true, seek: true},
	{name: "no date", strong: true, seek: true},
	{name: "no validator", negotiable: true, seek: true},
	{name: "no tag, modified this second", dated: true, seek: true},
	{name: "no ranges", strong: true, dated: true, settled: true, negotiable: true},
}

func (r representation) facts() plan.Facts {
	f := plan.Facts{
		Size: 10, ContentType: mediaType, CacheControl: "no-cache",
		Negotiable: r.negotiable, Now: modified.Add(999 * time.Millisecond),
	}
	switch {
	case r.strong:
		f.ETag = etag.Strong("v1")
	case r.weak:
		f.ETag = etag.Weak("v1")
	}
	if r.dated {
		f.ModTime = modified
	}
	if r.settled {
		f.Now = modified.Add(time.Second)
	}
	if r.seek {
		f.MostRanges = 16
	}
	return f
}

// combination is one request for one representation.
type combination struct {
	representation
	method, ifMatch, ifUnmodifiedSince, ifNoneMatch, ifModifiedSince, ifRange, ranged state
}

func (c combination) request() plan.Request {
	return plan.Request{
		Head:              c.method.name == "HEAD",
		IfMatch:           c.ifMatch.lines,
		IfUnmodifiedSince: c.ifUnmodifiedSince.lines,
		IfNoneMatch:       c.ifNoneMatch.lines,
		IfModifiedSince:   c.ifModifiedSince.lines,
		IfRange:           c.ifRange.lines,
		Range:             c.ranged.lines,
		Boundary:          boundary,
	}
}

func (c combination) String() string {
	return fmt.Sprintf("%s, %s, If-Match %s, If-Unmodified-Since %s, If-None-Match %s, If-Modified-Since %s, If-Range %s, Range %s",
		c.representation.name, c.method.name, c.ifMatch.name, c.ifUnmodifiedSince.name,
		c.ifNoneMatch.name, c.ifModifiedSince.name, c.ifRange.name, c.ranged.name)
}

// combinations yields all that can be asked of all kinds of files.
func combinations() iter.Seq[combination] {
	fields := [][]state{methodStates, tagStates, dateStates, tagStates, dateStates, ifRangeStates, rangeStates}
	return func(yield func(combination) bool) {
		at := make([]int, len(fields))
		for {
			chosen := make([]state, len(fields))
			for i, states := range fields {
				chosen[i] = states[at[i]]
			}
			for _, r := range representations {
				c := combination{r, chosen[0], chosen[1], chosen[2], chosen[3], chosen[4], chosen[5], chosen[6]}
				if !yield(c) {
					return
				}
			}
			i := 0
			for ; i < len(at); i++ {
				if at[i]++; at[i] < len(fields[i]) {
					break
				}
				at[i] = 0
			}
			if i == len(at) {
				return
			}
		}
	}
}

// visible is what a client sees of an answer.
type visible struct {
	status                                                 int
	etag, lastModified, cacheControl                       string
	contentType, contentLength, contentRange, acceptRanges string
	vary, noSniff                                          bool
	body                                                   string
}

// seen returns the answer as it would stand on the wire, with the extents of the
// file in place of their bytes.
func seen(p plan.Plan) visible {
	body := p.Message
	if len(p.Ranges) > 0 {
		body = fmt.Sprint(p.Ranges)
	}
	return visible{
		status: p.Status, etag: string(p.ETag), lastModified: p.LastModified, cacheControl: p.CacheControl,
		contentType: p.ContentType, contentLength: p.ContentLength, contentRange: p.ContentRange,
		acceptRanges: p.AcceptRanges, vary: p.Vary, noSniff: p.NoSniff, body: body,
	}
}

// Every combination of preconditions has the status and the fields that RFC 9110,
// sections 13.1.1, 13.1.2, 13.1.3, 13.1.4, 13.1.5, 13.2.2, 15.3.7, 15.4.5 and 15.5.13,
// say.
func TestDecisionTable(t *testing.T) {
	total, wrong := 0, 0
	for c := range combinations() {
		total++
		if got, want := seen(plan.Decide(c.request(), c.facts())), c.expected(); got != want {
			t.Errorf("%v\ngot  %+v\nwant %+v", c, got, want)
			if wrong++; wrong == 10 {
				t.Fatal("and maybe more")
			}
		}
	}
	if want := 2 * 7 * 6 * 7 * 6 * 11 * 2 * len(representations); total != want {
		t.Errorf("%d combinations, want %d", total, want)
	}
}
