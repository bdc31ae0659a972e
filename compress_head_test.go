package servery_test

import (
	"io"
	"net/http"
	"testing"

	"servery"
	"servery/internal/testkit"
)

// The head of HEAD is that of GET as far as it can be told, and never has the length
// of what nobody encoded.
func TestCompressHead(t *testing.T) {
	text := realText(t, 40_000)
	for _, tt := range []struct {
		fields []string
		write  string // by the handler, on HEAD as well
		coded  bool
		reason string
	}{
		{[]string{textType, "Content-Length: 40000", `ETag: "v1"`, "Accept-Ranges: bytes"}, "", true, "declared and not written"},
		{[]string{textType, "Content-Length: 40000", `ETag: W/"v1"`}, "", true, "with a weak tag"},
		{[]string{textType, `ETag: "v1"`}, "", true, "a type and nothing else"},
		{[]string{textType, "Content-Length: 40000"}, text, true, "declared and written"},
		{[]string{textType, `ETag: "v1"`}, text, true, "written"},
		{[]string{textType, `ETag: "v1"`}, text[:5000], true, "written, and within the buffers"},
		{nil, text, true, "written without a type"},
		{[]string{"Content-Encoding: identity", textType}, text, true, "said to be identity"},
	} {
		w := &watched{}
		zstd := servery.Zstd(3)
		opts := &servery.CompressOptions{Encoders: []servery.Encoder{zstd, w.encoder()}}
		s := serveTwins(t, opts, says(200, tt.write, tt.fields...))
		for _, b := range builtIn {
			bare, got := s.ask(t, "HEAD", "Accept-Encoding: "+b.coding)
			if _, ok := bare.Header["Content-Type"]; !ok {
				bare.Header.Set("Content-Type", "text/plain; charset=utf-8") // net/http sniffs no more than the first Write
			}
			wantCodedLike(t, bare, got, b.coding, tt.reason)
			if got.Header.Get("Content-Length") != "" {
				t.Errorf("%s: got\n%s, want no length", tt.reason, got.Head)
			}
		}
		if w.begun.Load() > 0 {
			t.Errorf("%s: something was encoded for HEAD", tt.reason)
		}
	}
}

// What GET would not have coded is as the bare server sends it.
func TestCompressHeadUntouched(t *testing.T) {
	text := realText(t, 5000)
	for _, tt := range []struct {
		accept string
		fields []string
		write  string
		vary   bool
		reason string
	}{
		{"gzip", []string{textType, "Content-Length: 1023"}, "", false, "declared as too small"},
		{"gzip", []string{textType}, text[:1023], false, "too small"},
		{"gzip", []string{textType, "Content-Length: 0"}, "", false, "declared as empty"},
		{"gzip", []string{"Content-Type: image/png", "Content-Length: 5000"}, "", false, "a type that is never coded"},
		{"gzip", nil, "", false, "nothing at all"},
		{"gzip", nil, "\x89PNG\r\n\x1a\n" + text, false, "what looks like such a type"},
		{"gzip", []string{textType, "Content-Encoding: br", "Content-Length: 5000"}, "", false, "coded already"},
		{"br", []string{textType, "Content-Length: 5000", "Accept-Ranges: bytes"}, "", true, "no coding that is on offer"},
		{"identity", []string{textType}, "", true, "identity"},
		{"gzip;q=0", []string{textType}, text, true, "refused"},
	} {
		s := serveTwins(t, nil, says(200, tt.write, tt.fields...))
		bare, got := s.ask(t, "HEAD", "Accept-Encoding: "+tt.accept)
		wantSame(t, bare, got, tt.vary, tt.reason)
	}
}

// HEAD has no ranges, so that a Range changes nothing (RFC 9110, section 14.2).
func TestCompressHeadIgnoresRange(t *testing.T) {
	s := serveTwins(t, nil, says(200, "", textType, "Content-Length: 5000", `ETag: "v1"`))
	want := fetch(t, s.inside, "HEAD", "/", acceptGzip)
	got := fetch(t, s.inside, "HEAD", "/", acceptGzip, "Range: bytes=0-9")
	if want.Header.Get("Content-Encoding") != "gzip" || undated(got) != undated(want) {
		t.Errorf("got\n%s, want\n%s", got.Head, want.Head)
	}
}

// A handler that writes on HEAD is told that all of it was taken, as long as it keeps
// to its word, and flushes as it does on GET.
func TestCompressHeadTakesTheBody(t *testing.T) {
	text := realText(t, 40_000)
	for _, style := range writeStyles(t) {
		server := serveHandler(t, servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			if n, err := style.write(w, text); n != int64(len(text)) || err != nil {
				t.Errorf("%s: %d bytes, %v, want %d", style.name, n, err, len(text))
			}
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Errorf("%s: Flush: %v", style.name, err)
			}
			if n, err := io.WriteString(w, "more"); n != 4 || err != nil {
				t.Errorf("%s: %d bytes, %v after the flush, want 4", style.name, n, err)
			}
		})))
		got := fetch(t, server, "HEAD", "/", acceptGzip)
		if got.Status != 200 || got.Header.Get("Content-Encoding") != "gzip" || got.Header.Get("Content-Length") != "" {
			t.Errorf("%s: got\n%s, want gzip without a length", style.name, got.Head)
		}
	}
}

// HEAD and GET of one handler have the same fields, whoever of them declares what. See
// RFC 9110, section 9.3.2.
func TestCompressHeadIsLikeGet(t *testing.T) {
	text := realText(t, 40_000)
	server := serveHandler(t, servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Etag", `"v1"`)
		http.ServeContent(w, r, "page.html", testkit.Past, newSection(text))
	})))
	for _, accept := range []string{acceptGzip, acceptZstd, "Accept: */*"} {
		get, head := fetch(t, server, "GET", "/", accept), fetch(t, server, "HEAD", "/", accept)
		get.Header, head.Header = unframed(get.Header), unframed(head.Header)
		for name, values := range get.Header {
			if head.Header.Get(name) != values[0] {
				t.Errorf("%s: HEAD has %s %q, GET %q", accept, name, head.Header[name], values)
			}
		}
	}
}
