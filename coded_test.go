package servery_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"servery"
	"servery/internal/testkit"
)

// decoded undoes a coding by an implementation that is not the encoder's, where
// there is one.
func decoded(t *testing.T, coding string, body []byte) string {
	t.Helper()
	var plain []byte
	var err error
	switch coding {
	case "gzip":
		plain, err = gunzip(body)
	case "zstd":
		var r *zstd.Decoder
		if r, err = zstd.NewReader(nil); err == nil {
			defer r.Close()
			plain, err = r.DecodeAll(body, nil)
		}
	default:
		plain = body
	}
	if err != nil {
		t.Fatalf("%s of %d bytes: %v", coding, len(body), err)
	}
	return string(plain)
}

func gunzip(body []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// A coded answer says its coding and the length of what is sent, and has a tag of its
// own (RFC 9110, sections 8.4, 8.6 and 8.8.3.3).
func TestCodedAnswer(t *testing.T) {
	text := realText(t, 300_000)
	server, _ := serveTree(t, map[string]string{"file.txt": text}, nil)
	tags := map[string]string{"": contentTag(text)}
	for _, coding := range []string{"gzip", "zstd"} {
		accept := "Accept-Encoding: " + coding
		got := server.Get("/file.txt", accept)
		h := got.Header
		if got.Status != 200 || h.Get("Content-Encoding") != coding || decoded(t, coding, got.Body) != text {
			t.Fatalf("%s: got\n%s, want 200 with the file in that coding", coding, got.Head)
		}
		if h.Get("Content-Length") != strconv.Itoa(len(got.Body)) || len(got.Body) > len(text)*95/100 {
			t.Errorf("%s: Content-Length %s of %d bytes", coding, h.Get("Content-Length"), len(got.Body))
		}
		if h.Get("Vary") != "Accept-Encoding" || h.Get("Accept-Ranges") != "" || h.Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("%s: got\n%s, want Vary, no ranges, and the file's own type", coding, got.Head)
		}
		tag := h.Get("Etag")
		for other, taken := range tags {
			if tag == taken {
				t.Errorf("%s has the tag %s of %q", coding, tag, other)
			}
		}
		tags[coding] = tag
		if !strings.HasPrefix(tag, strings.TrimSuffix(contentTag(text), `"`)+"-") {
			t.Errorf("%s: tag %s, want the identity's with a suffix", coding, tag)
		}
		head := server.Do("HEAD", "/file.txt", accept)
		if undated(head) != undated(got) {
			t.Errorf("%s: HEAD says\n%s, GET\n%s", coding, head.Head, got.Head)
		}
	}
	for _, tt := range []struct {
		coding, tag string
		fields      []string
		status      int
		reason      string
	}{
		{"gzip", tags["gzip"], nil, 304, "its own tag"},
		{"gzip", "W/" + tags["gzip"], nil, 304, "weakened on the way"},
		{"gzip", tags["zstd"], nil, 200, "another coding's"},
		{"gzip", tags[""], nil, 200, "identity's"},
		{"", tags[""], nil, 304, "identity's for identity"},
		{"", tags["gzip"], nil, 200, "a coding's for identity"},
		{"gzip", tags[""] + ", " + tags["gzip"], nil, 304, "one of several"},
	} {
		got := server.Get("/file.txt", "Accept-Encoding: "+tt.coding, "If-None-Match: "+tt.tag)
		if got.Status != tt.status || got.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s with %s: status %d, Vary %q, want %d: %s", tt.coding, tt.tag, got.Status, got.Header.Get("Vary"), tt.status, tt.reason)
		}
		if tt.status == 304 && got.Header.Get("Etag") != tags[tt.coding] {
			t.Errorf("%s: 304 with tag %s, want %s", tt.coding, got.Header.Get("Etag"), tags[tt.coding])
		}
	}
	if got := server.Get("/file.txt", "Accept-Encoding: gzip", "If-Match: "+tags["gzip"]); got.Status != 200 {
		t.Errorf("If-Match with the coding's own tag: status %d, want 200", got.Status)
	}
	if got := server.Get("/file.txt", "Accept-Encoding: gzip", "If-Match: "+tags[""]); got.Status != 412 {
		t.Errorf("If-Match with identity's tag: status %d, want 412", got.Status)
	}
}

