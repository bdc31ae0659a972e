package servery_test

import (
	"io"
	"net/http"
	"testing"

	"servery"
)

// Interim answers are sent while the handler is at work, and say nothing of the final
// one. See RFC 9110, section 15.2, and RFC 8297.
func TestCompressForwardsInterimAnswers(t *testing.T) {
	text := realText(t, 5000)
	for _, accept := range []string{"gzip", "zstd", "identity"} {
		goOn := make(chan struct{})
		server := serveHandler(t, servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Link", "</style.css>; rel=preload")
			w.WriteHeader(http.StatusEarlyHints)
			<-goOn
			w.Header().Set("X-Progress", "half")
			w.WriteHeader(http.StatusProcessing)
			<-goOn
			w.Header().Del("X-Progress")
			w.Header().Set("Content-Type", "text/plain")
			w.WriteHeader(http.StatusAccepted)
			io.WriteString(w, text)
		})))
		c := open(t, server, "GET", "Accept-Encoding: "+accept)
		early := c.answer(t)
		if early.StatusCode != 103 || early.Header.Get("Link") == "" || early.Header.Get("Vary") != "" {
			t.Errorf("%s: first %d %v, want 103 with Link", accept, early.StatusCode, early.Header)
		}
		goOn <- struct{}{}
		processing := c.answer(t)
		if processing.StatusCode != 102 || processing.Header.Get("X-Progress") != "half" {
			t.Errorf("%s: then %d %v, want 102 with progress", accept, processing.StatusCode, processing.Header)
		}
		goOn <- struct{}{}
		final := c.answer(t)
		body, err := io.ReadAll(final.Body)
		plain := string(body)
		if accept != "identity" && err == nil {
			plain, err = undo(accept, body)
		}
		if err != nil || final.StatusCode != 202 || plain != text || final.Header.Get("X-Progress") != "" || final.Header.Get("Vary") == "" {
			t.Errorf("%s: at last %d %v, %v, want 202 with the text", accept, final.StatusCode, final.Header, err)
		}
	}
}

// What follows an interim answer may be anything.
func TestCompressAfterAnInterimAnswer(t *testing.T) {
	text := realText(t, 5000)
	for _, tt := range []struct {
		method string
		final  func(w http.ResponseWriter)
		status int
		coding string
		reason string
	}{
		{"GET", func(w http.ResponseWriter) { w.WriteHeader(204) }, 204, "", "no body"},
		{"GET", func(w http.ResponseWriter) { w.WriteHeader(304) }, 304, "", "no body"},
		{"GET", func(http.ResponseWriter) {}, 200, "", "nothing at all"},
		{"GET", func(w http.ResponseWriter) { io.WriteString(w, text) }, 200, "gzip", "a status that is not said"},
		{"HEAD", func(w http.ResponseWriter) { io.WriteString(w, text) }, 200, "gzip", "HEAD"},
		{"GET", func(w http.ResponseWriter) { http.NewResponseController(w).Flush() }, 200, "gzip", "a flush"},
		{"GET", func(w http.ResponseWriter) { http.Error(w, "none", 404) }, 404, "", "an error"},
	} {
		server := serveHandler(t, servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("Etag", `"v1"`)
			for range 3 {
				w.WriteHeader(http.StatusEarlyHints)
			}
			tt.final(w)
		})))
		c := open(t, server, tt.method, acceptGzip)
		for range 3 {
			if early := c.answer(t); early.StatusCode != 103 || early.Header.Get("Etag") != `"v1"` {
				t.Errorf("%s: %d %v, want 103 with the handler's fields", tt.reason, early.StatusCode, early.Header)
			}
		}
		final := c.answer(t)
		if _, err := io.Copy(io.Discard, final.Body); err != nil || final.StatusCode != tt.status || final.Header.Get("Content-Encoding") != tt.coding {
			t.Errorf("%s: %d %v, %v, want %d in %q", tt.reason, final.StatusCode, final.Header, err, tt.status, tt.coding)
		}
	}
}

// A client that waits for 100 (Continue) gets it when the handler reads. See RFC 9110,
// section 10.1.1.
func TestCompressAndContinue(t *testing.T) {
	text := realText(t, 5000)
	server := serveHandler(t, servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, err := io.ReadAll(r.Body)
		if string(got) != "body" || err != nil {
			t.Errorf("the handler reads %q, %v", got, err)
		}
		io.WriteString(w, text)
	})))
	c := open(t, server, "POST", acceptGzip, "Expect: 100-continue", "Content-Length: 4")
	if first := c.answer(t); first.StatusCode != 100 {
		t.Errorf("first %s, want 100", first.Status)
	}
	io.WriteString(c, "body")
	final := c.answer(t)
	body, err := io.ReadAll(final.Body)
	if plain, undone := undo("gzip", body); err != nil || undone != nil || plain != text {
		t.Errorf("%s, %v, %v, want the text", final.Status, err, undone)
	}
}
