package servery_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"servery"
)

func TestValidateCompressOptions(t *testing.T) {
	gzip := servery.Gzip(6)
	nothing := func(http.ResponseWriter, *http.Request) {}
	type options = servery.CompressOptions
	for _, tt := range []struct {
		options *options
		names   string // what the error says, "" for none
		reason  string
	}{
		{nil, "", "defaults"},
		{&options{}, "", "defaults"},
		{&options{Encoders: []servery.Encoder{}}, "", "switched off"},
		{&options{Encoders: []servery.Encoder{gzip, servery.Zstd(9), deflate("df", 6, 0)}}, "", "another one"},
		{&options{MinSize: 64 << 10}, "", "the most"},
		{&options{MinSize: -1, OffloadThreshold: 1, Limiter: servery.NewLimiter(servery.LimiterOptions{})}, "", "all there is"},
		{&options{Encoders: []servery.Encoder{gzip, servery.Gzip(9)}}, "Encoders: coding gzip occurs twice", "which of them?"},
		{&options{Encoders: []servery.Encoder{gzip, deflate("gz", 6, 0)}}, "Encoders: codings gzip and deflate share", "tags could be equal"},
		{&options{Encoders: []servery.Encoder{{}}}, `Encoders: coding ""`, "nothing filled in"},
		{&options{Encoders: []servery.Encoder{deflate("df", 6, -1)}}, "Encoders: coding deflate: generation -1", "negative"},
		{&options{MinSize: 64<<10 + 1}, "MinSize: 65537", "more than is to be held of each answer"},
		{&options{OffloadThreshold: -1}, "OffloadThreshold: -1", "negative"},
		{&options{Limiter: &servery.Limiter{}}, "Limiter: not made by NewLimiter", "a zero one"},
	} {
		err := tt.options.Validate()
		if tt.names == "" && err != nil || tt.names != "" && (err == nil || !strings.HasPrefix(err.Error(), "servery: "+tt.names)) {
			t.Errorf("%s: %v, want one that names %q", tt.reason, err, tt.names)
		}
		panicked := panicOf(func() { servery.Compress(tt.options)(http.HandlerFunc(nothing)) })
		if err != nil && panicked != err.Error() || err == nil && panicked != nil {
			t.Errorf("%s: Compress panics with %v, want %v", tt.reason, panicked, err)
		}
	}
	if got := fmt.Sprint(panicOf(func() { servery.Compress(nil)(nil) })); !strings.HasPrefix(got, "servery: ") {
		t.Errorf("without a handler: panics with %q, want what names it", got)
	}
}

// Without encoders Compress is not there.
func TestCompressSwitchedOff(t *testing.T) {
	text := realText(t, 5000)
	s := serveTwins(t, &servery.CompressOptions{Encoders: []servery.Encoder{}}, content(text, `"v1"`))
	for _, fields := range [][]string{
		{acceptGzip}, {"Accept-Encoding: *"}, {"Accept-Encoding: identity;q=0"}, {"Accept: */*"},
		{acceptGzip, `If-None-Match: "v1"`}, {acceptGzip, "Range: bytes=0-9"}, {acceptGzip, `If-None-Match: "v1-gz6.1"`},
	} {
		for _, method := range []string{"GET", "HEAD"} {
			bare, got := s.ask(t, method, fields...)
			wantSame(t, bare, got, false, fmt.Sprint(method, fields))
		}
	}
}

// What a caller does to the options later changes nothing, and nothing is filled in.
func TestCompressOptionsAreCopied(t *testing.T) {
	text := realText(t, 5000)
	opts := &servery.CompressOptions{Encoders: []servery.Encoder{servery.Gzip(6)}}
	middleware := servery.Compress(opts)
	if opts.MinSize != 0 || opts.OffloadThreshold != 0 || opts.Limiter != nil || opts.Compressible != nil {
		t.Errorf("options %+v were completed in place", opts)
	}
	opts.Encoders[0] = servery.Encoder{}
	opts.MinSize = 100_000
	opts.Compressible = func(string) bool { return false }
	got := fetch(t, serveHandler(t, middleware(says(200, text, textType))), "GET", "/", acceptGzip)
	wantCoded(t, got, text, "by the options when the middleware was made")
}

// Levels and codings of one's own have their own tags.
func TestCompressWithOtherEncoders(t *testing.T) {
	text := realText(t, 50_000)
	opts := &servery.CompressOptions{Encoders: []servery.Encoder{deflate("df", 9, 4), servery.Gzip(1)}}
	server := serveHandler(t, servery.Compress(opts)(content(text, `"v1"`)))
	for accept, tag := range map[string]string{"deflate": `"v1-df9.4"`, "gzip": `"v1-gz1.1"`, "deflate, gzip": `"v1-df9.4"`} {
		got := fetch(t, server, "GET", "/", "Accept-Encoding: "+accept)
		if got.Header.Get("Etag") != tag || len(got.Body) > len(text)/2 {
			t.Errorf("%s: got\n%s, want the tag %s", accept, got.Head, tag)
		}
		got = fetch(t, server, "GET", "/", "Accept-Encoding: "+accept, "If-None-Match: "+tag)
		if got.Status != 304 || got.Header.Get("Etag") != tag {
			t.Errorf("%s: got\n%s, want 304 with %s", accept, got.Head, tag)
		}
	}
}

// One limiter is shared by all handlers of a middleware, and by whoever has it.
func TestCompressSharesItsLimiter(t *testing.T) {
	limiter := servery.NewLimiter(servery.LimiterOptions{})
	middleware := servery.Compress(&servery.CompressOptions{Limiter: limiter})
	for i := range uint64(3) {
		fetch(t, serveHandler(t, middleware(says(200, realText(t, 5000), textType))), "GET", "/", acceptGzip)
		if s := limiter.Stats(); s.Completed != i+1 || s.Active != 0 {
			t.Errorf("%+v after %d answers", s, i+1)
		}
	}
	s := serveHandler(t, middleware(says(200, "small", textType)))
	fetch(t, s, "GET", "/", acceptGzip)
	fetch(t, serveHandler(t, middleware(says(200, realText(t, 5000), textType))), "HEAD", "/", acceptGzip)
	if s := limiter.Stats(); s.Completed != 3 {
		t.Errorf("%+v, want no slot for what is not coded", s)
	}
}
