package servery_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"servery"
)

// nested is a handler inside n Compress of one middleware.
func nested(n int, opts *servery.CompressOptions, handler http.Handler) http.Handler {
	compress := servery.Compress(opts)
	for range n {
		handler = compress(handler)
	}
	return handler
}

// However deep it is nested, an answer is coded once.
func TestCompressDeeplyNested(t *testing.T) {
	const depth = 50
	text := realText(t, 100_000)
	for name, handler := range map[string]http.HandlerFunc{
		"a Write":   says(200, text, textType, `ETag: "v1"`),
		"an image":  says(200, text, "Content-Type: image/png"),
		"too small": says(200, text[:100], textType),
		"a copy":    func(w http.ResponseWriter, _ *http.Request) { io.Copy(w, onlyReader{strings.NewReader(text)}) },
		"bytes": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			for i := range 2000 {
				w.Write(nil)
				io.WriteString(w, text[i:i+1])
				if i%2 == 1 {
					http.NewResponseController(w).Flush()
				}
			}
		},
		"controllers at all levels": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			io.WriteString(w, text)
			for level := w; ; {
				controller := http.NewResponseController(level)
				if err := controller.SetWriteDeadline(time.Now().Add(time.Hour)); err != nil {
					t.Error(err)
				}
				wrapper, ok := level.(interface{ Unwrap() http.ResponseWriter })
				if !ok {
					return
				}
				level = wrapper.Unwrap()
			}
		},
	} {
		limiter := servery.NewLimiter(servery.LimiterOptions{})
		bare := serveHandler(t, handler)
		server := serveHandler(t, nested(depth, &servery.CompressOptions{Limiter: limiter}, handler))
		plain, got := fetch(t, bare, "GET", "/", acceptGzip), fetch(t, server, "GET", "/", acceptGzip)
		if got.Header.Get("Content-Encoding") == "" {
			wantSame(t, plain, got, false, name)
		} else {
			wantCodedLike(t, plain, got, "gzip", name)
		}
		if s := limiter.Stats(); s.Streams != 0 || s.Active != 0 {
			t.Errorf("%s: %+v", name, s)
		}
	}
}
