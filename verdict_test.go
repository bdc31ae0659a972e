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
