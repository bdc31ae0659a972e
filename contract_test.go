package servery_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"servery"
	"servery/internal/testkit"
)

// OPTIONS says which methods there are, and what is none of them is refused with that
// list (RFC 9110, sections 9.1, 9.3.7, 10.2.1 and 15.5.6).
func TestMethods(t *testing.T) {
	server, _ := serveTree(t, map[string]string{"file.txt": "file"}, nil)
	for _, target := range []string{"/file.txt", "/missing"} {
		options := server.Do("OPTIONS", target)
		if options.Status != http.StatusNoContent || options.Header.Get("Allow") != "GET, HEAD, OPTIONS" {
			t.Errorf("OPTIONS %s: got\n%s, want 204 with Allow", target, options.Head)
		}
		for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "TRACE", "PROPFIND", "get"} {
			got := server.Do(method, target)
			if got.Status != http.StatusMethodNotAllowed || got.Header.Get("Allow") != "GET, HEAD, OPTIONS" {
				t.Errorf("%s %s: got\n%s, want 405 with Allow", method, target, got.Head)
			}
		}
	}
}

// Without encoders identity is all there is: 406 where it is refused, which depends
// on the field whatever the file.
func TestNegotiationWithoutEncoders(t *testing.T) {
	text := realText(t, 5000)
	server, _ := serveTree(t, map[string]string{"file.txt": text, "image.png": "\x89PNG\r\n\x1a\n"},
		&servery.FileServerOptions{Encoders: []servery.Encoder{}})
	tag := "If-None-Match: " + contentTag(text)
	for _, tt := range []struct {
		method, target string
		fields         []string
		status         int
		vary           string
		reason         string
	}{
		{"GET", "/file.txt", nil, 200, "", "there is no coding to choose"},
		{"HEAD", "/file.txt", nil, 200, "", "HEAD is like GET"},
		{"GET", "/file.txt", []string{"Range: bytes=0-1"}, 206, "", "so is a part"},
		{"GET", "/file.txt", []string{tag}, 304, "", "so is 304"},
		{"GET", "/file.txt", []string{"Accept-Encoding: gzip, br, zstd"}, 200, "", "identity is never refused by silence"},
		{"GET", "/file.txt", []string{"Accept-Encoding:"}, 200, "", "an empty field"},
		{"GET", "/file.txt", []string{"Accept-Encoding: identity;q=0"}, 406, "Accept-Encoding", "refused"},
		{"HEAD", "/file.txt", []string{"Accept-Encoding: *;q=0"}, 406, "Accept-Encoding", "refused by the wildcard"},
		{"GET", "/file.txt", []string{"Accept-Encoding: gzip", "Accept-Encoding: IDENTITY; Q=0.0"}, 406, "Accept-Encoding", "several lines are one list"},
		{"GET", "/file.txt", []string{"Accept-Encoding: identity;q=0", tag}, 406, "Accept-Encoding", "preconditions do not count before an error (RFC 9110, 13.2.1)"},
		{"GET", "/file.txt", []string{"Accept-Encoding: identity;q=0", "Range: bytes=0-1"}, 406, "Accept-Encoding", "a range is identity"},
		{"GET", "/file.txt", []string{"Accept-Encoding: *;q=0, identity;q=0.1"}, 200, "", "named after all"},
		{"GET", "/image.png", nil, 200, "", "a type that is never coded"},
		{"GET", "/image.png", []string{"Accept-Encoding: identity;q=0"}, 406, "Accept-Encoding", "406 depends on the field whatever the type"},
		{"GET", "/missing", []string{"Accept-Encoding: identity;q=0"}, 404, "", "what is not there has no coding"},
	} {
		got := server.Do(tt.method, tt.target, tt.fields...)
		if got.Status != tt.status || got.Header.Get("Vary") != tt.vary {
			t.Errorf("%s %s %q: status %d, Vary %q, want %d, %q: %s",
				tt.method, tt.target, tt.fields, got.Status, got.Header.Get("Vary"), tt.status, tt.vary, tt.reason)
		}
	}
}

