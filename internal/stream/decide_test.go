package stream_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servery/internal/stream"
)

const (
	get  = http.MethodGet
	html = "Content-Type: text/html"
	gz   = "Accept-Encoding: gzip"
)

var (
	waits   = stream.Verdict{Action: "wait"}
	passes  = stream.Verdict{Action: "pass"}
	varies  = stream.Verdict{Action: "pass", Vary: true}
	encodes = stream.Verdict{Action: "encode", Vary: true}
)

// A row is an answer of 4 KiB to a GET that accepts gzip, but for what it says.
type row struct {
	method  string
	request []string // nil is gz
	moment  stream.Moment
	status  int // 0 is 200
	header  []string
	prefix  string
	size    int64
	want    stream.Verdict
	reason  string
}

func decideAll(t *testing.T, rows []row) {
	t.Helper()
	m := middleware(t, nil)
	for _, tt := range rows {
		if tt.method == "" {
			tt.method = get
		}
		if tt.request == nil {
			tt.request = []string{gz}
		}
		if tt.status == 0 {
			tt.status = http.StatusOK
		}
		got := m.Decide(request(tt.method, tt.request...), stream.Answer{
			Moment: tt.moment, Status: tt.status, Header: header(tt.header...), Prefix: tt.prefix, Size: tt.size,
		})
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
	}
}

func TestUntouchedAnswers(t *testing.T) {
	decideAll(t, []row{
		{size: 4096, header: []string{html}, want: encodes, reason: "what the rows below change"},
		{size: 4096, status: 101, header: []string{html}, want: passes, reason: "another protocol follows"},
		{status: 204, header: []string{html}, want: passes, reason: "there is no content"},
		{status: 205, header: []string{html}, want: passes, reason: "nor is there any here"},
		{size: 4096, status: 416, header: []string{html}, want: passes, reason: "a range was not satisfiable"},
		{size: 4096, status: 206, header: []string{html}, want: varies, reason: "the range is of the plain bytes, the whole may be coded"},
		{size: 4096, status: 206, header: []string{"Content-Type: multipart/byteranges; boundary=x"}, want: varies,
			reason: "nobody knows the type of the parts"},
		{size: 4096, status: 206, header: []string{"Content-Type: image/png"}, want: passes, reason: "nor may the whole be coded"},
		{size: 4096, header: []string{html, "Content-Range: bytes 0-9/10"}, want: varies, reason: "a range with another status"},
		{size: 4096, header: []string{html, "Content-Encoding: br"}, want: passes, reason: "it is coded already"},
		{size: 4096, header: []string{html, "Content-Encoding: identity", "Content-Encoding: br"}, want: passes, reason: "in the second line"},
		{size: 4096, header: []string{html, "Content-Encoding: Identity"}, want: encodes, reason: "identity is no coding"},
		{size: 4096, header: []string{html, "Content-Encoding: "}, want: encodes, reason: "nor is nothing"},
		{size: 4096, header: []string{html, "Cache-Control: no-transform"}, want: passes, reason: "nobody is to change it"},
		{size: 4096, header: []string{html, "Cache-Control: public", "Cache-Control: max-age=1 ,\tNo-Transform"}, want: passes,
			reason: "any line, any case"},
		{size: 4096, header: []string{html, "Cache-Control: x-no-transform, no-transform2"}, want: encodes, reason: "only the exact token"},
		{size: 4096, header: []string{html, "Transfer-Encoding: chunked"}, want: passes, reason: "the handler frames it itself"},
		{size: 4096, header: []string{html, "Repr-Digest: sha-256=:x:"}, want: passes, reason: "a digest of the plain representation"},
		{size: 4096, header: []string{html, "Content-Digest: sha-256=:x:"}, want: passes, reason: "a digest of the plain content"},
		{size: 4096, header: []string{html, "Digest: sha-256=x"}, want: passes, reason: "its old name"},
		{size: 4096, header: []string{html, "Content-MD5: x"}, want: passes, reason: "and its older one"},
	})
}