// Ranges are of the plain file, and only that says Accept-Ranges (RFC 9110, sections
// 14.3 and 15.3.7).
func TestCodedAndRanges(t *testing.T) {
	text := realText(t, 50_000)
	server, _ := serveTree(t, map[string]string{"file.txt": text}, nil)
	const accept = "Accept-Encoding: gzip"
	codedTag := server.Do("HEAD", "/file.txt", accept).Header.Get("Etag")
	for _, tt := range []struct {
		fields []string
		status int
		coding string
		reason string
	}{
		{[]string{"Range: bytes=0-9"}, 206, "", "a range is identity"},
		{[]string{"Range: bytes=0-9", "If-Range: " + contentTag(text)}, 206, "", "under identity's tag"},
		{[]string{"Range: bytes=0-9", "If-Range: " + codedTag}, 200, "gzip", "under a coded tag: in full, coded"},
		{[]string{"Range: bytes=0-9", "If-Range: \"other\""}, 200, "gzip", "a failed If-Range may be coded"},
		{[]string{"Range: bytes=99999-"}, 416, "", "beyond the end"},
		{[]string{"Range: bytes=9-0"}, 200, "gzip", "a range that is not in force"},
		{[]string{"Range: lines=1-2"}, 200, "gzip", "a unit that nobody knows"},
		{[]string{"Range: bytes=0-9", "If-None-Match: " + contentTag(text)}, 304, "", "the tag of what the range selects"},
	} {
		got := server.Get("/file.txt", append(tt.fields, accept)...)
		if got.Status != tt.status || got.Header.Get("Content-Encoding") != tt.coding {
			t.Errorf("%q: got\n%s, want %d %q: %s", tt.fields, got.Head, tt.status, tt.coding, tt.reason)
		}
		if tt.status == 206 && string(got.Body) != text[:10] {
			t.Errorf("%q: %q, want the plain bytes", tt.fields, got.Body)
		}
	}
	refused := server.Get("/file.txt", "Range: bytes=0-9", "Accept-Encoding: gzip, identity;q=0")
	if refused.Status != 200 || refused.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("identity refused: got\n%s, want 200 in gzip, which has no ranges", refused.Head)
	}
}

func TestWhatIsCoded(t *testing.T) {
	text, noise := realText(t, 12<<20), incompressible(200_000)
	files := map[string]string{
		"1023.txt": text[:1023], "1024.txt": text[:1024], "10m.txt": text[:10<<20], "over.txt": text[:10<<20+1],
		"x.png": text[:5000], "x.json": text[:5000], "x.wasm": text[:5000], "x.woff2": text[:5000], "x.gz": text[:5000],
		"noise.txt": noise,
	}
	server, _ := serveTree(t, files, nil)
	for _, tt := range []struct {
		target, accept, coding string
		vary                   bool
		reason                 string
	}{
		{"/1023.txt", "gzip", "", false, "below MinSize"},
		{"/1024.txt", "gzip", "gzip", true, "from MinSize on"},
		{"/10m.txt", "gzip", "gzip", true, "up to MaxCompressSize"},
		{"/over.txt", "gzip", "", false, "above it"},
		{"/x.png", "gzip", "", false, "a type that is never coded"},
		{"/x.woff2", "gzip", "", false, "a type that is never coded"},
		{"/x.gz", "gzip", "", false, "asked for by its name it is a file"},
		{"/x.json", "gzip", "gzip", true, "a type that is"},
		{"/x.wasm", "gzip", "gzip", true, "a type that is"},
		{"/noise.txt", "gzip", "", true, "it saves too little"},
		{"/noise.txt", "gzip, identity;q=0", "gzip", true, "it saves too little, but identity is refused"},
		{"/noise.txt", "gzip", "", true, "the verdict holds"},
		{"/x.json", "", "", true, "an empty field"},
		{"/x.json", "br", "", true, "nothing that is on offer"},
		{"/x.json", "gzip, zstd", "zstd", true, "the server's order among equals"},
		{"/x.json", "gzip;q=1, zstd;q=0.9", "gzip", true, "the client's weights first"},
		{"/x.json", "identity, gzip;q=0.5", "", true, "identity with the higher weight"},
		{"/x.json", "gzip;q=0", "", true, "refused"},
		{"/x.json", "*", "zstd", true, "the wildcard"},
		{"/x.json", "x-gzip", "gzip", true, "the old name"},
		{"/x.json", "xgzip", "", true, "never a substring match"},
	} {
		got := server.Get(tt.target, "Accept-Encoding: "+tt.accept)
		if coding := got.Header.Get("Content-Encoding"); got.Status != 200 || coding != tt.coding || (got.Header.Get("Vary") != "") != tt.vary {
			t.Errorf("%s for %q: got\n%s, want coding %q, Vary %v: %s", tt.target, tt.accept, got.Head, tt.coding, tt.vary, tt.reason)
		}
		if decoded(t, got.Header.Get("Content-Encoding"), got.Body) != files[tt.target[1:]] {
			t.Errorf("%s for %q: %d bytes that are not the file", tt.target, tt.accept, len(got.Body))
		}
	}
	if got := server.Get("/x.json", "Accept-Encoding: br, identity;q=0"); got.Status != http.StatusNotAcceptable || got.Header.Get("Vary") == "" {
		t.Errorf("nothing acceptable: got\n%s, want 406 with Vary", got.Head)
	}
}

// incompressible returns bytes that no coding makes shorter.
func incompressible(size int) string {
	p := make([]byte, size)
	x := uint64(88172645463325252)
	for i := range p { // xorshift: the same in every run
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		p[i] = byte(x >> 32)
	}
	return string(p)
}

func TestCodedBytesAreDeterministic(t *testing.T) {
	text := realText(t, 200_000)
	path := testkit.Tree(t, map[string]string{"file.txt": text})
	dir := openDir(t, path)
	for _, coding := range []string{"gzip", "zstd"} {
		bodies := make(map[string]string)
		for range 3 { // a handler, a cache and an encoder each
			server := testkit.Serve(t, servery.FileServer(dir, nil))
			got := server.Get("/file.txt", "Accept-Encoding: "+coding)
			bodies[string(got.Body)] = got.Header.Get("Etag")
		}
		if len(bodies) != 1 {
			t.Errorf("%s: %d different bodies, want 1", coding, len(bodies))
		}
	}
}
