package servery_test

import (
	"net/http"
	"testing"

	"servery"
)

// pushing is a writer as other middleware makes it for HTTP/2: it pushes and flushes, and no more.
type pushing struct {
	http.ResponseWriter
	http.Flusher
	pushed string
}

func (p *pushing) Push(target string, _ *http.PushOptions) error {
	p.pushed = target
	return nil
}

// What the writer within can do is not lost because it cannot do something else.
func TestCompressOffersPushWithoutCloseNotify(t *testing.T) {
	handler := servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if pusher, ok := w.(http.Pusher); ok {
			pusher.Push("/style.css", nil)
		}
	}))
	fetch(t, serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := &pushing{ResponseWriter: w, Flusher: w.(http.Flusher)}
		handler.ServeHTTP(p, r)
		if p.pushed != "/style.css" {
			t.Errorf("pushed %q, want /style.css", p.pushed)
		}
	})), "GET", "/")
}
