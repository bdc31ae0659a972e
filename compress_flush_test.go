package servery_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"

	"servery"
)

// flushes are the ways to flush.
var flushes = map[string]func(w http.ResponseWriter) error{
	"Flusher": func(w http.ResponseWriter) error { w.(http.Flusher).Flush(); return nil },
	"FlushError": func(w http.ResponseWriter) error {
		return w.(interface{ FlushError() error }).FlushError()
	},
	"ResponseController": func(w http.ResponseWriter) error { return http.NewResponseController(w).Flush() },
}

// events are what a handler sends one by one, each only when the one before has been read.
var events = []string{"data: 1\n\n", "", "data: two\n\n", "x", "data: " + string(make([]byte, 70_000)) + "\n\n", "data: end\n\n"}

// Each flush brings the head, and all that was written before it.
func TestCompressFlushesEachEvent(t *testing.T) {
	for _, tt := range []struct{ mediaType, accept, coding, reason string }{
		{"text/plain", "gzip", "gzip", "coded"},
		{"text/plain", "zstd", "zstd", "coded"},
		{"application/x-ndjson", "gzip", "gzip", "coded lines of JSON"},
		{"text/event-stream", "gzip", "", "events are never coded"},
		{"text/event-stream; charset=utf-8", "zstd", "", "events are never coded"},
		{"text/plain", "identity", "", "not wanted in a coding"},
		{"image/png", "gzip", "", "a type that is never coded"},
	} {
		for name, flush := range flushes {
			reason := tt.reason + ", by " + name
			read := make(chan struct{})
			server := serveHandler(t, servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tt.mediaType)
				for _, event := range append([]string{""}, events...) {
					if event != "" {
						io.WriteString(w, event)
					}
					if err := flush(w); err != nil {
						t.Errorf("%s: %v", reason, err)
					}
					<-read
				}
			})))
			c := open(t, server, "GET", "Accept-Encoding: "+tt.accept)
			response := c.answer(t) // of the flush before anything was written
			if response.Header.Get("Content-Encoding") != tt.coding || response.ContentLength >= 0 {
				t.Errorf("%s: head %v, want coding %q and no length", reason, response.Header, tt.coding)
			}
			read <- struct{}{}
			var plain io.Reader = response.Body
			for i, event := range events {
				if i == 0 && tt.coding != "" {
					plain = undoing(t, tt.coding, response.Body)
				}
				wantNext(t, plain, event, reason)
				read <- struct{}{}
			}
			if rest, err := io.ReadAll(plain); len(rest) > 0 || err != nil {
				t.Errorf("%s: %d bytes at the end, %v, want none", reason, len(rest), err)
			}
			wantEnd(t, c, response, reason)
		}
	}
}

// wantEnd demands that the body is at its end and that the connection is in order.
func wantEnd(t *testing.T, c *wire, response *http.Response, reason string) {
	t.Helper()
	if n, err := io.Copy(io.Discard, response.Body); n > 0 || err != nil {
		t.Errorf("%s: %d bytes after the end, %v", reason, n, err)
	}
	c.Send("OPTIONS", "/")
	c.method = "OPTIONS"
	if second := c.answer(t); second.StatusCode != http.StatusNoContent {
		t.Errorf("%s: the next answer is %s", reason, second.Status)
	}
}

