package servery_test

import (
	"net/http"
	"os"
	"testing"

	"servery"
	"servery/internal/testkit"
)

// content is a handler as most are: it leaves ranges and preconditions to net/http.
func content(text, tag string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Etag", tag)
		http.ServeContent(w, r, "page.html", testkit.Past, newSection(text))
	}
}

// A strong tag is for one representation only, a weak one is for all of them. See RFC
// 9110, section 8.8.3.3.
func TestCompressTagsWhatItSends(t *testing.T) {
	text := realText(t, 5000)
	for _, tt := range []struct{ tag, gzip, zstd, reason string }{
		{`"v1"`, `"v1-gz6.1"`, `"v1-zst3.1"`, "strong"},
		{`""`, `"-gz6.1"`, `"-zst3.1"`, "strong and empty"},
		{`"v1-gz6.1"`, `"v1-gz6.1-gz6.1"`, `"v1-gz6.1-zst3.1"`, "one that looks like ours"},
		{`W/"v1"`, `W/"v1"`, `W/"v1"`, "weak"},
		{`v1`, "", "", "malformed"},
		{`"v1`, "", "", "malformed"},
		{`w/"v1"`, "", "", "malformed"},
		{"", "", "", "none"},
	} {
		var fields []string
		if tt.tag != "" {
			fields = []string{"ETag: " + tt.tag}
		}
		server := serveHandler(t, servery.Compress(nil)(says(200, text, append(fields, textType)...)))
		for accept, want := range map[string]string{"gzip": tt.gzip, "zstd": tt.zstd, "br": tt.tag, "identity": tt.tag} {
			for _, method := range []string{"GET", "HEAD"} {
				got := fetch(t, server, method, "/", "Accept-Encoding: "+accept)
				if got.Header.Get("Etag") != want {
					t.Errorf("%s, %s for %s: tag %s, want %q: %s", tt.tag, method, accept, got.Header.Get("Etag"), want, tt.reason)
				}
			}
		}
	}
}

