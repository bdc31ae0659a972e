package servery_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"servery"
	"servery/internal/testkit"
)

// Compress within Compress is Compress.
func TestCompressTwice(t *testing.T) {
	text := realText(t, 100_000)
	for reason, handler := range map[string]http.HandlerFunc{
		"small":      says(200, text[:500], textType, `ETag: "v1"`),
		"collected":  says(200, text[:5000], textType, `ETag: "v1"`, "Accept-Ranges: bytes"),
		"streamed":   says(200, text, textType, `ETag: "v1"`),
		"an image":   says(200, text, "Content-Type: image/png"),
		"sniffed":    says(200, text),
		"conditions": content(text, `"v1"`),
		"flushed": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.(http.Flusher).Flush()
			io.WriteString(w, text)
		},
		"a single tag": func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("If-None-Match") == `"v1"` {
				w.Header().Set("Etag", `"v1"`)
				w.WriteHeader(304)
				return
			}
			says(200, text, textType, `ETag: "v1"`)(w, r)
		},
		"nothing": says(204, ""),
	} {
		once := serveHandler(t, servery.Compress(nil)(handler))
		twice := serveHandler(t, servery.Compress(nil)(servery.Compress(nil)(handler)))
		for _, fields := range [][]string{
			{acceptGzip}, {acceptZstd}, {"Accept: */*"}, {"Accept-Encoding: zstd, gzip"}, {acceptGzip, "Range: bytes=0-9"},
			{acceptGzip, `If-None-Match: "v1-gz6.1"`}, {acceptGzip, `If-None-Match: "x", "v1-gz6.1"`}, {acceptGzip, `If-None-Match: "v1"`}, {acceptGzip, `If-Match: "v1-gz6.1"`},
			{acceptGzip, "Range: bytes=0-9", `If-Range: "v1-gz6.1"`},
		} {
			for _, method := range []string{"GET", "HEAD"} {
				want, got := fetch(t, once, method, "/", fields...), fetch(t, twice, method, "/", fields...)
				wantSame(t, want, got, false, fmt.Sprint(method, fields, reason))
			}
		}
	}
}

// FileServer negotiates itself, and is the same inside Compress.
func TestFileServerInsideCompress(t *testing.T) {
	text := realText(t, 50_000)
	dir := testkit.Tree(t, map[string]string{
		"file.txt": text, "small.txt": "small", "image.png": text[1:], "noise.txt": incompressible(200_000), "index.html": text[:2000],
		"side.txt": text, "side.txt.br": "sidecar",
	})
	for _, opts := range []*servery.FileServerOptions{nil, {Sidecars: []string{"br"}}, {Encoders: []servery.Encoder{}, Sidecars: []string{"br"}}} {
		inner := servery.FileServer(openDir(t, dir), opts)
		alone, inside := testkit.Serve(t, inner), testkit.Serve(t, servery.Compress(nil)(inner))
		held := alone.Get("/file.txt", acceptGzip).Header.Get("Etag")
		for _, target := range []string{"/file.txt", "/small.txt", "/image.png", "/noise.txt", "/", "/side.txt", "/missing"} {
			for _, fields := range [][]string{
				{acceptGzip}, {acceptZstd}, {"Accept-Encoding: br"}, {"Accept: */*"}, {"Accept-Encoding: gzip, identity;q=0"}, {"Accept-Encoding: *;q=0"},
				{acceptGzip, "Range: bytes=0-9"}, {acceptGzip, "Range: bytes=0-9,20-29"}, {acceptGzip, "Range: bytes=999999-"},
				{acceptGzip, "If-None-Match: " + held}, {acceptGzip, "If-Match: " + held}, {acceptZstd, "If-None-Match: " + held},
				{"If-None-Match: " + contentTag(text)}, {acceptGzip, "Range: bytes=0-9", "If-Range: " + held},
			} {
				for _, method := range []string{"GET", "HEAD", "POST"} {
					want, got := alone.Do(method, target, fields...), inside.Do(method, target, fields...)
					if strings.HasPrefix(want.Header.Get("Content-Type"), "multipart/") {
						continue // its boundary is another each time
					}
					wantSame(t, want, got, false, fmt.Sprint(method, target, fields))
				}
			}
		}
	}
}

// A FileServer that has no codings of its own is a handler like any other.
func TestPlainFileServerInsideCompress(t *testing.T) {
	text := realText(t, 50_000)
	dir := testkit.Tree(t, map[string]string{"file.txt": text, "image.png": text})
	inner := servery.FileServer(openDir(t, dir), &servery.FileServerOptions{Encoders: []servery.Encoder{}})
	alone, inside := testkit.Serve(t, inner), testkit.Serve(t, servery.Compress(nil)(inner))
	for _, b := range builtIn {
		accept := "Accept-Encoding: " + b.coding
		bare, got := alone.Get("/file.txt"), inside.Get("/file.txt", accept)
		wantCodedLike(t, bare, got, b.coding, "a file")
		again := inside.Get("/file.txt", accept, "If-None-Match: "+got.Header.Get("Etag"))
		if again.Status != 304 || again.Header.Get("Etag") != got.Header.Get("Etag") || again.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: got\n%s, want 304 with %s", b.coding, again.Head, got.Header.Get("Etag"))
		}
		wantSame(t, alone.Get("/image.png"), inside.Get("/image.png", accept), false, "an image")
		wantSame(t, alone.Get("/file.txt", "Range: bytes=0-9"), inside.Get("/file.txt", accept, "Range: bytes=0-9"), true, "a part")
	}
}

