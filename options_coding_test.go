package servery_test

import (
	"compress/zlib"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"servery"
)

func deflate(suffix string, level, generation int) servery.Encoder {
	return servery.Encoder{
		Coding: "deflate", Suffix: suffix, Level: level, Generation: generation,
		New: func() (servery.EncoderWriter, error) { return zlib.NewWriterLevel(nil, level) },
	}
}

func TestValidateCodings(t *testing.T) {
	gzip, zstd := servery.Gzip(6), servery.Zstd(3)
	changed := func(change func(*servery.Encoder)) []servery.Encoder {
		e := servery.Gzip(6)
		change(&e)
		return []servery.Encoder{zstd, e}
	}
	type options = servery.FileServerOptions
	for _, tt := range []struct {
		options options
		names   string // what the error says, "" for none
		reason  string
	}{
		{options{}, "", "defaults"},
		{options{Encoders: []servery.Encoder{}}, "", "switched off"},
		{options{Encoders: []servery.Encoder{gzip, zstd, deflate("df", 6, 0)}}, "", "another one"},
		{options{Encoders: []servery.Encoder{gzip, servery.Gzip(9)}}, "Encoders: coding gzip occurs twice", "which of them?"},
		{options{Encoders: []servery.Encoder{gzip, deflate("gz", 6, 0)}}, "Encoders: codings gzip and deflate share", "tags could be equal"},
		{options{Encoders: []servery.Encoder{{}}}, `Encoders: coding ""`, "nothing filled in"},
		{options{Encoders: changed(func(e *servery.Encoder) { e.Coding = "GZIP" })}, `Encoders: coding "GZIP"`, "upper case"},
		{options{Encoders: changed(func(e *servery.Encoder) { e.Coding = "*" })}, `Encoders: coding "*"`, "stands for all"},
		{options{Encoders: changed(func(e *servery.Encoder) { e.Coding = "identity" })}, "Encoders: identity", "no coding"},
		{options{Encoders: changed(func(e *servery.Encoder) { e.Suffix = "" })}, "Encoders: coding gzip: suffix", "the tag would be identity's"},
		{options{Encoders: changed(func(e *servery.Encoder) { e.Suffix = `g"z` })}, "Encoders: coding gzip: suffix", "it would end the tag"},
		{options{Encoders: changed(func(e *servery.Encoder) { e.Generation = -1 })}, "Encoders: coding gzip: generation -1", "negative"},
		{options{Encoders: changed(func(e *servery.Encoder) { e.New = nil })}, "Encoders: coding gzip: no function", "nothing to encode with"},
		{options{MinSize: -1}, "", "all sizes"},
		{options{MaxCompressSize: -1}, "MaxCompressSize -1", "negative"},
		{options{OffloadThreshold: -1}, "MaxCompressSize 0, OffloadThreshold -1", "negative"},
		{options{OnSaturation: servery.ServeIdentity}, "", "the other one"},
		{options{OnSaturation: 2}, "OnSaturation: 2", "unknown"},
		{options{OnSaturation: -1}, "OnSaturation: -1", "unknown"},
		{options{Sidecars: []string{"zstd", "br", "gzip"}}, "", "all there are"},
		{options{Sidecars: []string{"br", "br"}}, `Sidecars: "br"`, "twice"},
		{options{Sidecars: []string{"deflate"}}, `Sidecars: "deflate"`, "unknown"},
		{options{Sidecars: []string{".gz"}}, `Sidecars: ".gz"`, "an extension"},
		{options{Sidecars: []string{""}}, `Sidecars: ""`, "nothing"},
	} {
		err := tt.options.Validate()
		if tt.names == "" && err != nil || tt.names != "" && (err == nil || !strings.HasPrefix(err.Error(), "servery: "+tt.names)) {
			t.Errorf("%s: %v, want one that names %q", tt.reason, err, tt.names)
		}
		panicked := panicOf(func() { servery.FileServer(fstest.MapFS{}, &tt.options) })
		if err != nil && panicked != err.Error() || err == nil && panicked != nil {
			t.Errorf("%s: FileServer panics with %v, want %v", tt.reason, panicked, err)
		}
	}
}

func TestMisuseOfCodings(t *testing.T) {
	for _, tt := range []struct {
		misuse func()
		names  string
	}{
		{func() { servery.NewCompressionCache(-1) }, "NewCompressionCache: -1"},
		{func() { servery.NewLimiter(servery.LimiterOptions{Workers: -1}) }, "NewLimiter: -1 Workers"},
		{func() { servery.Gzip(0) }, "gzip level 0"},
		{func() { servery.Gzip(10) }, "gzip level 10"},
		{func() { servery.Zstd(0) }, "zstd level 0"},
		{func() { servery.Zstd(23) }, "zstd level 23"},
	} {
		if got := fmt.Sprint(panicOf(tt.misuse)); !strings.HasPrefix(got, "servery: "+tt.names) {
			t.Errorf("panics with %q, want what names %q", got, tt.names)
		}
	}
	servery.NewCompressionCache(0)
	servery.NewLimiter(servery.LimiterOptions{Queue: -1})
}

// What a caller does to the options later changes nothing.
func TestCodingOptionsAreCopied(t *testing.T) {
	text := realText(t, 50_000)
	opts := &servery.FileServerOptions{
		Encoders: []servery.Encoder{servery.Gzip(6)},
		Sidecars: []string{"br"},
	}
	server, _ := serveTree(t, map[string]string{"file.txt": text, "file.txt.br": "sidecar", "file.txt.zst": "none"}, opts)
	opts.Encoders[0] = servery.Encoder{}
	opts.Sidecars[0] = "zstd"
	wantCoded(t, server.Get("/file.txt", acceptGzip), text, "the encoder of the options when the handler was made")
	if got := server.Get("/file.txt", "Accept-Encoding: br"); string(got.Body) != "sidecar" {
		t.Errorf("got\n%s, want the sidecar", got.Head)
	}
	if opts.Index != nil || opts.Cache != nil || opts.Limiter != nil || opts.MinSize != 0 {
		t.Errorf("options %+v were completed in place", opts)
	}
}

// Sizes at the options' edges.
func TestSizesOfCodings(t *testing.T) {
	text := realText(t, 4000)
	type options = servery.FileServerOptions
	for _, tt := range []struct {
		options options
		size    int
		coded   bool
		reason  string
	}{
		{options{MinSize: 2000}, 1999, false, "below MinSize"},
		{options{MinSize: 2000}, 2000, true, "from MinSize on"},
		{options{MinSize: -1}, 500, true, "all sizes"},
		{options{MaxCompressSize: 2000}, 2000, true, "up to MaxCompressSize"},
		{options{MaxCompressSize: 2000}, 2001, false, "above it"},
		{options{Encoders: []servery.Encoder{}}, 4000, false, "switched off"},
	} {
		server, _ := serveTree(t, map[string]string{"file.txt": text[:tt.size]}, &tt.options)
		got := server.Get("/file.txt", acceptGzip)
		if coding := got.Header.Get("Content-Encoding"); (coding == "gzip") != tt.coded || decoded(t, coding, got.Body) != text[:tt.size] {
			t.Errorf("%d bytes: got\n%s, want coded %v: %s", tt.size, got.Head, tt.coded, tt.reason)
		}
	}
}
