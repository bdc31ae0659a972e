package mediatype_test

import (
	"strings"
	"testing"

	"servery/internal/mediatype"
)

func TestByName(t *testing.T) {
	table, err := mediatype.New(map[string]string{
		".MD": "text/x-own", ".bar": "application/x-bar", ".latin": "text/plain; charset=iso-8859-1",
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, want, reason string }{
		{"a/app.js", "text/javascript; charset=utf-8", "the table of the web comes before the host's"},
		{"APP.MJS", "text/javascript; charset=utf-8", "extensions are compared without case"},
		{"x.wasm", "application/wasm", "streaming compilation requires it"},
		{"x.css", "text/css; charset=utf-8", "a style sheet of another type is ignored"},
		{"x.svg", "image/svg+xml", "an image type names no charset"},
		{"x.woff2", "font/woff2", "RFC 8081"},
		{"x.json", "application/json", "JSON has no charset parameter (RFC 8259, section 11)"},
		{"readme.md", "text/x-own; charset=utf-8", "the application's word comes first, and text gets its charset"},
		{"x.bar", "application/x-bar", "an extension that nobody else knows"},
		{"x.latin", "text/plain; charset=iso-8859-1", "a charset that is named is kept"},
		{"x.js.gz", "application/gzip", "asked for by its own name a coded file is a file"},
		{"noextension", "", "only the content can tell"},
		{"dir.d/noextension", "", "a dot in a folder's name is no extension"},
		{"dot.", "", "an empty extension says nothing"},
		{"x.unheard-of", "", "nobody knows it"},
	} {
		if got := table.ByName(tt.name); got != tt.want {
			t.Errorf("ByName(%q) = %q, want %q: %s", tt.name, got, tt.want, tt.reason)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for _, tt := range []struct {
		entries map[string]string
		names   string
	}{
		{map[string]string{"md": "text/plain"}, `"md"`},
		{map[string]string{".": "text/plain"}, `"."`},
		{map[string]string{".a.b": "text/plain"}, `".a.b"`},
		{map[string]string{".md": "text"}, `"text"`},
		{map[string]string{".md": ""}, `""`},
		{map[string]string{".md": "text/plain\r\nX: y"}, "text/plain"},
		{map[string]string{".md": "text/plain", ".MD": "text/html"}, "twice"},
	} {
		_, err := mediatype.New(tt.entries)
		if err == nil || !strings.Contains(err.Error(), tt.names) {
			t.Errorf("New(%q): error %v, want one that names %s", tt.entries, err, tt.names)
		}
	}
}

func TestSniff(t *testing.T) {
	for _, tt := range []struct{ plain, want string }{
		{"<!doctype html><p>", "text/html; charset=utf-8"},
		{"plain words\n", "text/plain; charset=utf-8"},
		{"\x89PNG\r\n\x1a\n", "image/png"},
		{"\x00\x01\x02", "application/octet-stream"},
		{"", "text/plain; charset=utf-8"},
		{"\xff\xfea\x00", "text/plain; charset=utf-16le"},
	} {
		if got := mediatype.Sniff([]byte(tt.plain)); got != tt.want {
			t.Errorf("Sniff(%q) = %q, want %q", tt.plain, got, tt.want)
		}
	}
}

func TestCompressible(t *testing.T) {
	for _, tt := range []struct {
		mediaType string
		want      bool
		reason    string
	}{
		{"text/html; charset=utf-8", true, "parameters do not count"},
		{"TEXT/CSS", true, "case does not count"},
		{" text/plain ;charset=x", true, "blanks do not count"},
		{"application/json", true, "JSON"},
		{"application/problem+json", true, "a structured suffix (RFC 6839)"},
		{"image/svg+xml", true, "an image that is XML"},
		{"application/javascript", true, "the old name of scripts"},
		{"application/wasm", true, "WebAssembly"},
		{"application/manifest+json", true, "web application manifest"},
		{"application/x-ndjson", true, "lines of JSON"},
		{"application/rss+xml", true, "a feed"},
		{"font/ttf", true, "plain outlines"},
		{"font/otf", true, "plain outlines"},
		{"application/vnd.ms-fontobject", true, "plain outlines"},
		{"font/woff2", false, "compressed inside"},
		{"font/woff", false, "compressed inside"},
		{"text/event-stream", false, "events would wait for the encoder"},
		{"application/grpc", false, "its own framing"},
		{"application/grpc-web+json", false, "grpc wins over the suffix"},
		{"image/png", false, "compressed inside"},
		{"video/mp4", false, "compressed inside"},
		{"application/zip", false, "an archive"},
		{"application/octet-stream", false, "nobody knows"},
		{"", false, "no type, no promise"},
		{"text", false, "not a media type"},
		{"application/jsonx", false, "never a substring match"},
	} {
		if got := mediatype.Compressible(tt.mediaType); got != tt.want {
			t.Errorf("Compressible(%q) = %v, want %v: %s", tt.mediaType, got, tt.want, tt.reason)
		}
	}
}
