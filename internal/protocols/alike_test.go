package protocols

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"servery"
)

// An answer is all that a client sees of one, whatever the protocol.
type answer struct {
	Status          int
	Header, Trailer http.Header
	Length          int64 // as it says
	Body            string
}

// fetch reads an answer to its end and leaves out what belongs to the protocol, and the
// boundary between parts, which is made up anew for each answer.
func fetch(t *testing.T, s server, method, target string, fields ...string) answer {
	t.Helper()
	response, err := s.client.Do(request(t, method, s.url+target, fields...))
	if err != nil {
		t.Fatalf("%s: %s %s %q: %v", s.protocol, method, target, fields, err)
	}
	defer response.Body.Close()
	if response.Proto != version(s.protocol) {
		t.Errorf("%s: the answer is one of %s", s.protocol, response.Proto)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("%s: %s %s %q: %v after %d bytes", s.protocol, method, target, fields, err, len(body))
	}
	for _, name := range []string{"Date", "Connection", "Content-Length", "Trailer"} {
		response.Header.Del(name)
	}
	if method == "HEAD" {
		response.Trailer = nil // of no body, which only some announce or send
	}
	if boundary := boundaries.FindStringSubmatch(response.Header.Get("Content-Type")); boundary != nil {
		response.Header.Set("Content-Type", "multipart/byteranges")
		body = bytes.ReplaceAll(body, []byte(boundary[1]), []byte("boundary"))
	}
	return answer{response.StatusCode, response.Header, response.Trailer, response.ContentLength, string(body)}
}

var boundaries = regexp.MustCompile(`^multipart/byteranges; boundary=(.*)$`)

// questions are of both handlers.
var questions = []struct{ target, plain string }{
	{"/files/small.txt", tree["small.txt"]},
	{"/files/medium.txt", tree["medium.txt"]},
	{"/files/large.txt", tree["large.txt"]},
	{"/files/large.bin", tree["large.bin"]},
	{"/files/empty.txt", ""},
	{"/files/", tree["index.html"]},
	{"/files/folder", ""},
	{"/files/missing", ""},
	{"/small", text(500)},
	{"/medium", text(10_000)},
	{"/large", text(1 << 20)},
	{"/picture", text(100_000)},
	{"/error", text(5000)},
	{"/events", "data: 1\n\ndata: 2\n\n"},
	{"/nothing", ""},
	{"/content", text(50_000)},
	{"/trailers", text(40_000)},
}

func both(t *testing.T) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/files/", http.StripPrefix("/files", fileServer(t)))
	mux.Handle("/", servery.Compress(nil)(handlers()))
	return mux
}

// An answer is the same over every version of HTTP: status, fields, trailers, length
// where the handler says one, and every byte. Over HTTP/1.1 it is what other tests say.
func TestAnswersAreAlike(t *testing.T) {
	handler := both(t)
	over := map[string]server{}
	for _, protocol := range protocols {
		over[protocol] = serve(t, protocol, handler)
	}
	seen := map[string]int{}
	for _, q := range questions {
		tag := fetch(t, over["HTTP/1.1"], "GET", q.target).Header.Get("ETag")
		gzipTag := fetch(t, over["HTTP/1.1"], "GET", q.target, "Accept-Encoding: gzip").Header.Get("ETag")
		for _, tt := range [][]string{
			{"GET"}, {"HEAD"}, {"GET", "Accept-Encoding: gzip"}, {"GET", "Accept-Encoding: zstd"}, {"HEAD", "Accept-Encoding: gzip"},
			{"GET", "If-None-Match: " + tag}, {"GET", "Accept-Encoding: gzip", "If-None-Match: " + gzipTag}, {"GET", `If-Match: "no"`},
			{"GET", "Range: bytes=100-299"}, {"GET", "Range: bytes=-50"}, {"GET", "Range: bytes=0-9, 20-29, 40-49"}, {"GET", "Range: bytes=99999999-"},
			{"GET", "Accept-Encoding: gzip", "Range: bytes=100-299", "If-Range: " + gzipTag}, {"GET", "Range: bytes=100-299", "If-Range: " + tag},
			{"GET", "Accept-Encoding: identity;q=0"}, {"OPTIONS"}, {"DELETE"},
		} {
			want := fetch(t, over["HTTP/1.1"], tt[0], q.target, tt[1:]...)
			seen[http.StatusText(want.Status)]++
			seen[want.Header.Get("Content-Encoding")]++
			if tt[0] == "GET" && want.Status == 200 {
				if plain := undo(t, want); plain != q.plain {
					t.Errorf("%s %q: %d bytes, want %d", q.target, tt, len(plain), len(q.plain))
				}
			}
			for _, protocol := range protocols[1:] {
				got := fetch(t, over[protocol], tt[0], q.target, tt[1:]...)
				got.Length, want.Length = known(got, want)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s %q (-HTTP/1.1 +%s):\n%.2000s", q.target, tt, protocol, diff)
				}
			}
		}
	}
	for _, name := range []string{"OK", "No Content", "Partial Content", "Moved Permanently", "Not Modified", "Not Found",
		"Method Not Allowed", "Not Acceptable", "Precondition Failed", "Requested Range Not Satisfiable", "", "gzip", "zstd"} {
		if seen[name] == 0 {
			t.Errorf("no answer was %q: %v", name, seen)
		}
	}
}

// known leaves lengths out where only one is known: servers count short bodies that the
// handler said no length of, each up to its own limit, and say 0 for no body or nothing.
func known(got, want answer) (int64, int64) {
	if got.Length <= 0 || want.Length <= 0 {
		return 0, 0
	}
	return got.Length, want.Length
}

func undo(t *testing.T, a answer) string {
	t.Helper()
	plain, err := io.ReadAll(decoder(t, a.Header.Get("Content-Encoding"), bytes.NewReader([]byte(a.Body))))
	if err != nil {
		t.Error(err)
	}
	return string(plain)
}

// decoder undoes a coding as its bytes arrive.
func decoder(t *testing.T, coding string, r io.Reader) io.Reader {
	t.Helper()
	var d io.Reader = r
	var err error
	switch coding {
	case "":
	case "gzip":
		d, err = gzip.NewReader(r)
	case "zstd":
		d, err = zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
	default:
		t.Fatalf("coding %q", coding)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}
