package servery_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"

	"servery"
	"servery/internal/testkit"
)

// A client may say that it asks for no more and read on (RFC 9112, section 9.6).
// net/http then ends the context of the request. So may the application, when it shuts
// down. What was begun is not torn by either, as it is not without Compress.
func TestCompressGoesOnAfterTheContext(t *testing.T) {
	text := realText(t, 300_000)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, text[:10])
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
		writePieces(w, text[10:], 10_000)
	})
	t.Run("half-closed", func(t *testing.T) {
		both := serveTwins(t, nil, handler)
		for name, server := range map[string]*testkit.Server{"bare": both.bare, "inside": both.inside} {
			c := server.Dial()
			c.Send("GET", "/", acceptGzip)
			if err := c.Conn.(*net.TCPConn).CloseWrite(); err != nil {
				t.Fatal(err)
			}
			if plain, err := readWhole(c.Conn); plain != text || err != nil {
				t.Errorf("%s: %d bytes, %v, want %d", name, len(plain), err, len(text))
			}
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		inner := servery.Compress(nil)(handler)
		server := serveLoosely(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithCancel(r.Context())
			go cancel()
			inner.ServeHTTP(w, r.WithContext(ctx))
		}))
		c := server.Dial()
		c.Send("GET", "/", acceptGzip)
		if plain, err := readWhole(c.Conn); plain != text || err != nil {
			t.Errorf("%d bytes, %v, want %d", len(plain), err, len(text))
		}
	})
}
