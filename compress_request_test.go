package servery_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"servery"
)

// The handler sees the tags that it knows, whatever the method, and all that the client said.
func TestCompressGivesTheHandlerItsOwnTags(t *testing.T) {
	for _, tt := range []struct {
		method, field string
		lines, adds   []string
		reason        string
	}{
		{"PUT", "If-Match", []string{`"v1-gz6.1"`}, []string{`"v1"`}, "an update of what was read in gzip"},
		{"PATCH", "If-Match", []string{`"x"`, `"v1-gz6.1", "v2-gz6.1"`}, []string{`"v1"`, `"v2"`}, "several"},
		{"DELETE", "If-Match", []string{`W/"v1-gz6.1"`}, []string{`W/"v1"`}, "weak ones stay weak"},
		{"PUT", "If-Match", []string{`"v1-zst3.1"`}, []string{`"v1"`}, "an update of what was read in another coding"},
		{"PUT", "If-None-Match", []string{`"v1-gz6.1"`}, []string{`"v1"`}, "the other field"},
		{"PUT", "If-Match", []string{`"v1"`}, nil, "a plain one"},
		{"PUT", "If-Match", []string{"*"}, nil, "the star"},
		{"GET", "If-None-Match", []string{`"v1-zst3.1"`}, nil, "another coding's"},
	} {
		var seen []string
		inner := servery.Compress(nil)(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			seen = r.Header.Values(tt.field)
		}))
		server := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			inner.ServeHTTP(w, r)
			if after := r.Header.Values(tt.field); !slices.Equal(after, tt.lines) {
				t.Errorf("%s: the outer request has become %q", tt.reason, after)
			}
		}))
		fields := []string{acceptGzip, "Content-Length: 0"}
		for _, line := range tt.lines {
			fields = append(fields, tt.field+": "+line)
		}
		fetch(t, server, tt.method, "/", fields...)
		all := strings.Join(seen, ", ")
		for _, tag := range append(slices.Clone(tt.lines), tt.adds...) {
			if !strings.Contains(all, tag) {
				t.Errorf("%s: the handler sees %q, want %s among them", tt.reason, seen, tag)
			}
		}
		if len(tt.adds) == 0 && !slices.Equal(seen, tt.lines) {
			t.Errorf("%s: the handler sees %q, want %q", tt.reason, seen, tt.lines)
		}
	}
}

// Many handlers compare the field with their tag as it is.
func TestCompressGivesASingleTagForASingleTag(t *testing.T) {
	for _, field := range []string{"If-None-Match", "If-Match"} {
		var seen string
		server := serveHandler(t, servery.Compress(nil)(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			seen = r.Header.Get(field)
		})))
		fetch(t, server, "GET", "/", acceptGzip, field+`: "v1-gz6.1"`)
		if seen != `"v1"` {
			t.Errorf("%s: the handler sees %s", field, seen)
		}
	}
}

// A handler that knows no preconditions takes the range as it comes, so the range goes.
func TestCompressTakesAwayACodedRange(t *testing.T) {
	for ifRange, want := range map[string]string{`"v1-gz6.1"`: "", `"v1-zst3.1"`: "", `"v1"`: "bytes=0-9", "": "bytes=0-9"} {
		for _, accept := range []string{"gzip", "identity"} {
			var seen http.Header
			server := serveHandler(t, servery.Compress(nil)(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				seen = r.Header
			})))
			fields := []string{"Range: bytes=0-9", "Accept-Encoding: " + accept}
			if ifRange != "" {
				fields = append(fields, "If-Range: "+ifRange)
			}
			fetch(t, server, "GET", "/", fields...)
			if got := seen.Get("Range"); got != want || (seen.Get("If-Range") == "") != (want == "" || ifRange == "") {
				t.Errorf("%q: the handler sees %s, want Range %q", fields, fmt.Sprint(seen), want)
			}
		}
	}
}

// The request is copied for nothing else than that, and a copy leaves the same marks
// as the original: what outer code, and the server for temporary files, look for.
func TestCompressKeepsTheRequest(t *testing.T) {
	const form = "--b\r\nContent-Disposition: form-data; name=\"field\"\r\n\r\nvalue\r\n--b--\r\n"
	for _, tt := range []struct {
		fields []string
		copied bool
		reason string
	}{
		{nil, false, "nothing to say"},
		{[]string{`If-None-Match: "v1"`, `If-Match: "v1", W/"v2"`, `If-Range: "v1"`}, false, "tags of the handler's own"},
		{[]string{`If-None-Match: "v1-zst3.1"`}, false, "another coding's tag"},
		{[]string{`If-Match: "v1-gz6.1"`}, true, "a tag of ours"},
		{[]string{`If-None-Match: "v1-gz6.1"`}, true, "a tag of ours"},
		{[]string{`If-Range: "v1-gz6.1"`}, true, "a range of ours"},
	} {
		var seen *http.Request
		mux := http.NewServeMux()
		mux.HandleFunc("PUT /{name...}", func(w http.ResponseWriter, r *http.Request) {
			seen = r
			if got := r.FormValue("field"); got != "value" || r.PathValue("name") != "" {
				t.Errorf("%s: the handler reads %q", tt.reason, got)
			}
		})
		inner := servery.Compress(nil)(mux)
		server := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			inner.ServeHTTP(w, r)
			if (seen == r) == tt.copied {
				t.Errorf("%s: the handler sees the same request: %v", tt.reason, seen == r)
			}
			if r.Pattern != "PUT /{name...}" || r.MultipartForm == nil || r.MultipartForm != seen.MultipartForm {
				t.Errorf("%s: the outer request has pattern %q and form %v", tt.reason, r.Pattern, r.MultipartForm)
			}
		}))
		c := server.Dial()
		fields := []string{acceptGzip, "Content-Type: multipart/form-data; boundary=b", fmt.Sprintf("Content-Length: %d", len(form))}
		c.Send("PUT", "/", append(fields, tt.fields...)...)
		fmt.Fprint(c, form)
		if got := c.Read("PUT"); got.Status != 200 {
			t.Errorf("%s: got\n%s", tt.reason, got.Head)
		}
	}
}
