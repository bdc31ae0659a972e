package servery_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"servery"
)

// Without places for encoders what is collected is coded all the same.
func TestCompressWithoutStreams(t *testing.T) {
	text, noise := realText(t, 5000), incompressible(100_000)
	opts := &servery.CompressOptions{Limiter: servery.NewLimiter(servery.LimiterOptions{Streams: -1})}
	for _, tt := range []struct {
		handler http.HandlerFunc
		coded   bool
		reason  string
	}{
		{says(200, text, textType, `ETag: "v1"`), true, "collected"},
		{says(200, noise, textType, `ETag: "v1"`), false, "streamed"},
		{func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			io.WriteString(w, text)
			http.NewResponseController(w).Flush()
		}, false, "flushed"},
	} {
		s := serveTwins(t, opts, tt.handler)
		bare, got := s.ask(t, "GET", acceptGzip)
		if tt.coded {
			wantCodedLike(t, bare, got, "gzip", tt.reason)
		} else {
			wantSame(t, bare, got, true, tt.reason)
		}
	}
}

// Large answers that take all workers do not delay small ones.
func TestCompressSmallOnesHaveTheirOwnSlots(t *testing.T) {
	g, large := newGate(), "large "+realText(t, 200_000)
	w := &watched{act: func(plain []byte) error {
		if strings.HasPrefix(string(plain), "large ") {
			return g.pass(plain)
		}
		return nil
	}}
	limiter := servery.NewLimiter(servery.LimiterOptions{Workers: 1, Queue: -1})
	opts := &servery.CompressOptions{Encoders: []servery.Encoder{w.encoder()}, Limiter: limiter}
	server := serveHandler(t, servery.Compress(opts)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := large
		if r.URL.Path == "/small" {
			body = large[6:50_000]
		}
		says(200, body, textType)(w, r)
	})))
	first := ask(t, server, "/large", acceptGzip)
	<-g.reached
	wantCoded(t, fetch(t, server, "GET", "/small", acceptGzip), large[6:50_000], "while a large one is at work")
	if got := fetch(t, server, "GET", "/large", acceptGzip); got.Header.Get("Content-Encoding") != "" || string(got.Body) != large {
		t.Errorf("another large one: got\n%s, want it plain", got.Head)
	}
	close(g.open)
	wantCoded(t, first.Read("GET"), large, "the first")
}