// What a client holds is confirmed if it would get the same again, and only then. See
// RFC 9110, sections 13.1.1, 13.1.2 and 15.4.5.
func TestCompressConfirms(t *testing.T) {
	text := realText(t, 5000)
	for _, tt := range []struct {
		tag    string // the handler's
		fields []string
		status int
		answer string // its tag
		reason string
	}{
		{`"v1"`, []string{acceptGzip, `If-None-Match: "v1-gz6.1"`}, 304, `"v1-gz6.1"`, "its own"},
		{`"v1"`, []string{acceptZstd, `If-None-Match: "v1-zst3.1"`}, 304, `"v1-zst3.1"`, "its own"},
		{`"v1"`, []string{acceptGzip, `If-None-Match: W/"v1-gz6.1"`}, 304, `"v1-gz6.1"`, "weakened on the way"},
		{`"v1"`, []string{acceptGzip, `If-None-Match: "x", "v1-gz6.1"`}, 304, `"v1-gz6.1"`, "one of several"},
		{`"v1"`, []string{acceptGzip, `If-None-Match: "a,b" ,, W/"v1-gz6.1" , "x"`}, 304, `"v1-gz6.1"`, "one of several, with commas"},
		{`"v1"`, []string{acceptGzip, `If-None-Match: "x"`, `If-None-Match: "v1-gz6.1"`}, 304, `"v1-gz6.1"`, "in another line"},
		{`"v1"`, []string{acceptGzip, `If-None-Match: "x"`, `If-None-Match: W/"y"`, `If-None-Match: W/"v1-gz6.1"`}, 304, `"v1-gz6.1"`, "in a third line"},
		{`"v1"`, []string{acceptGzip, `If-None-Match: "v1"`}, 304, `"v1"`, "that of a plain copy"},
		{`"v1"`, []string{acceptGzip, `If-None-Match: "v1", "v1-gz6.1"`}, 304, `"v1-gz6.1"`, "both: the one that would be sent"},
		{`"v1"`, []string{acceptGzip, `If-None-Match: "v2-gz6.1"`}, 200, `"v1-gz6.1"`, "another version's"},
		{`"v1"`, []string{acceptGzip, `If-None-Match: "v1-zst3.1"`}, 200, `"v1-gz6.1"`, "a coding that it does not want"},
		{`"v1"`, []string{acceptGzip, `If-None-Match: "v1-gz9.1"`}, 200, `"v1-gz6.1"`, "another level's"},
		{`"v1"`, []string{acceptGzip, `If-None-Match: "v1-gz"`}, 200, `"v1-gz6.1"`, "somebody else's"},
		{`"v1"`, []string{acceptGzip, `If-None-Match: "v1-gz6.1`}, 200, `"v1-gz6.1"`, "malformed"},
		{`"v1"`, []string{"Accept-Encoding: zstd, gzip", `If-None-Match: "v1-gz6.1"`}, 200, `"v1-zst3.1"`, "it would get another coding"},
		{`"v1"`, []string{"Accept-Encoding: zstd;q=0.5, gzip", `If-None-Match: "v1-gz6.1"`}, 304, `"v1-gz6.1"`, "it prefers this one"},
		{`"v1"`, []string{`If-None-Match: "v1-gz6.1"`}, 200, `"v1"`, "it negotiates none"},
		{`"v1"`, []string{"Accept-Encoding: br", `If-None-Match: W/"v1-gz6.1"`}, 200, `"v1"`, "it negotiates none that is on offer"},
		{`"v1"`, []string{"Accept-Encoding: gzip;q=0", `If-None-Match: "v1-gz6.1"`}, 200, `"v1"`, "it refuses the coding"},
		{`"v1"`, []string{"Accept-Encoding: identity, gzip;q=0.5", `If-None-Match: "v1-gz6.1"`}, 200, `"v1"`, "it prefers identity"},
		{`"v1"`, []string{`If-None-Match: "v1"`}, 304, `"v1"`, "a plain copy of a plain answer"},
		{`W/"v1"`, []string{acceptGzip, `If-None-Match: W/"v1"`}, 304, `W/"v1"`, "a weak tag is everybody's"},
		{`W/"v1"`, []string{`If-None-Match: W/"v1"`}, 304, `W/"v1"`, "a weak tag is everybody's"},
		{`"v1-gz6.1"`, []string{acceptGzip, `If-None-Match: "v1-gz6.1-gz6.1"`}, 304, `"v1-gz6.1-gz6.1"`, "a tag that looks like ours, in our coding"},
		{`"v1-gz6.1"`, []string{acceptGzip, `If-None-Match: "v1-gz6.1"`}, 200, `"v1-gz6.1-gz6.1"`,
			"a tag that looks like ours, to a handler that reads no second line: the safe failure"},
		{`"v1-gz6.1"`, []string{`If-None-Match: "v1-gz6.1"`}, 304, `"v1-gz6.1"`, "a tag that looks like ours"},
		{`"v1"`, []string{acceptGzip, `If-Match: "v1-gz6.1"`}, 200, `"v1-gz6.1"`, "If-Match with its own"},
		{`"v1"`, []string{acceptGzip, `If-Match: "x"`, `If-Match: "v1-gz6.1"`}, 200, `"v1-gz6.1"`, "If-Match in another line"},
		{`"v1"`, []string{acceptGzip, `If-Match: "v1"`}, 200, `"v1-gz6.1"`, "If-Match with the plain one"},
		{`"v1"`, []string{acceptGzip, `If-Match: "v2-gz6.1"`}, 412, "", "If-Match with another version's"},
		{`"v1"`, []string{acceptGzip, `If-Match: W/"v1-gz6.1"`}, 412, "", "If-Match is strong"},
		{`"v1"`, []string{acceptGzip, `If-Match: "v1-zst3.1"`}, 412, "", "If-Match with a coding that it does not want"},
		{`"v1"`, []string{`If-Match: "v1-gz6.1"`}, 412, "", "If-Match of one that negotiates none"},
		{`"v1"`, []string{acceptGzip, `If-Match: *`}, 200, `"v1-gz6.1"`, "If-Match with the star"},
	} {
		server := serveHandler(t, servery.Compress(nil)(content(text, tt.tag)))
		for _, method := range []string{"GET", "HEAD"} {
			got := fetch(t, server, method, "/", tt.fields...)
			if got.Status != tt.status || tt.answer != "" && got.Header.Get("Etag") != tt.answer {
				t.Errorf("%s of %s with %q: got\n%s, want %d %s: %s", method, tt.tag, tt.fields, got.Head, tt.status, tt.answer, tt.reason)
			}
			if tt.status != 412 && got.Header.Get("Vary") != "Accept-Encoding" {
				t.Errorf("%s with %q: got\n%s, want Vary", method, tt.fields, got.Head)
			}
			if tt.status == 304 && (len(got.Body) > 0 || got.Header.Get("Content-Encoding") != "" || got.Header.Get("Content-Length") != "") {
				t.Errorf("%s with %q: got\n%s, want 304 without what describes a body", method, tt.fields, got.Head)
			}
		}
	}
}

