package servery_test

import (
	"fmt"
	"net/http"
	"regexp"
	"testing"

	"servery"
)

// What Compress does not code is what the bare server sends, byte for byte.
func TestCompressLeavesUntouched(t *testing.T) {
	text := realText(t, 5000)
	const partial = "Content-Range: bytes 0-4999/9000"
	for _, tt := range []struct {
		status int
		body   string
		fields []string
		vary   bool
		reason string
	}{
		{204, "", nil, false, "no content"},
		{204, "", []string{textType, `ETag: "v1"`}, false, "no content, with fields"},
		{205, "", []string{textType}, false, "reset content"},
		{206, text, []string{partial, "Content-Type: image/png"}, false, "a part of what is never coded"},
		{206, text, []string{partial, textType, `ETag: "v1"`, "Accept-Ranges: bytes"}, true, "a part of what is coded in full"},
		{206, text[:10], []string{"Content-Range: bytes 0-9/9000", textType}, true, "a small part of what is coded in full"},
		{206, text, []string{"Content-Type: multipart/byteranges; boundary=x"}, true, "parts of a type that nobody says"},
		{206, text, []string{partial, textType, "Cache-Control: no-transform"}, false, "a part that is not to be transformed"},
		{304, "", []string{`ETag: "v1"`}, true, "not modified, of a type that nobody says"},
		{304, "", []string{`ETag: "v1"`, "Content-Type: image/png"}, false, "not modified, and never coded"},
		{304, "", []string{`ETag: "v1"`, textType}, true, "not modified, but coded in full"},
		{304, "", []string{"Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT", "Vary: Accept-Encoding", textType}, false, "not modified, with Vary"},
		{416, text, []string{"Content-Range: bytes */9000", textType}, false, "not satisfiable"},
		{200, text, []string{partial, textType}, true, "a Content-Range whatever the status"},
		{200, text, []string{partial, "Content-Type: image/png"}, false, "a Content-Range of what is never coded"},
		{200, text, []string{"Content-Encoding: br", textType, `ETag: "v1"`}, false, "coded already"},
		{200, text, []string{"Content-Encoding: gzip", textType}, false, "coded already, as the client wants it"},
		{200, text, []string{"Content-Encoding: identity, gzip", textType}, false, "coded already, in a list"},
		{200, text, []string{"Content-Encoding: aes128gcm"}, false, "coded already, without a type"},
		{404, text, []string{"Content-Encoding: br", textType}, false, "an error that is coded already"},
		{200, text, []string{"Transfer-Encoding: chunked", textType}, false, "the handler frames it"},
		{200, text, []string{"Repr-Digest: sha-256=:AAAA=:", textType}, false, "a digest of the plain bytes"},
		{200, text, []string{"Content-Digest: sha-256=:AAAA=:", textType}, false, "a digest of the plain bytes"},
		{200, text, []string{"Digest: sha-256=AAAA=", textType}, false, "a digest of the plain bytes"},
		{200, text, []string{"Content-MD5: AAAA==", textType}, false, "a digest of the plain bytes"},
	} {
		s := serveTwins(t, nil, says(tt.status, tt.body, tt.fields...))
		for _, field := range []string{acceptGzip, acceptZstd, "Accept: */*"} {
			bare, got := s.ask(t, "GET", field)
			wantSame(t, bare, got, tt.vary, fmt.Sprintf("%d, %s, %s", tt.status, tt.reason, field))
			bare, got = s.ask(t, "HEAD", field)
			wantSame(t, bare, got, tt.vary, fmt.Sprintf("HEAD, %d, %s, %s", tt.status, tt.reason, field))
		}
	}
}

// Identity is no coding, whoever says so.
func TestCompressReplacesIdentity(t *testing.T) {
	text := realText(t, 5000)
	for _, value := range []string{"identity", "Identity", " identity ", ""} {
		handler := func(coding string) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				if coding != "-" {
					w.Header()["Content-Encoding"] = []string{coding}
				}
				says(200, text, textType)(w, r)
			}
		}
		bare := fetch(t, serveHandler(t, handler("-")), "GET", "/", acceptGzip)
		got := fetch(t, serveHandler(t, servery.Compress(nil)(handler(value))), "GET", "/", acceptGzip)
		wantCodedLike(t, bare, got, "gzip", fmt.Sprintf("Content-Encoding %q", value))
	}
}

