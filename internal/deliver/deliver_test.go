package deliver_test

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http/httptest"
	"strconv"
	"testing"

	"servery/internal/byterange"
	"servery/internal/deliver"
	"servery/internal/plan"
)

// file is a Content in memory. With err set it writes only short bytes of each
// extent and fails.
type file struct {
	text  string
	short int64
	err   error
}

func (f file) WriteRange(w io.Writer, r byterange.Range) error {
	if f.err != nil {
		r.Length = f.short
	}
	if _, err := io.WriteString(w, f.text[r.Start:r.Start+r.Length]); err != nil {
		return err
	}
	return f.err
}

const digits = "0123456789"

// decide returns the plan for a file of ten digits.
func decide(r plan.Request) plan.Plan {
	r.Boundary = "boundary"
	return plan.Decide(r, plan.Facts{Size: 10, ETag: `"v1"`, ContentType: "text/plain", MostRanges: 16, CacheControl: "no-cache"})
}

func TestBody(t *testing.T) {
	tests := []struct {
		head   bool
		plan   plan.Plan
		status int
		body   string
		reason string
	}{
		{false, decide(plan.Request{}), 200, digits, "the whole file"},
		{false, decide(plan.Request{Range: []string{"bytes=2-4"}}), 206, "234", "one extent"},
		{true, decide(plan.Request{Head: true}), 200, "", "HEAD has no body"},
		{true, plan.Failure(404), 404, "", "nor has its failure"},
		{false, plan.Failure(404), 404, "404 Not Found\n", "a failure's message"},
		{false, decide(plan.Request{IfNoneMatch: []string{"*"}}), 304, "", "304 has none"},
		{false, plan.Options(), 204, "", "nor has 204"},
		{false, plan.Redirect("./a/"), 301, "", "a redirect says all in its head"},
	}
	for _, tt := range tests {
		w := httptest.NewRecorder()
		deliver.Answer(w, tt.head, tt.plan, file{text: digits}, nil)
		if w.Code != tt.status || w.Body.String() != tt.body {
			t.Errorf("%d %q, want %d %q: %s", w.Code, w.Body, tt.status, tt.body, tt.reason)
		}
		if got := w.Header().Get("Content-Length"); got != tt.plan.ContentLength {
			t.Errorf("Content-Length %q, want %q: %s", got, tt.plan.ContentLength, tt.reason)
		}
	}
}

// The length of several parts is known before (RFC 9110, sections 8.6 and 15.3.7.2).
func TestMultipartIsWhatWasPromised(t *testing.T) {
	w := httptest.NewRecorder()
	deliver.Answer(w, false, decide(plan.Request{Range: []string{"bytes=8-,0-0,3-5"}}), file{text: digits}, nil)
	if got, want := w.Header().Get("Content-Length"), strconv.Itoa(w.Body.Len()); got != want {
		t.Errorf("Content-Length %s, want %s", got, want)
	}
	mediaType, params, err := mime.ParseMediaType(w.Header().Get("Content-Type"))
	if err != nil || mediaType != "multipart/byteranges" {
		t.Fatalf("Content-Type %q: %v", w.Header().Get("Content-Type"), err)
	}
	parts := multipart.NewReader(w.Body, params["boundary"])
	for _, want := range [][2]string{{"bytes 8-9/10", "89"}, {"bytes 0-0/10", "0"}, {"bytes 3-5/10", "345"}} {
		part, err := parts.NextRawPart()
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(part)
		if got := [2]string{part.Header.Get("Content-Range"), string(body)}; got != want || err != nil {
			t.Errorf("part %q, %v, want %q", got, err, want)
		}
		if got := part.Header.Get("Content-Type"); got != "text/plain" {
			t.Errorf("part of type %q, want text/plain", got)
		}
	}
	if _, err := parts.NextRawPart(); err != io.EOF {
		t.Errorf("after the last part: %v", err)
	}
}

// refusing is a client that is gone after some bytes.
type refusing struct {
	*httptest.ResponseRecorder
	room int
}

var errGone = errors.New("gone")

func (w *refusing) Write(p []byte) (int, error) {
	if w.room -= len(p); w.room < 0 {
		return 0, errGone
	}
	return w.ResponseRecorder.Write(p)
}

func (w *refusing) WriteString(s string) (int, error) { return w.Write([]byte(s)) }

func TestFailureAfterTheHead(t *testing.T) {
	several := decide(plan.Request{Range: []string{"bytes=0-0,2-2"}})
	intact, short := file{text: digits}, file{text: digits, short: 1, err: io.ErrUnexpectedEOF}
	nothing := file{text: digits, err: errors.New("the disk fails")}
	tests := []struct {
		plan    plan.Plan
		content deliver.Content
		room    int
		reason  string
	}{
		{decide(plan.Request{}), short, 1000, "less than the whole file"},
		{decide(plan.Request{}), nothing, 1000, "nothing of it"},
		{decide(plan.Request{Range: []string{"bytes=2-4"}}), short, 1000, "less than the extent"},
		{several, short, 1000, "a part that fails: what follows must not look like its end"},
		{several, nothing, 1000, "the same with nothing of it"},
		{several, intact, 0, "a client that is gone before the first delimiter"},
		{several, intact, len("--boundary\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-0/10\r\n\r\n"), "before the bytes of a part"},
		{several, intact, partsLength(several) - 1, "before the closing delimiter"},
		{plan.Failure(404), nil, 0, "before the message of a failure"},
	}
	for _, tt := range tests {
		w := &refusing{httptest.NewRecorder(), tt.room}
		if err := deliver.Answer(w, false, tt.plan, tt.content, nil); err == nil || w.Code != tt.plan.Status {
			t.Errorf("error %v with status %d, want one: %s", err, w.Code, tt.reason)
		}
	}
	w := &refusing{httptest.NewRecorder(), partsLength(several)}
	if err := deliver.Answer(w, false, several, intact, nil); err != nil {
		t.Errorf("error %v with room for all", err)
	}
}

func partsLength(p plan.Plan) int {
	n, _ := strconv.Atoi(p.ContentLength)
	return n
}