func TestOuterFields(t *testing.T) {
	path := testkit.Tree(t, map[string]string{"file.txt": "file"})
	inner := servery.FileServer(openDir(t, path), nil)
	var outer http.Header
	server := testkit.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		maps.Copy(w.Header(), outer.Clone())
		inner.ServeHTTP(w, r)
	}))
	lies := http.Header{
		"Etag": {`"lie"`}, "Content-Length": {"999"}, "Content-Encoding": {"br"}, "Last-Modified": {"yesterday"},
		"Accept-Ranges": {"none"}, "Content-Range": {"bytes 0-0/1"},
		"Content-Type": {"text/own"}, "Cache-Control": {"max-age=5"}, "X-Frame-Options": {"DENY"},
	}
	for _, tt := range []struct {
		target string
		field  string
		status int
		kept   map[string]string
		reason string
	}{
		{"/file.txt", "X: y", 200, map[string]string{
			"Content-Type": "text/own", "Cache-Control": "max-age=5", "X-Frame-Options": "DENY", "Etag": contentTag("file"),
			"Content-Length": "4", "Content-Encoding": "", "Content-Range": "", "Accept-Ranges": "bytes",
		}, "what describes the body is ours, the rest is kept"},
		{"/file.txt", "Range: bytes=0-1", 206, map[string]string{
			"Content-Type": "text/own", "Cache-Control": "max-age=5", "Content-Range": "bytes 0-1/4", "Content-Encoding": "",
		}, "a part likewise"},
		{"/file.txt", "If-None-Match: *", 304, map[string]string{
			"Content-Type": "", "Content-Encoding": "", "Content-Length": "", "Cache-Control": "max-age=5", "Etag": contentTag("file"),
		}, "304 keeps what a cache updates"},
		{"/missing", "X: y", 404, map[string]string{
			"Content-Type": "text/plain; charset=utf-8", "Cache-Control": "", "Etag": "", "Last-Modified": "",
			"Content-Encoding": "", "Accept-Ranges": "", "X-Frame-Options": "DENY",
		}, "an error has nothing of the file's"},
		{"/file.txt", "If-Match: \"other\"", 412, map[string]string{"Cache-Control": "", "Etag": "", "Accept-Ranges": ""}, "an error"},
		{"/file.txt", "Range: bytes=4-", 416, map[string]string{"Cache-Control": "", "Etag": "", "Content-Range": "bytes */4"}, "an error"},
	} {
		outer = lies
		server.Linter.Forget() // the outer fields are others
		got := server.Get(tt.target, tt.field)
		if got.Status != tt.status {
			t.Errorf("%s %s: status %d, want %d", tt.target, tt.field, got.Status, tt.status)
		}
		for name, want := range tt.kept {
			if value := got.Header.Get(name); value != want {
				t.Errorf("%s %s: %s %q, want %q: %s", tt.target, tt.field, name, value, want, tt.reason)
			}
		}
	}
	outer = http.Header{"Content-Type": nil}
	server.Linter.Forget()
	if got := server.Get("/file.txt"); got.Header.Values("Content-Type") != nil {
		t.Errorf("a type that outer code suppressed is %q", got.Header["Content-Type"])
	}
}

// Vary is one list, to which outer code has added its part (RFC 9110, section 12.5.5).
func TestVaryIsMerged(t *testing.T) {
	inner := servery.FileServer(openDir(t, testkit.Tree(t, map[string]string{"file.txt": realText(t, 5000)})), nil)
	var outer []string
	server := testkit.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Vary"] = slices.Clone(outer)
		inner.ServeHTTP(w, r)
	}))
	for _, tt := range []struct{ outer, want []string }{
		{nil, []string{"Accept-Encoding"}},
		{[]string{"Origin"}, []string{"Origin, Accept-Encoding"}},
		{[]string{"Origin", "Cookie"}, []string{"Origin, Cookie, Accept-Encoding"}},
		{[]string{"origin, accept-ENCODING"}, []string{"origin, accept-ENCODING"}},
		{[]string{"*"}, []string{"*"}},
		{[]string{"X-Accept-Encoding"}, []string{"X-Accept-Encoding, Accept-Encoding"}},
	} {
		outer = tt.outer
		server.Linter.Forget()
		if got := server.Get("/file.txt"); !slices.Equal(got.Header["Vary"], tt.want) {
			t.Errorf("outer Vary %q became %q, want %q", tt.outer, got.Header["Vary"], tt.want)
		}
	}
}

