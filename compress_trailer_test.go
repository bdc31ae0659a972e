package servery_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servery"
)

// trailed is an answer with what came after its body.
type trailed struct {
	header, trailer http.Header
	chunked         bool
	body            string
}

func fetchTrailed(t *testing.T, handler http.Handler, fields ...string) trailed {
	t.Helper()
	c := open(t, serveHandler(t, handler), "GET", fields...)
	response := c.answer(t)
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Errorf("%q: %v after %d bytes", fields, err, len(body))
	}
	wantEnd(t, c, response, fmt.Sprint(fields))
	return trailed{response.Header, response.Trailer, len(response.TransferEncoding) > 0, string(body)}
}

// Trailers follow a complete body, whatever its size and whatever became of it. They
// need chunks (RFC 9112, section 7.1.2).
func TestCompressTrailers(t *testing.T) {
	text := realText(t, 300_000)
	noise := incompressible(300_000)
	for what, announce := range map[string]func(h http.Header) string{
		"declared":           func(h http.Header) string { h.Set("Trailer", "X-Sum"); return "X-Sum" },
		"declared in a list": func(h http.Header) string { h["Trailer"] = []string{"X-Other, X-Sum", "X-Third"}; return "X-Sum" },
		"prefixed":           func(http.Header) string { return http.TrailerPrefix + "X-Sum" },
	} {
		for _, body := range []string{"", "small", text[:1023], text[:5000], text[:16<<10], text, noise} {
			for _, flush := range []bool{false, true} {
				handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "text/plain")
					name := announce(w.Header())
					w.WriteHeader(200)
					io.WriteString(w, body[:len(body)/2])
					if flush {
						w.(http.Flusher).Flush()
					}
					io.WriteString(w, body[len(body)/2:])
					w.Header().Set(name, "sum")
					w.Header().Set("X-Never", "late and not announced")
				})
				bare := fetchTrailed(t, handler)
				for _, accept := range []string{"gzip", "zstd", "identity"} {
					reason := fmt.Sprintf("%s, %d bytes for %s, flushed %v", what, len(body), accept, flush)
					got := fetchTrailed(t, servery.Compress(nil)(handler), "Accept-Encoding: "+accept)
					wantTrailed(t, bare, got, reason)
				}
			}
		}
	}
}

// wantTrailed demands the trailers, which the bare server loses where a short body is
// followed by one that was not declared.
func wantTrailed(t *testing.T, bare, got trailed, reason string) {
	t.Helper()
	plain, err := got.body, error(nil)
	coding := got.header.Get("Content-Encoding")
	if coding != "" {
		plain, err = undo(coding, []byte(got.body))
	}
	if err != nil || plain != bare.body || got.header.Get("X-Never") != "" || got.header.Get("X-Sum") != "" {
		t.Errorf("%s: %v, %v, want the body of %d bytes", reason, err, got.header, len(bare.body))
	}
	want := bare.trailer
	if coding != "" && got.trailer.Get("X-Sum") == "" || bare.trailer != nil && !cmp.Equal(got.trailer, want) {
		t.Errorf("%s: trailer %v, want %v", reason, got.trailer, want)
	}
	if got.trailer != nil && !got.chunked {
		t.Errorf("%s: a trailer without chunks: %v", reason, got.header)
	}
}

// What a handler announces in Trailer is not a field of the head, and a length would leave it no room.
func TestCompressTrailersAndLength(t *testing.T) {
	text := realText(t, 5000)
	s := serveTwins(t, nil, func(w http.ResponseWriter, _ *http.Request) {
		setFields(w.Header(), []string{textType, "Trailer: X-Sum", "X-Sum: early"})
		io.WriteString(w, text)
	})
	for _, accept := range []string{"gzip", "zstd"} {
		got := open(t, s.inside, "GET", "Accept-Encoding: "+accept).answer(t)
		body, err := io.ReadAll(got.Body)
		plain, undone := undo(accept, body)
		if err != nil || undone != nil || plain != text || got.ContentLength >= 0 || got.Trailer.Get("X-Sum") != "early" {
			t.Errorf("%s: %v, %v, header %v, trailer %v", accept, err, undone, got.Header, got.Trailer)
		}
	}
}