// A flush decides, whatever there is by then, and the fields are those of any coded answer.
func TestCompressDecidesAtAFlush(t *testing.T) {
	text := realText(t, 40_000)
	flush := func(w http.ResponseWriter) { http.NewResponseController(w).Flush() }
	for _, tt := range []struct {
		fields []string
		write  func(w http.ResponseWriter)
		coded  bool
		vary   bool // of an answer that is not coded
		reason string
	}{
		{[]string{textType, `ETag: "v1"`, "Accept-Ranges: bytes"}, func(w http.ResponseWriter) { flush(w); io.WriteString(w, text) }, true, false, "before all"},
		{[]string{textType}, func(w http.ResponseWriter) { io.WriteString(w, "x"); flush(w); io.WriteString(w, text) }, true, false, "after one byte"},
		{[]string{textType}, func(w http.ResponseWriter) { io.WriteString(w, text); flush(w) }, true, false, "after all"},
		{[]string{textType}, func(w http.ResponseWriter) { io.WriteString(w, "small"); flush(w) }, true, false, "after all of a small body"},
		{[]string{textType}, func(w http.ResponseWriter) {
			w.WriteHeader(201)
			flush(w)
			flush(w)
			io.WriteString(w, text)
			flush(w)
			flush(w)
		}, true, false, "twice"},
		{[]string{textType, "Content-Length: 40000"}, func(w http.ResponseWriter) { flush(w); io.WriteString(w, text) }, true, false, "before all of a declared length"},
		{[]string{textType, "Content-Length: 5"}, func(w http.ResponseWriter) { flush(w); io.WriteString(w, "small") }, false, false, "declared as too small"},
		{nil, func(w http.ResponseWriter) { flush(w); io.WriteString(w, text) }, false, false, "before a type is known"},
		{nil, func(w http.ResponseWriter) { io.WriteString(w, "text"); flush(w); io.WriteString(w, text) }, true, false, "when a type can be told"},
		{[]string{"Content-Type: image/png"}, func(w http.ResponseWriter) { flush(w); io.WriteString(w, text) }, false, false, "of a type that is never coded"},
		{[]string{textType}, func(w http.ResponseWriter) { w.WriteHeader(204); flush(w) }, false, false, "without a body"},
		{[]string{textType, `ETag: "v1"`}, func(w http.ResponseWriter) { w.WriteHeader(304); flush(w) }, false, true, "not modified"},
	} {
		s := serveTwins(t, nil, func(w http.ResponseWriter, _ *http.Request) {
			setFields(w.Header(), tt.fields)
			tt.write(w)
		})
		for _, b := range builtIn {
			bare, got := s.ask(t, "GET", "Accept-Encoding: "+b.coding)
			if !tt.coded {
				wantSame(t, bare, got, tt.vary, tt.reason)
				continue
			}
			wantCodedLike(t, bare, got, b.coding, tt.reason)
			if got.Header.Get("Content-Length") != "" {
				t.Errorf("%s: got\n%s, want no length of what was not known yet", tt.reason, got.Head)
			}
		}
	}
}

// An answer that was begun as a coded one and then stays empty is an empty one in that coding.
func TestCompressFlushOfNothing(t *testing.T) {
	for _, b := range builtIn {
		server := serveHandler(t, servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			http.NewResponseController(w).Flush()
		})))
		got := fetch(t, server, "GET", "/", "Accept-Encoding: "+b.coding)
		plain, err := undo(b.coding, got.Body)
		if coding := got.Header.Get("Content-Encoding"); coding != b.coding || plain != "" || err != nil {
			t.Errorf("%s: %q, %v, got\n%s, want an empty body in it", b.coding, plain, err, got.Head)
		}
	}
}

// mute hides all that a writer can do beyond the least.
type mute struct{ http.ResponseWriter }

// Where the writer cannot flush nobody is told that it can, and nothing happens.
func TestCompressWithoutAFlusher(t *testing.T) {
	text := realText(t, 5000)
	inner := servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		if _, ok := w.(http.Flusher); ok {
			t.Error("a writer says that it can flush, and cannot")
		}
		if err := http.NewResponseController(w).Flush(); !errors.Is(err, http.ErrNotSupported) {
			t.Errorf("Flush: %v, want http.ErrNotSupported", err)
		}
		w.WriteHeader(201) // that it is not too late for
		io.WriteString(w, text)
		http.NewResponseController(w).Flush()
	}))
	server := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { inner.ServeHTTP(mute{w}, r) }))
	got := fetch(t, server, "GET", "/", acceptGzip)
	plain, err := undo("gzip", got.Body)
	if got.Status != 201 || err != nil || plain != text || got.Header.Get("Content-Length") != fmt.Sprint(len(got.Body)) {
		t.Errorf("got\n%s, %v, want 201 with the text in gzip and its length", got.Head, err)
	}
}
