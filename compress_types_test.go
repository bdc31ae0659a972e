package servery_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"servery"
)

func TestCompressTypes(t *testing.T) {
	text := realText(t, 5000)
	for _, tt := range []struct {
		mediaType string
		coded     bool
		reason    string
	}{
		{"text/html; charset=utf-8", true, "text"},
		{"TEXT/CSS ;charset=x", true, "case and parameters do not count"},
		{"text/x-unheard-of", true, "any text"},
		{"application/json", true, "JSON"},
		{"application/problem+json; charset=utf-8", true, "a structured suffix"},
		{"application/rss+xml", true, "a feed"},
		{"application/javascript", true, "scripts"},
		{"application/xml", true, "XML"},
		{"image/svg+xml", true, "an image that is XML"},
		{"application/wasm", true, "WebAssembly"},
		{"application/manifest+json", true, "a manifest"},
		{"application/x-ndjson", true, "lines of JSON"},
		{"font/ttf", true, "plain outlines"},
		{"font/otf", true, "plain outlines"},
		{"application/vnd.ms-fontobject", true, "plain outlines"},
		{"text/event-stream", false, "events"},
		{"Text/Event-Stream; charset=utf-8", false, "events in any case"},
		{"application/grpc", false, "its own framing"},
		{"application/grpc+proto", false, "its own framing"},
		{"application/grpc-web+json", false, "its own framing, in spite of the suffix"},
		{"application/grpc-web-text", false, "its own framing"},
		{"image/png", false, "compressed inside"},
		{"audio/mpeg", false, "compressed inside"},
		{"video/mp4", false, "compressed inside"},
		{"application/zip", false, "an archive"},
		{"application/gzip", false, "an archive"},
		{"font/woff2", false, "compressed inside"},
		{"application/octet-stream", false, "nobody knows"},
		{"multipart/byteranges; boundary=x", false, "parts"},
		{"application/jsonx", false, "never a substring match"},
		{"text", false, "no media type"},
	} {
		s := serveTwins(t, nil, says(200, text, "Content-Type: "+tt.mediaType, "Content-Length: 5000", `ETag: "v1"`))
		bare, got := s.ask(t, "GET", acceptGzip)
		if tt.coded {
			wantCodedLike(t, bare, got, "gzip", tt.mediaType+", "+tt.reason)
		} else {
			wantSame(t, bare, got, false, tt.mediaType+", "+tt.reason)
		}
	}
}

// The option replaces the list, but not what could never work.
func TestCompressibleOption(t *testing.T) {
	text := realText(t, 5000)
	for _, tt := range []struct {
		mediaType, accepts string
		coded              bool
	}{
		{"image/X-Own; a=b", "image/x-own", true},
		{"text/plain", "image/x-own", false},
		{"text/event-stream", "text/event-stream", false},
		{"application/grpc", "application/grpc", false},
		{"application/grpc-web+json", "application/grpc-web+json", false},
	} {
		opts := &servery.CompressOptions{Compressible: func(mediaType string) bool { return mediaType == tt.accepts }}
		s := serveTwins(t, opts, says(200, text, "Content-Type: "+tt.mediaType))
		bare, got := s.ask(t, "GET", acceptGzip)
		if tt.coded {
			wantCodedLike(t, bare, got, "gzip", tt.mediaType)
		} else {
			wantSame(t, bare, got, false, tt.mediaType)
		}
	}
}

// Without a type the plain bytes tell, and they tell what net/http would say.
func TestCompressSniffs(t *testing.T) {
	text := realText(t, 5000)
	for reason, body := range map[string]string{
		"HTML": "<!doctype html><p>" + text, "HTML after blanks": strings.Repeat(" ", 300) + "<html>" + text,
		"XML": "<?xml version=\"1.0\"?>" + text, "text": text, "UTF-16": "\xff\xfe" + text, "UTF-8 with its mark": "\xef\xbb\xbf" + text,
		"a byte at 511 that is no text": text[:511] + "\x00" + text, "a byte at 512 that is no text": text[:512] + "\x00" + text,
		"an image": "\x89PNG\r\n\x1a\n" + text, "gzip": "\x1f\x8b\x08" + text, "PDF": "%PDF-" + text,
		"a font": "\x00\x01\x00\x00" + text, "WebAssembly": "\x00asm\x01\x00\x00\x00" + text, "anything": "\x00\x01\x02" + text,
		"JSON": "{\"a\":[" + text, "a small text": "plain", "a small image": "GIF89a.", "one byte": "x", "512 bytes": text[:512],
	} {
		for _, size := range []int{1, 7, 511, 512, 513, len(body)} {
			s := serveTwins(t, nil, func(w http.ResponseWriter, _ *http.Request) { writePieces(w, body, size) })
			bare, got := s.ask(t, "GET", acceptGzip)
			essence, _, _ := strings.Cut(bare.Header.Get("Content-Type"), ";")
			plain := len(body) < 1024 || !strings.HasPrefix(essence, "text/") && essence != "application/wasm" && essence != "font/ttf"
			if plain {
				wantSame(t, bare, got, false, reason)
			} else {
				wantCodedLike(t, bare, got, "gzip", reason)
			}
		}
	}
}

// What a Flush forces out is sniffed from as much as there is.
func TestCompressSniffsBeforeAFlush(t *testing.T) {
	text := realText(t, 5000)
	for _, first := range []string{"", "<", "<html>", "{", "\x89PNG\r\n\x1a\n", "\x00", text[:600]} {
		s := serveTwins(t, nil, func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, first)
			w.(http.Flusher).Flush()
			io.WriteString(w, text)
		})
		bare, got := s.ask(t, "GET", acceptGzip)
		if strings.HasPrefix(bare.Header.Get("Content-Type"), "text/") {
			wantCodedLike(t, bare, got, "gzip", first)
		} else {
			wantSame(t, bare, got, false, first)
		}
	}
}

// A type that was suppressed stays so, and nobody knows what the body is.
func TestCompressWithoutAType(t *testing.T) {
	text := realText(t, 5000)
	for reason, header := range map[string]http.Header{
		"nil":                                {"Content-Type": nil},
		"no value":                           {"Content-Type": {}},
		"an empty value":                     {"Content-Type": {""}},
		"identity, which stops the sniffing": {"Content-Encoding": {"identity"}},
	} {
		s := serveTwins(t, nil, func(w http.ResponseWriter, _ *http.Request) {
			for name, values := range header {
				w.Header()[name] = values
			}
			io.WriteString(w, text)
		})
		bare, got := s.ask(t, "GET", acceptGzip)
		wantSame(t, bare, got, false, reason)
	}
}