func TestMediaTypesOfAnswers(t *testing.T) {
	sniffed := encodes
	sniffed.MediaType = "text/html; charset=utf-8"
	page := "<!doctype html>" + strings.Repeat("<p>", 400)
	decideAll(t, []row{
		{size: 4096, header: []string{"Content-Type: TEXT/HTML ; charset=x"}, want: encodes, reason: "case and parameters do not count"},
		{size: 4096, header: []string{"Content-Type: image/png"}, want: passes, reason: "it does not shrink"},
		{size: 0, header: []string{"Content-Type: image/png"}, want: passes, reason: "which is known before the first byte"},
		{moment: stream.Flushed, header: []string{"Content-Type: text/event-stream"}, want: passes, reason: "events are not to be held back"},
		{size: 4096, header: []string{"Content-Type: application/grpc+proto"}, want: passes, reason: "gRPC has a compression of its own"},
		{size: 4096, header: []string{"Content-Type: application/grpc-web-text"}, want: passes, reason: "so has gRPC-Web"},
		{size: 4096, header: []string{"Content-Type: "}, want: passes, reason: "the handler wants no type"},
		{prefix: page, want: sniffed, reason: "the first bytes tell it"},
		{prefix: page[:300], want: waits, reason: "too few bytes to tell"},
		{prefix: page[:300], moment: stream.Flushed, want: sniffed, reason: "there will be no more to look at"},
		{prefix: "\x89PNG\x0d\x0a\x1a\x0a" + strings.Repeat("x", 1024), want: passes, reason: "they tell an image"},
		{moment: stream.Flushed, want: passes, reason: "nothing tells it"},
		{prefix: page, header: []string{"Content-Encoding: identity"}, want: passes, reason: "net/http looks at no bytes in a coding"},
	})
}

func TestNilTypeIsNoType(t *testing.T) {
	m := middleware(t, nil)
	got := m.Decide(request(get, gz), stream.Answer{
		Status: 200, Header: http.Header{"Content-Type": nil}, Prefix: strings.Repeat("text ", 1000),
	})
	if diff := cmp.Diff(passes, got); diff != "" {
		t.Errorf("a type that is switched off (-want +got):\n%s", diff)
	}
}

func TestSizesOfAnswers(t *testing.T) {
	typed := func(fields ...string) []string { return append(fields, html) }
	decideAll(t, []row{
		{size: 0, header: typed(), want: waits, reason: "nothing is known"},
		{size: 1023, header: typed(), want: waits, reason: "it may stay small"},
		{size: 1024, header: typed(), want: encodes, reason: "it is large enough"},
		{size: 1023, moment: stream.Ended, header: typed(), want: passes, reason: "it is small, for everybody"},
		{size: 1024, moment: stream.Ended, header: typed(), want: encodes, reason: "just large enough"},
		{size: 1, moment: stream.Flushed, header: typed(), want: encodes, reason: "nobody knows how much will follow"},
		{size: 0, moment: stream.Flushed, header: typed(), want: encodes, reason: "not even before the first byte"},
		{header: typed("Content-Length: 1023"), want: passes, reason: "declared to be small"},
		{header: typed("Content-Length: 1024"), want: encodes, reason: "declared to be large enough"},
		{header: typed("Content-Length: 0"), want: passes, reason: "declared to be empty"},
		{header: typed("Content-Length: -1"), want: waits, reason: "declared nonsense"},
		{header: typed("Content-Length: 9223372036854775808"), want: waits, reason: "declared beyond all numbers"},
		{size: 0, moment: stream.Ended, header: typed(), want: passes, reason: "empty stays empty"},
		{moment: stream.Ended, header: typed("Content-Length: 4096"), want: passes, reason: "whatever was declared"},
		{method: "HEAD", moment: stream.Ended, header: typed("Content-Length: 4096"), want: encodes, reason: "but for HEAD"},
		{method: "HEAD", moment: stream.Ended, header: typed(), want: encodes, reason: "as GET, as far as the type tells"},
		{method: "HEAD", size: 500, moment: stream.Ended, header: typed(), want: passes, reason: "as GET, as far as the handler wrote"},
		{method: "HEAD", header: typed("Content-Length: 500"), want: passes, reason: "as GET, as far as the length tells"},
		{method: "HEAD", moment: stream.Ended, want: passes, reason: "no type, no coding"},
	})
	m := middleware(t, func(o *stream.Options) { o.MinSize = 0 })
	if got := m.Decide(request(get, gz), stream.Answer{Status: 200, Header: header(html)}); got != waits {
		t.Errorf("nothing so far: got %v, want %v", got, waits)
	}
	for size, want := range map[string]stream.Verdict{"": passes, "x": encodes} {
		got := m.Decide(request(get, gz), stream.Answer{Moment: stream.Ended, Status: 200, Header: header(html), Prefix: size})
		if got != want {
			t.Errorf("all that are not empty, %q: got %v, want %v", size, got, want)
		}
	}
}