// A handler may forbid what Compress does (RFC 9110, section 7.7; RFC 9111, section
// 5.2.2.6).
func TestCompressObeysNoTransform(t *testing.T) {
	text := realText(t, 5000)
	for _, tt := range []struct {
		lines []string
		obeys bool
	}{
		{[]string{"no-transform"}, true},
		{[]string{"No-TRANSFORM"}, true},
		{[]string{"max-age=5, no-transform"}, true},
		{[]string{"no-transform,max-age=5"}, true},
		{[]string{"max-age=5 ,\tno-transform , public"}, true},
		{[]string{"max-age=5", "no-transform"}, true},
		{[]string{",,no-transform,"}, true},
		{[]string{"max-age=5"}, false},
		{[]string{"x-no-transform"}, false},
		{[]string{"no-transformation"}, false},
		{[]string{"no transform"}, false},
		{[]string{`ext="no-transform"`}, false},
		{[]string{"private, max-age=0", "no-store"}, false},
	} {
		s := serveTwins(t, nil, func(w http.ResponseWriter, r *http.Request) {
			w.Header()["Cache-Control"] = tt.lines
			says(200, text, textType, `ETag: "v1"`)(w, r)
		})
		bare, got := s.ask(t, "GET", acceptGzip)
		if tt.obeys {
			wantSame(t, bare, got, false, fmt.Sprintf("%q", tt.lines))
		} else {
			wantCodedLike(t, bare, got, "gzip", fmt.Sprintf("%q", tt.lines))
		}
	}
}

// The answer to a request for a part passes in full, too, if the handler has no parts.
func TestCompressPassesRangeRequests(t *testing.T) {
	text := realText(t, 5000)
	var seen http.Header
	handler := func(fields ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			seen = r.Header.Clone()
			says(200, text, append(fields, `ETag: "v1"`)...)(w, r)
		}
	}
	for _, tt := range []struct {
		mediaType string
		vary      bool
	}{{"text/plain", true}, {"image/png", false}} {
		s := serveTwins(t, nil, handler("Content-Type: "+tt.mediaType))
		for _, fields := range [][]string{{"Range: bytes=0-9"}, {"Range: bytes=0-9", `If-Range: "v1"`}, {"Range: lines=1"}} {
			bare, got := s.ask(t, "GET", append(fields, acceptGzip)...)
			wantSame(t, bare, got, tt.vary, fmt.Sprintf("%s, %q", tt.mediaType, fields))
			if seen.Get("Range") == "" || len(fields) > 1 && seen.Get("If-Range") == "" {
				t.Errorf("%q: the handler sees %v", fields, seen)
			}
		}
	}
}

// With a 101 that is not a hijacker's, the writer's only part is to pass it on.
func TestCompressPassesSwitchingProtocols(t *testing.T) {
	s := serveTwins(t, nil, func(w http.ResponseWriter, _ *http.Request) {
		setFields(w.Header(), []string{"Upgrade: own", "Connection: Upgrade", textType})
		w.WriteHeader(http.StatusSwitchingProtocols)
	})
	request := "GET / HTTP/1.1\r\nHost: test\r\nConnection: close\r\nAccept-Encoding: gzip\r\n\r\n"
	date := regexp.MustCompile("Date: .*\r\n")
	want, _ := raw(t, s.bare, request)
	got, _ := raw(t, s.inside, request)
	if want, got := date.ReplaceAllString(want, ""), date.ReplaceAllString(got, ""); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}

// Requests that may turn a connection into something else go through with their own
// writer. See RFC 9110, section 7.8.
func TestCompressStepsAsideForUpgrades(t *testing.T) {
	text := realText(t, 5000)
	for _, tt := range []struct {
		method string
		fields []string
		aside  bool
		reason string
	}{
		{"GET", []string{"Connection: Upgrade", "Upgrade: websocket"}, true, "an upgrade"},
		{"GET", []string{"connection: keep-alive, upgrade", "upgrade: h2c"}, true, "an upgrade in lower case"},
		{"CONNECT", nil, true, "a tunnel"},
		{"GET", nil, false, "neither"},
	} {
		var outerWriter http.ResponseWriter
		var outerRequest *http.Request
		var same bool
		inner := servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			same = w == outerWriter && r == outerRequest
			says(200, text, textType)(w, r)
		}))
		server := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			outerWriter, outerRequest = w, r
			inner.ServeHTTP(w, r)
		}))
		target := "/"
		if tt.method == "CONNECT" {
			target = "test:80"
		}
		c := server.Dial()
		c.Send(tt.method, target, append(tt.fields, acceptGzip)...)
		got := c.Read(tt.method)
		if coded := got.Header.Get("Content-Encoding") == "gzip"; same != tt.aside || coded == tt.aside {
			t.Errorf("%s: the same writer and request: %v, want %v; got\n%s", tt.reason, same, tt.aside, got.Head)
		}
	}
}
