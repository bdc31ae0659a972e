package plan_test

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"servery/internal/byterange"
	"servery/internal/etag"
	"servery/internal/plan"
)

// FuzzDecide asks anything of any file. fields has the lines of a request, each
// after its name; seconds are the date of the file, 0 for none, and age is how much
// later it is asked for.
func FuzzDecide(f *testing.F) {
	f.Fuzz(func(t *testing.T, fields string, head bool, size, seconds, age int64, tag, contentType string, most int, negotiable bool) {
		request := requestOf(fields)
		request.Head = head
		facts := plan.Facts{
			Size: max(size, 0), ETag: etag.Tag(tag), ContentType: contentType, CacheControl: "no-cache",
			MostRanges: max(most, 0), Negotiable: negotiable,
		}
		if seconds != 0 {
			facts.ModTime = time.Unix(seconds%(1<<37), 0).UTC()
		}
		facts.Now = time.Unix(seconds%(1<<37)+age%(1<<37), 0)
		got := plan.Decide(request, facts)
		if again := plan.Decide(request, facts); !equal(got, again) {
			t.Fatalf("%+v and then %+v", got, again)
		}
		for _, check := range []func(plan.Request, plan.Facts, plan.Plan) string{
			checkStatus, checkFields, checkExtents, checkLength,
		} {
			if fault := check(request, facts, got); fault != "" {
				t.Errorf("%s: %+v", fault, got)
			}
		}
	})
}

func requestOf(fields string) plan.Request {
	r := plan.Request{Boundary: boundary}
	lists := map[string]*[]string{
		"Accept-Encoding": &r.AcceptEncoding, "If-Match": &r.IfMatch, "If-Unmodified-Since": &r.IfUnmodifiedSince,
		"If-None-Match": &r.IfNoneMatch, "If-Modified-Since": &r.IfModifiedSince, "If-Range": &r.IfRange, "Range": &r.Range,
	}
	for line := range strings.Lines(fields) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if list := lists[name]; list != nil {
			*list = append(*list, value)
		}
	}
	return r
}

// checkStatus: each status needs the field that it is the answer to.
func checkStatus(r plan.Request, f plan.Facts, p plan.Plan) string {
	ranges, verdict := byterange.Parse(r.Range, f.Size, f.MostRanges)
	ranged := !r.Head && len(r.Range) > 0
	ok := false
	switch p.Status {
	case 200:
		ok = !ranged || len(r.IfRange) > 0 || verdict == byterange.Whole || tooLong(ranges, f)
	case 206:
		ok = ranged && verdict == byterange.Partial && slices.Equal(ranges, p.Ranges)
	case 304:
		ok = len(r.IfNoneMatch) > 0 || len(r.IfModifiedSince) > 0 && !f.ModTime.IsZero()
	case 406:
		ok = len(r.AcceptEncoding) > 0
	case 412:
		ok = len(r.IfMatch) > 0 || len(r.IfUnmodifiedSince) > 0 && !f.ModTime.IsZero()
	case 416:
		ok = ranged && verdict == byterange.Unsatisfiable
	}
	if !ok {
		return "status without a reason"
	}
	return ""
}

// tooLong reports that the parts have no length that fits into an int64.
func tooLong(ranges []byterange.Range, f plan.Facts) bool {
	partType := f.ContentType
	if strings.ContainsAny(partType, "\r\n") {
		partType = "" // it is not written
	}
	return len(ranges) > 1 && !multipartSum(ranges, partType, f.Size).IsInt64()
}

// checkFields: what the 200 has, the 206 and the 304 have, and an error has not.
func checkFields(r plan.Request, f plan.Facts, p plan.Plan) string {
	multipart := len(p.Ranges) > 1
	switch {
	case p.Vary != (f.Negotiable || p.Status == 406):
		return "Vary"
	case p.Status >= 400 && (p.ETag != "" || p.LastModified != "" || p.CacheControl != "" || p.AcceptRanges != ""):
		return "an error with fields of the file"
	case (p.ContentRange != "") != (p.Status == 416 || p.Status == 206 && !multipart):
		return "Content-Range"
	case p.Status < 400 && (p.ETag != f.ETag || p.CacheControl != f.CacheControl):
		return "other fields than the 200 has"
	case p.Status < 300 && (p.LastModified == "") != f.ModTime.IsZero():
		return "Last-Modified"
	case p.Status < 300 && (p.AcceptRanges == "bytes") != (f.MostRanges > 0):
		return "Accept-Ranges"
	case p.Status == 304 && (p.ContentType != "" || p.ContentLength != "" || p.NoSniff):
		return "304 with fields of a body"
	case p.Allow != "" || p.Location != "" || p.RetryAfter != "":
		return "a field of another answer"
	case strings.ContainsAny(p.PartType, "\r\n"):
		return "a line break in the head of a part"
	}
	return ""
}

// checkExtents: what is written lies inside of the file.
func checkExtents(r plan.Request, f plan.Facts, p plan.Plan) string {
	switch {
	case (r.Head && p.Status < 400 || p.Status == 304) && (p.Message != "" || len(p.Ranges) > 0):
		return "an answer with a body that has none"
	case (p.Message != "") != (p.Status >= 400):
		return "a message, or none"
	case p.Status >= 400 && len(p.Ranges) > 0:
		return "an error with bytes of the file"
	case p.Status == 200 && !r.Head && f.Size > 0 && !slices.Equal(p.Ranges, extents(0, f.Size)):
		return "200 without the whole file"
	case len(p.Ranges) > max(f.MostRanges, 1):
		return "too many ranges"
	}
	for _, e := range p.Ranges {
		if e.Start < 0 || e.Length <= 0 || e.Start > f.Size-e.Length {
			return "a range outside of the file"
		}
	}
	return ""
}

// checkLength: Content-Length is the sum of what will be written.
func checkLength(r plan.Request, f plan.Facts, p plan.Plan) string {
	var want string
	switch {
	case p.Status == 304:
	case p.Message != "":
		want = length(p.Message)
	case len(p.Ranges) > 1:
		want = multipartSum(p.Ranges, p.PartType, p.CompleteSize).String()
		if p.CompleteSize != f.Size || p.ContentType != "multipart/byteranges; boundary="+p.Boundary {
			return "parts of another file"
		}
	case len(p.Ranges) == 1:
		want = strconv.FormatInt(p.Ranges[0].Length, 10)
	default:
		want = strconv.FormatInt(f.Size, 10)
	}
	if p.ContentLength != want {
		return "Content-Length, want " + want
	}
	return ""
}

// multipartSum adds up the pieces in numbers of any size.
func multipartSum(ranges []byterange.Range, partType string, size int64) *big.Int {
	sum := big.NewInt(int64(len(byterange.Closing(boundary))))
	for i, e := range ranges {
		sum.Add(sum, big.NewInt(int64(len(byterange.PartHeader(boundary, partType, e, size, i == 0)))))
		sum.Add(sum, big.NewInt(e.Length))
	}
	return sum
}
