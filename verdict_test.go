package servery_test

import (
	"bytes"
	"io"
	"io/fs"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"servery"
	"servery/internal/testkit"
)

// Where a coding saves too little, conditions are judged by the tag that was sent.
func TestConditionsOnWhatIsNotWorthCoding(t *testing.T) {
	noise := incompressible(50_000)
	server, _ := serveTree(t, map[string]string{"noise.txt": noise}, nil)
	first := server.Get("/noise.txt", acceptGzip)
	if tag := first.Header.Get("Etag"); tag != contentTag(noise) || first.Header.Get("Content-Encoding") != "" {
		t.Fatalf("got\n%s, want identity", first.Head)
	}
	for _, tt := range []struct {
		field  string
		status int
	}{
		{"If-Match: " + contentTag(noise), 200},
		{"If-None-Match: " + contentTag(noise), 304},
		{"If-None-Match: *", 304},
		{"If-Modified-Since: " + first.Header.Get("Last-Modified"), 304},
		{"If-Match: \"other\"", 412},
	} {
		got := server.Get("/noise.txt", acceptGzip, tt.field)
		if tag := got.Header.Get("Etag"); got.Status != tt.status || tt.status != 412 && tag != contentTag(noise) {
			t.Errorf("%s: got\n%s, want %d with identity's tag", tt.field, got.Head, tt.status)
		}
	}
}

// The tag that was sent of what is not worth coding passes If-Match (RFC 9110, section
// 13.1.1), whether or not it is still known that it is not worth it. Where identity is
// refused, it is not what would be sent.
func TestIfMatchOfWhatIsNotWorthCoding(t *testing.T) {
	noise, text := incompressible(50_000), realText(t, 50_000)
	match := "If-Match: " + contentTag(noise)
	for _, tt := range []struct {
		limit  int64
		purged bool
		reason string
	}{
		{1 << 20, false, "it is held"},
		{1 << 20, true, "it was forgotten"},
		{0, false, "nothing is ever held"},
	} {
		cache := servery.NewCompressionCache(tt.limit)
		server, _ := serveTree(t, map[string]string{"noise.txt": noise, "text.txt": text}, &servery.FileServerOptions{Cache: cache})
		first := server.Get("/noise.txt", acceptGzip)
		if first.Header.Get("Etag") != contentTag(noise) {
			t.Fatalf("got\n%s, want identity", first.Head)
		}
		for _, a := range []struct {
			target string
			fields []string
			status int
		}{
			{"/noise.txt", []string{acceptGzip, match}, 200},
			{"/noise.txt", []string{acceptGzip, "If-Match: \"other\", " + contentTag(noise)}, 200},
			{"/noise.txt", []string{acceptGzip, match, "If-None-Match: *"}, 304},
			{"/noise.txt", []string{acceptGzip, "If-Match: \"other\""}, 412},
			{"/noise.txt", []string{acceptGzip, "If-Match: W/" + contentTag(noise)}, 412},
			{"/noise.txt", []string{"Accept-Encoding: gzip, identity;q=0", match}, 412},
			{"/text.txt", []string{acceptGzip, "If-Match: " + contentTag(text)}, 412},
		} {
			for _, method := range []string{"GET", "HEAD"} {
				if tt.purged {
					cache.Purge()
				}
				got := server.Do(method, a.target, a.fields...)
				if got.Status != a.status || got.Err != nil || a.status == 200 && got.Header.Get("Etag") != contentTag(noise) ||
					a.status == 412 && got.Header.Get("Vary") != "Accept-Encoding" {
					t.Errorf("%s: %s %s %q: got\n%s, want %d", tt.reason, method, a.target, a.fields, got.Head, a.status)
				}
			}
		}
	}
}

// muteWriter is an encoder that writes nothing.
type muteWriter struct{}

func (muteWriter) Write(p []byte) (int, error) { return len(p), nil }
func (muteWriter) Flush() error                { return nil }
func (muteWriter) Close() error                { return nil }
func (muteWriter) Reset(io.Writer)             {}

func TestEncoderThatWritesNothing(t *testing.T) {
	mute := servery.Encoder{Coding: "br", Suffix: "br", New: func() (servery.EncoderWriter, error) { return muteWriter{}, nil }}
	cache := servery.NewCompressionCache(1 << 20)
	server, _ := serveTree(t, map[string]string{"file.txt": realText(t, 5000)},
		&servery.FileServerOptions{Encoders: []servery.Encoder{mute}, Cache: cache})
	if got := server.Get("/file.txt", "Accept-Encoding: br"); got.Status != 500 || cache.Stats().Entries != 0 {
		t.Errorf("got\n%s with %+v, want 500 and nothing held", got.Head, cache.Stats())
	}
}

func TestZeroCacheAndLimiterAreRefused(t *testing.T) {
	for _, options := range []*servery.FileServerOptions{
		{Cache: new(servery.CompressionCache)}, {Limiter: new(servery.Limiter)},
	} {
		if err := options.Validate(); err == nil || !strings.HasPrefix(err.Error(), "servery: Cache, Limiter:") {
			t.Errorf("Validate: %v, want an error that names them", err)
		}
	}
}

// panickingFile panics when it is read.
type panickingFile struct{ liar }

func (panickingFile) Read([]byte) (int, error) { panic("read") }

func TestSidecarThatPanicsIsClosed(t *testing.T) {
	open := 0
	var packed bytes.Buffer
	packed.WriteString("\x1f\x8b\x08 not really")
	base := fstest.MapFS{
		"file.txt":    {Data: []byte(realText(t, 5000)), ModTime: testkit.Past},
		"file.txt.gz": {Data: packed.Bytes(), ModTime: testkit.Past},
	}
	fsys := wrapFS{base, func(f fs.File) fs.File {
		open++
		l := liar{f, f.Stat, func() { open-- }}
		if info, err := f.Stat(); err == nil && strings.HasSuffix(info.Name(), ".gz") {
			return panickingFile{l}
		}
		return l
	}}
	handler := servery.FileServer(fsys, &servery.FileServerOptions{Sidecars: []string{"gzip"}})
	request := httptest.NewRequest("GET", "/file.txt", nil)
	request.Header.Set("Accept-Encoding", "gzip")
	if got := panicOf(func() { handler.ServeHTTP(httptest.NewRecorder(), request) }); got != "read" {
		t.Errorf("panic %v, want the file's own", got)
	}
	if open != 0 {
		t.Errorf("%d files left open", open)
	}
}