func TestNegotiationOfAnswers(t *testing.T) {
	large := []string{html, "Content-Length: 4096"}
	decideAll(t, []row{
		{request: []string{}, header: large, want: varies, reason: "the client accepts no coding"},
		{request: []string{"Accept-Encoding: identity, gzip;q=0.5"}, header: large, want: varies, reason: "it prefers none"},
		{request: []string{"Accept-Encoding: identity;q=0, br"}, header: large, want: varies, reason: "nothing is acceptable"},
		{request: []string{"Accept-Encoding: gzip;q=0"}, header: large, want: varies, reason: "it refuses gzip"},
		{request: []string{}, header: []string{html}, want: waits, reason: "whether it could be coded depends on the size"},
		{request: []string{}, moment: stream.Ended, size: 100, header: []string{html}, want: passes, reason: "it could not"},
		{request: []string{gz, "Range: bytes=0-1"}, header: large, want: varies, reason: "a range request is answered plain"},
		{method: "HEAD", request: []string{gz, "Range: bytes=0-1"}, header: large, want: encodes, reason: "only GET has ranges"},
		{request: []string{gz, "Range: bytes=5-", `If-Range: "x-gz6.1"`}, header: large, want: encodes,
			reason: "a range of a coded copy is none"},
		{request: []string{gz, "Range: bytes=5-", `If-Range: "x"`}, header: large, want: varies, reason: "a range of a plain copy"},
	})
}

func TestNotModifiedAnswers(t *testing.T) {
	held := func(tags string) []string { return []string{gz, "If-None-Match: " + tags} }
	coded := stream.Verdict{Action: "pass", Vary: true, Tag: `"x-gz6.1"`}
	tag := []string{`ETag: "x"`}
	decideAll(t, []row{
		{request: held(`"x-gz6.1"`), status: 304, header: tag, want: coded, reason: "the client holds the coded form"},
		{request: held(`W/"x-gz6.1"`), status: 304, header: tag, want: coded, reason: "even if a cache weakened it"},
		{request: held(`"y-gz6.1", "x-gz6.1"`), status: 304, header: tag, want: coded, reason: "among others"},
		{request: held(`"x"`), status: 304, header: tag, want: varies, reason: "it holds the plain form"},
		{request: held(`"y-gz6.1", "x"`), status: 304, header: tag, want: varies, reason: "and the coded form of another"},
		{request: held(`"x-gz6.1"`), status: 304, header: []string{`ETag: W/"x"`}, want: varies, reason: "a weak tag has no suffix"},
		{request: held(`"x-gz6.1"`), status: 304, want: varies, reason: "no tag, and nobody knows the type"},
		{request: held(`"x-gz6.1"`), status: 304, header: append(tag, "Cache-Control: no-transform"), want: passes,
			reason: "it could not have been coded"},
		{status: 304, header: []string{"Content-Type: image/png"}, want: passes, reason: "the type tells that it could not have been"},
		{status: 304, header: []string{html}, want: varies, reason: "the type tells that it could have been"},
	})
}
