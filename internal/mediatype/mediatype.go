// Package mediatype tells the media type of a file by its name or its first
// bytes, and whether a type is worth a content coding.
//
// The types that browsers depend on come from a table of this package, whatever
// the host's own tables say: a module script that a registry calls text/plain
// does not run.
package mediatype

import (
	"fmt"
	"mime"
	"net/http"
	"path"
	"strings"
)

// Table maps names to media types. It is immutable and safe for concurrent use.
type Table struct {
	byExtension map[string]string // the application's own, keys in lower case
}

// New returns a table in which the application's entries come before all others.
// A key is an extension with its dot, in any case; a value is a media type.
func New(entries map[string]string) (*Table, error) {
	t := &Table{byExtension: make(map[string]string, len(entries))}
	for ext, mediaType := range entries {
		if len(ext) < 2 || ext[0] != '.' || strings.ContainsAny(ext[1:], "./") {
			return nil, fmt.Errorf("%q is not an extension such as %q", ext, ".md")
		}
		if _, _, err := mime.ParseMediaType(mediaType); err != nil || !strings.Contains(mediaType, "/") {
			return nil, fmt.Errorf("%q is not a media type (for %q)", mediaType, ext)
		}
		key := strings.ToLower(ext)
		if _, twice := t.byExtension[key]; twice {
			return nil, fmt.Errorf("extension %q is there twice", key)
		}
		t.byExtension[key] = WithCharset(mediaType)
	}
	return t, nil
}

// ByName returns the media type for a name's extension: the application's, then
// this package's, then the host's. It is "" where only the content can tell.
func (t *Table) ByName(name string) string {
	ext := strings.ToLower(path.Ext(name))
	if ext == "" || ext == "." {
		return ""
	}
	if mediaType, ok := t.byExtension[ext]; ok {
		return mediaType
	}
	if mediaType := webType(ext); mediaType != "" {
		return mediaType
	}
	return WithCharset(mime.TypeByExtension(ext))
}

// Sniff returns the media type that the first plain bytes of a file suggest. It
// always has an answer: application/octet-stream says that there is none.
func Sniff(prefix []byte) string {
	return WithCharset(http.DetectContentType(prefix))
}

// WithCharset says utf-8 of a text type that names no charset itself: without
// it a browser guesses by locale.
func WithCharset(mediaType string) string {
	if !hasPrefixFold(mediaType, "text/") {
		return mediaType
	}
	if _, params, err := mime.ParseMediaType(mediaType); err != nil || params["charset"] != "" {
		return mediaType
	}
	return mediaType + "; charset=utf-8"
}

// Compressible reports whether a body of this media type, parameters aside,
// usually shrinks by a content coding. Formats that are compressed already are
// not, nor those whose framing a coding would hold back (event streams, gRPC).
func Compressible(mediaType string) bool {
	essence := Essence(mediaType)
	switch {
	case essence == "text/event-stream", strings.HasPrefix(essence, "application/grpc"):
		return false
	case strings.HasPrefix(essence, "text/"),
		strings.HasSuffix(essence, "+json"), strings.HasSuffix(essence, "+xml"):
		return true
	}
	return compressibleByName(essence)
}

// Essence is a media type without its parameters, in lower case.
func Essence(mediaType string) string {
	essence, _, _ := strings.Cut(mediaType, ";")
	return strings.ToLower(strings.TrimSpace(essence))
}

func compressibleByName(essence string) bool {
	switch essence {
	case "application/json", "application/x-ndjson", "application/ndjson", "application/jsonl",
		"application/json-seq", "application/javascript", "application/x-javascript",
		"application/ecmascript", "application/xml", "application/xml-dtd",
		"application/wasm",
		"font/ttf", "font/otf", "font/sfnt", "font/collection",
		"application/x-font-ttf", "application/x-font-otf", "application/x-font-truetype",
		"application/font-sfnt", "application/vnd.ms-fontobject":
		return true
	}
	return false
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