// What a handler that has no codings would refuse with 406 (RFC 9110, section 15.5.7) is
// for a Compress around it to code, or to pass.
func TestNothingIsRefusedInsideCompress(t *testing.T) {
	files := map[string]string{"file.txt": realText(t, 50_000), "small.txt": "small"}
	for i := range 60 {
		files[fmt.Sprintf("folder/%030d", i)] = ""
	}
	dir := openDir(t, testkit.Tree(t, files))
	plain := servery.FileServer(dir, &servery.FileServerOptions{Encoders: []servery.Encoder{}, Listing: true})
	coding := servery.FileServer(dir, &servery.FileServerOptions{Listing: true})
	compress := servery.Compress(nil)
	wrapped := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		plain.ServeHTTP(readerFrom{w, new([]io.Reader)}, r)
	})
	for _, tt := range []struct {
		handler        http.Handler
		target, accept string
		status         int
		coding         string
		reason         string
	}{
		{compress(plain), "/file.txt", "gzip, *;q=0", 200, "gzip", "Compress has gzip"},
		{compress(plain), "/file.txt", "gzip, identity;q=0", 200, "gzip", "Compress has gzip"},
		{compress(wrapped), "/file.txt", "gzip, identity;q=0", 200, "gzip", "Compress is found through what is between"},
		{compress(compress(plain)), "/file.txt", "gzip, identity;q=0", 200, "gzip", "twice is once"},
		{compress(plain), "/small.txt", "gzip, identity;q=0", 200, "", "Compress passes what is below MinSize"},
		{compress(plain), "/file.txt", "*;q=0", 200, "", "Compress refuses nothing"},
		{compress(plain), "/folder/", "gzip, identity;q=0", 200, "gzip", "a listing"},
		{compress(coding), "/folder/", "gzip, identity;q=0", 200, "gzip", "a listing, of which no FileServer has codings"},
		{compress(coding), "/folder/", "gzip, *;q=0", 200, "gzip", "a listing, of which no FileServer has codings"},
		{compress(coding), "/small.txt", "gzip, identity;q=0", 406, "", "a FileServer that negotiates itself"},
		{plain, "/file.txt", "gzip, identity;q=0", 406, "", "no Compress is around"},
		{coding, "/folder/", "gzip, identity;q=0", 406, "", "no Compress is around"},
		{servery.Compress(&servery.CompressOptions{Encoders: []servery.Encoder{}})(plain), "/file.txt", "gzip, *;q=0", 406, "", "one that is switched off"},
	} {
		server := testkit.Serve(t, tt.handler)
		for _, method := range []string{"GET", "HEAD"} {
			got := server.Do(method, tt.target, "Accept-Encoding: "+tt.accept)
			if got.Status != tt.status || got.Header.Get("Content-Encoding") != tt.coding {
				t.Errorf("%s %s, %s: got\n%s, want %d %q: %s", method, tt.target, tt.accept, got.Head, tt.status, tt.coding, tt.reason)
			}
		}
	}
}

// readerFrom tells what reaches the server's own ReadFrom.
type readerFrom struct {
	http.ResponseWriter
	from *[]io.Reader
}

func (w readerFrom) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w readerFrom) ReadFrom(src io.Reader) (int64, error) {
	*w.from = append(*w.from, src)
	return w.ResponseWriter.(io.ReaderFrom).ReadFrom(src)
}

// The server's ReadFrom, which has sendfile, gets the file where nothing is coded, and
// nothing where something is.
func TestCompressKeepsReadFrom(t *testing.T) {
	text := realText(t, 100_000)
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		mediaType, accept string
		reaches           bool
		reason            string
	}{
		{"text/plain", "identity", true, "no coding is asked for"},
		{"text/plain", "br", true, "none that is on offer"},
		{"image/png", "gzip", true, "a type that is never coded"},
		{"text/plain", "gzip", false, "coded"},
		{"text/plain", "zstd", false, "coded"},
	} {
		var reached []io.Reader
		inner := servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			f, err := os.Open(path)
			if err != nil {
				t.Error(err)
				return
			}
			defer f.Close()
			w.Header().Set("Content-Type", tt.mediaType)
			w.Header().Set("Content-Length", fmt.Sprint(len(text)))
			if n, err := io.CopyN(w, f, int64(len(text))); n != int64(len(text)) || err != nil {
				t.Errorf("%s: %d, %v", tt.reason, n, err)
			}
		}))
		server := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { inner.ServeHTTP(readerFrom{w, &reached}, r) }))
		got := fetch(t, server, "GET", "/", "Accept-Encoding: "+tt.accept)
		if decoded(t, got.Header.Get("Content-Encoding"), got.Body) != text {
			t.Errorf("%s: got\n%s, want the file", tt.reason, got.Head)
		}
		if (len(reached) == 1) != tt.reaches {
			t.Errorf("%s: ReadFrom of the server %d times, want it: %v", tt.reason, len(reached), tt.reaches)
			continue
		}
		if limited, ok := append(reached, nil)[0].(*io.LimitedReader); tt.reaches && (!ok || fmt.Sprintf("%T", limited.R) != "*os.File") {
			t.Errorf("%s: ReadFrom of %T, want the file under one io.LimitedReader", tt.reason, reached[0])
		}
	}
}