// What has a hash in its name never changes (RFC 8246), and a 304 says so, too.
func TestCacheControl(t *testing.T) {
	files := map[string]string{"index.html": "i", "assets/app.js": "a", "assetsx.js": "x", "none.txt": "n"}
	policy := servery.Immutable("assets/")
	server, _ := serveTree(t, files, &servery.FileServerOptions{CacheControl: func(name string) string {
		if name == "none.txt" {
			return ""
		}
		return policy(name)
	}})
	const immutable = "public, max-age=31536000, immutable"
	for _, tt := range []struct{ target, want, reason string }{
		{"/", "no-cache", "the index, by its own name"},
		{"/assets/app.js", immutable, "beneath the prefix"},
		{"/./assets/../assets/app.js", immutable, "by the cleaned name"},
		{"/assetsx.js", "no-cache", "not beneath it"},
		{"/none.txt", "", "the option says none"},
		{"/assets/missing.js", "", "errors never inherit it"},
		{"/assets", "no-cache", "a redirect never lasts"},
	} {
		got := server.Get(tt.target)
		if value := got.Header.Get("Cache-Control"); value != tt.want {
			t.Errorf("%s: Cache-Control %q, want %q: %s", tt.target, value, tt.want, tt.reason)
		}
	}
	got := server.Get("/assets/app.js", "If-None-Match: "+contentTag("a"))
	if got.Status != 304 || got.Header.Get("Cache-Control") != immutable {
		t.Errorf("304: got\n%s, want the Cache-Control of the 200", got.Head)
	}
}

// The type is that of the file, whatever part of it is sent (RFC 9110, section 8.3).
func TestMediaTypes(t *testing.T) {
	files := map[string]string{
		"app.js": "x", "app.mjs": "x", "style.CSS": "x", "x.wasm": "x", "x.svg": "x", "x.json": "{}", "x.own": "x",
		"page": "<!doctype html><title>x</title>", "text": "plain", "binary": "\x00\x01\x02\x03", "empty": "",
		"image": "\x89PNG\r\n\x1a\n....", "big": realText(t, 100_000), "noext.": "plain",
	}
	server, _ := serveTree(t, files, &servery.FileServerOptions{MediaTypes: map[string]string{".OWN": "text/x-own"}})
	for target, want := range map[string]string{
		"/app.js": "text/javascript; charset=utf-8", "/app.mjs": "text/javascript; charset=utf-8",
		"/style.CSS": "text/css; charset=utf-8", "/x.wasm": "application/wasm", "/x.svg": "image/svg+xml",
		"/x.json": "application/json", "/x.own": "text/x-own; charset=utf-8", "/page": "text/html; charset=utf-8",
		"/text": "text/plain; charset=utf-8", "/binary": "application/octet-stream", "/empty": "text/plain; charset=utf-8",
		"/image": "image/png", "/big": "text/plain; charset=utf-8", "/noext.": "text/plain; charset=utf-8",
	} {
		for _, fields := range [][]string{nil, {"Range: bytes=0-0"}} {
			got := server.Get(target, fields...)
			if got.Header.Get("Content-Type") != want || got.Header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s %q: got\n%s, want the type %q, not to be sniffed", target, fields, got.Head, want)
			}
			if head := server.Do("HEAD", target); head.Header.Get("Content-Type") != want {
				t.Errorf("HEAD %s: type %q, want %q", target, head.Header.Get("Content-Type"), want)
			}
		}
	}
}

// Whatever cannot be found is missing, and no more is said (RFC 9110, section 15.5.5).
func TestErrorsSayOnlyTheirStatus(t *testing.T) {
	server, path := serveTree(t, map[string]string{"file.txt": "file"}, nil)
	for _, target := range []string{"/missing", "/file.txt/x", "/" + strings.Repeat("x", 300), "/%00"} {
		got := server.Get(target) // the linter compares the body
		if got.Status != 404 || strings.Contains(got.Head+string(got.Body), path) {
			t.Errorf("%s: got\n%s%s", target, got.Head, got.Body)
		}
	}
}
