package servery_test

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"testing"
	"time"

	"servery"
)

// Handlers that come with net/http wrap writers of their own, and are the same inside
// and outside of Compress.
func TestCompressWithTimeoutHandler(t *testing.T) {
	text := realText(t, 40_000)
	handler := says(200, text, textType, `ETag: "v1"`)
	slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, text)
		<-r.Context().Done()
	})
	compress := servery.Compress(nil)
	long := func(h http.Handler) http.Handler { return http.TimeoutHandler(h, time.Hour, "too late") }
	for _, b := range builtIn {
		accept := "Accept-Encoding: " + b.coding
		bare := fetch(t, serveHandler(t, handler), "GET", "/", accept)
		for reason, h := range map[string]http.Handler{"outside": long(compress(handler)), "inside": compress(long(handler))} {
			wantCodedLike(t, bare, fetch(t, serveHandler(t, h), "GET", "/", accept), b.coding, reason)
		}
		for reason, h := range map[string]http.Handler{
			"outside": http.TimeoutHandler(compress(slow), time.Millisecond, "too late"),
			"inside":  compress(http.TimeoutHandler(slow, time.Millisecond, "too late")),
		} {
			got := fetch(t, serveHandler(t, h), "GET", "/", accept)
			if got.Status != 503 || string(got.Body) != "too late" || got.Header.Get("Content-Encoding") != "" {
				t.Errorf("%s: got\n%s%.20q, want 503 as it is", reason, got.Head, got.Body)
			}
		}
	}
}

// upstream is what a proxy finds behind it.
func upstream(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		setFields(w.Header(), []string{textType, `ETag: "v1"`, "Trailer: X-Sum", "Link: </style.css>"})
		switch r.URL.Path {
		case "/hints":
			w.WriteHeader(http.StatusEarlyHints)
		case "/coded":
			w.Header().Set("Content-Encoding", "br")
		case "/events":
			w.Header().Set("Content-Type", "text/event-stream")
		case "/nothing":
			w.WriteHeader(http.StatusNoContent)
			return
		case "/aborted":
			io.WriteString(w, text)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}
		io.WriteString(w, text)
		w.Header().Set("X-Sum", "sum")
	}
}

// A reverse proxy flushes, copies, forwards interim answers and trailers, and panics
// when what is behind it breaks off.
func TestCompressWithReverseProxy(t *testing.T) {
	text := realText(t, 100_000)
	behind := serveLoosely(t, upstream(text))
	for _, flush := range []time.Duration{0, -1} {
		proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: behind.Addr})
		proxy.FlushInterval = flush
		proxy.Transport = &http.Transport{DisableKeepAlives: true}
		proxy.ErrorLog = log.New(io.Discard, "", 0)
		bare, inside := serveLoosely(t, proxy), serveLoosely(t, servery.Compress(nil)(proxy))
		for path, coded := range map[string]bool{"/": true, "/hints": true, "/coded": false, "/events": false, "/nothing": false} {
			reason := fmt.Sprintf("%s, flushed every %v", path, flush)
			want, wantBody, wantTrailer := proxied(t, openAt(bare, "GET", path, acceptGzip), reason)
			got, body, trailer := proxied(t, openAt(inside, "GET", path, acceptGzip), reason)
			plain, err := body, error(nil)
			fields := unframed(want.Header)
			if coded {
				plain, err = undo("gzip", []byte(body))
				fields = codedFields(want.Header, "gzip")
			}
			if err != nil || plain != wantBody || fmt.Sprint(unframed(got.Header)) != fmt.Sprint(fields) || fmt.Sprint(trailer) != fmt.Sprint(wantTrailer) {
				t.Errorf("%s: %v, %v with %d bytes and %v, want %v with %d and %v",
					reason, err, got.Header, len(plain), trailer, fields, len(wantBody), wantTrailer)
			}
		}
		response := openAt(inside, "GET", "/aborted", acceptGzip).answer(t)
		if body, err := io.ReadAll(response.Body); err == nil {
			t.Errorf("what breaks off behind the proxy seems to be whole: %d bytes", len(body))
		}
	}
}

// proxied reads an answer that may follow an interim one.
func proxied(t *testing.T, c *wire, reason string) (response *http.Response, body string, trailer http.Header) {
	t.Helper()
	defer c.Close()
	for response = c.answer(t); response.StatusCode < 200; response = c.answer(t) {
		if response.Header.Get("Link") == "" {
			t.Errorf("%s: interim %v", reason, response.Header)
		}
	}
	all, err := io.ReadAll(response.Body)
	if err != nil {
		t.Errorf("%s: %v", reason, err)
	}
	return response, string(all), response.Trailer
}