// A digest or an entity-tag that follows a body is one of the bytes that the client got (RFC 9530, sections 2 and 3; RFC
// 9110, section 8.8.3.3), or is not there.
func TestCompressTrailersAboutTheBody(t *testing.T) {
	text := realText(t, 50_000)
	const plainDigest = "sha-256=:AAAA=:"
	for _, tt := range []struct {
		name      string // of the trailer
		announced bool
		value     string
		coded     bool
		want      string
		reason    string
	}{
		{"Content-Digest", true, plainDigest, false, plainDigest, "announced: the bytes have to be these"},
		{"Repr-Digest", true, plainDigest, false, plainDigest, "announced: the bytes have to be these"},
		{"Content-Digest", false, plainDigest, true, "", "it comes when the body is coded already"},
		{"Repr-Digest", false, plainDigest, true, "", "it comes when the body is coded already"},
		{"Etag", true, `"v1"`, true, `"v1-gz6.1"`, "a strong tag"},
		{"Etag", false, `"v1"`, true, `"v1-gz6.1"`, "a strong tag"},
		{"Etag", true, `W/"v1"`, true, `W/"v1"`, "a weak one is for all codings"},
		{"ETag", false, `"v1"`, true, `"v1-gz6.1"`, "the prefix keeps a name from being canonical"},
		{"content-digest", false, plainDigest, true, "", "the same"},
	} {
		got := fetchTrailed(t, servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			name := http.TrailerPrefix + tt.name
			if tt.announced {
				name = tt.name
				w.Header().Set("Trailer", name)
			}
			io.WriteString(w, text)
			w.Header()[name] = []string{tt.value}
		})), acceptGzip)
		if got.trailer.Get(tt.name) != tt.want || (got.header.Get("Content-Encoding") != "") != tt.coded {
			t.Errorf("%s %s, announced %t: header %v, trailer %v, want %q: %s", tt.name, tt.value, tt.announced, got.header, got.trailer, tt.want, tt.reason)
		}
	}
}

// A tag that follows the body is of the bytes that the client got, too, where the handler changes its header meanwhile.
func TestCompressTagInHeadAndTrailer(t *testing.T) {
	for reason, late := range map[string]func(h http.Header){
		"once more":             func(h http.Header) { h.Add("Etag", `"v1"`) },
		"no longer announced":   func(h http.Header) { h.Del("Trailer"); h.Set("Etag", `"v1"`) },
		"announced differently": func(h http.Header) { h["Trailer"] = []string{"X-Sum"}; h.Set("Etag", `"v1"`) },
		"as it was":             func(http.Header) {},
	} {
		got := fetchTrailed(t, servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			setFields(w.Header(), []string{textType, "Trailer: ETag", `ETag: "v1"`})
			io.WriteString(w, realText(t, 50_000))
			http.NewResponseController(w).Flush()
			late(w.Header())
		})), acceptGzip)
		tags := append(got.header["Etag"], got.trailer["Etag"]...)
		if len(tags) < 2 || slices.ContainsFunc(tags, func(tag string) bool { return tag != `"v1-gz6.1"` }) {
			t.Errorf("%s: the tags are %q", reason, tags)
		}
	}
}

// A broken-off body has no trailers, which would make it look whole.
func TestCompressPanicBeforeTrailers(t *testing.T) {
	server := serveLoosely(t, servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		setFields(w.Header(), []string{textType, "Trailer: X-Sum"})
		io.WriteString(w, "text")
		w.(http.Flusher).Flush()
		w.Header().Set("X-Sum", "sum")
		panic(http.ErrAbortHandler)
	})))
	got, _ := raw(t, server, "GET / HTTP/1.1\r\nHost: test\r\nAccept-Encoding: gzip\r\n\r\n")
	if strings.Contains(got, "X-Sum: sum") || strings.Contains(got, "\r\n0\r\n") {
		t.Errorf("got %q, want no end", got)
	}
}

// lateWriter is the writer of a server that takes no copy of the header at WriteHeader,
// but reads it when it sends it, as there are some for HTTP/3.
type lateWriter struct {
	*httptest.ResponseRecorder
	sent http.Header // nil before the first bytes
}

func (w *lateWriter) WriteHeader(int) {}

func (w *lateWriter) Write(p []byte) (int, error) {
	if w.sent == nil {
		w.sent = w.Header().Clone()
	}
	return len(p), nil
}

// What the handler does to its header after the status is neither lost, for it may be a
// trailer, nor does it take the coding away where the header is sent late.
func TestCompressHeaderSentLate(t *testing.T) {
	w := &lateWriter{ResponseRecorder: httptest.NewRecorder()}
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("Accept-Encoding", "gzip")
	servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		setFields(h, []string{textType, "Trailer: Sum, Etag", "Accept-Ranges: bytes", "Content-Length: 5000"})
		w.WriteHeader(200)
		io.WriteString(w, realText(t, 5000))
		setFields(h, []string{"Sum: 1", `ETag: "trailing"`, "Vary: Origin"})
	})).ServeHTTP(w, r)
	want := http.Header{
		"Content-Type": {"text/plain; charset=utf-8"}, "Content-Encoding": {"gzip"}, "Vary": {"Accept-Encoding"},
		"Trailer": {"Sum, Etag"}, "Sum": {"1"}, "Etag": {`"trailing"`},
	}
	if diff := cmp.Diff(want, w.sent); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