// What is said of validators in the answer to a change is said of the resource that it has made (RFC 9110, section 8.8),
// in whichever coding the answer comes. A client that reads the resource afterwards finds it as it left it.
func TestCompressTagOfAChange(t *testing.T) {
	report := says(200, realText(t, 5000), textType, `ETag: "v2"`)
	for _, tt := range []struct{ method, want string }{
		{"PUT", `"v2"`}, {"PATCH", `"v2"`}, {"POST", `"v2"`}, {"DELETE", `"v2"`}, {"LOCK", `"v2"`}, {"GET", `"v2-gz6.1"`}, {"QUERY", `"v2-gz6.1"`},
	} {
		// A body that is said to be that state is in a coding, though (RFC 9110, section 8.7).
		located := says(200, realText(t, 5000), textType, `ETag: "v2"`, "Content-Location: /")
		if got := fetch(t, serveHandler(t, servery.Compress(nil)(located)), tt.method, "/", acceptGzip, "Content-Length: 0"); got.Header.Get("Etag") != `"v2-gz6.1"` {
			t.Errorf("%s with Content-Location: got\n%s", tt.method, got.Head)
		}
		got := fetch(t, serveHandler(t, servery.Compress(nil)(report)), tt.method, "/", acceptGzip, "Content-Length: 0")
		if got.Header.Get("Etag") != tt.want || got.Header.Get("Content-Encoding") != "gzip" {
			t.Errorf("%s: got\n%s, want the tag %s of a coded answer", tt.method, got.Head, tt.want)
		}
	}
}

// A handler that has only a date says the same date of all codings: it cannot continue a coded copy (RFC 9110, section
// 13.1.5).
func TestCompressAndIfRangeDate(t *testing.T) {
	text := realText(t, 200_000)
	dir := testkit.Tree(t, map[string]string{"app.js": text})
	server := serveHandler(t, servery.Compress(nil)(http.FileServerFS(os.DirFS(dir))))
	for accept, want := range map[string]int{"gzip": 200, "zstd": 200, "identity": 206} {
		first := fetch(t, server, "GET", "/app.js", "Accept-Encoding: "+accept)
		got := fetch(t, server, "GET", "/app.js", "Accept-Encoding: "+accept, "Range: bytes=9-", "If-Range: "+first.Header.Get("Last-Modified"))
		if got.Status != want || got.Header.Get("Content-Encoding") != first.Header.Get("Content-Encoding") {
			t.Errorf("%s: got\n%s\nafter\n%s, want %d", accept, got.Head, first.Head, want)
		}
	}
}

// A resumed download of coded bytes does not get plain ones into them, and all other
// ranges are the handler's. See RFC 9110, section 13.1.5.
func TestCompressAndIfRange(t *testing.T) {
	text := realText(t, 5000)
	server := serveHandler(t, servery.Compress(nil)(content(text, `"v1"`)))
	for _, tt := range []struct {
		fields []string
		status int
		coding string
		reason string
	}{
		{[]string{acceptGzip, `If-Range: "v1-gz6.1"`}, 200, "gzip", "a coded copy, in full and coded"},
		{[]string{acceptZstd, `If-Range: "v1-gz6.1"`}, 200, "zstd", "a coded copy, in full in another coding"},
		{[]string{"Accept: */*", `If-Range: "v1-gz6.1"`}, 200, "", "a coded copy, in full and plain"},
		{[]string{acceptGzip, `If-Range: "v1"`}, 206, "", "a plain copy"},
		{[]string{"Accept: */*", `If-Range: "v1"`}, 206, "", "a plain copy"},
		{[]string{acceptGzip, `If-Range: "v2"`}, 200, "", "another version, passed as any answer to a range"},
		{[]string{acceptGzip}, 206, "", "a range alone"},
		{[]string{acceptGzip, `If-None-Match: "v1-gz6.1"`}, 206, "", "a coded copy is not what a range is of"},
		{[]string{acceptGzip, `If-Match: "v1"`}, 206, "", "a range of what is there"},
	} {
		got := fetch(t, server, "GET", "/", append(tt.fields, "Range: bytes=10-19")...)
		if got.Status != tt.status || got.Header.Get("Content-Encoding") != tt.coding || got.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%q: got\n%s, want %d in %q with Vary: %s", tt.fields, got.Head, tt.status, tt.coding, tt.reason)
		}
		want := map[int]string{200: text, 206: text[10:20]}[tt.status]
		plain, err := string(got.Body), error(nil)
		if tt.coding != "" {
			plain, err = undo(tt.coding, got.Body)
		}
		if err != nil || plain != want {
			t.Errorf("%q: %d bytes, %v, want %d: %s", tt.fields, len(plain), err, len(want), tt.reason)
		}
		for _, fault := range testkit.LintHandler("GET", append(tt.fields, "Range: bytes=10-19"), got) {
			t.Errorf("%q: %s\n%s", tt.fields, fault, got.Head)
		}
	}
}
