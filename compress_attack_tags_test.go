package servery_test

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"servery"
)

// manyTags is as much of a field as a server takes by default, of the shortest tags that end in a coding's suffix.
func manyTags(field, last string) string {
	const most = 1 << 20 // net/http's, for all fields
	tag := `"-gz6.1",`
	return field + ": " + strings.Repeat(tag, (most-1000)/len(tag)) + last
}

// allocated is how many bytes all goroutines allocate while f runs.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Time and memory are linear in the fields of a request, of whatever they are full.
func TestCompressReadsLongFieldsInLinearTime(t *testing.T) {
	server := serveHandler(t, servery.Compress(nil)(content(realText(t, 5000), `"v1"`)))
	for _, tt := range []struct {
		field  string
		status int
	}{
		{manyTags("If-None-Match", `"v1-gz6.1"`), 304},
		{manyTags("If-None-Match", `malformed`), 200},
		{manyTags("If-Match", `"v2"`), 412},
		{"If-None-Match: \"" + strings.Repeat("-gz6.1", 1<<17), 200},
		{"If-Range: \"" + strings.Repeat("-gz6.1", 1<<17) + "\"\r\nRange: bytes=0-1", 200},
		{"Accept-Encoding: " + strings.Repeat("br,", 1<<18), 200},
		{"Accept-Encoding: " + strings.Repeat(";q=", 1<<18), 200},
	} {
		name := fmt.Sprintf("%.40s... of %d bytes", tt.field, len(tt.field))
		var status int
		bytes := allocated(func() { status = fetch(t, server, "GET", "/", acceptGzip, tt.field).Status })
		if bytes > 64<<20 || status != tt.status {
			t.Errorf("%s: status %d, %d MiB allocated, want %d and less than 64 MiB", name, status, bytes>>20, tt.status)
		}
	}
}

// A field under a name that is not canonical is the same field to the client, and
// what it says of the plain bytes may not be said of others.
func TestCompressKnowsFieldsByAnyName(t *testing.T) {
	text := realText(t, 5000)
	for name, value := range map[string]string{
		"ETag": `"v1"`, "content-encoding": "br", "CONTENT-RANGE": "bytes 0-4999/5000", "cache-control": "no-transform",
		"accept-ranges": "bytes", "content-type": "image/png", "Content-MD5": "1B2M2Y8AsgTpgAmY7PhCfg==",
	} {
		both := serveTwins(t, nil, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()[name] = []string{value}
			io.WriteString(w, text)
		})
		bare, got := both.ask(t, "GET", acceptGzip)
		wantSame(t, bare, got, false, name)
	}
	both := serveTwins(t, nil, func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["x-odd"] = []string{"1"}
		io.WriteString(w, text)
	})
	bare, got := both.ask(t, "GET", acceptGzip)
	wantCodedLike(t, bare, got, "gzip", "a field that says nothing of the bytes")
}
