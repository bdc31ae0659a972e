package servery_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"servery"
	"servery/internal/testkit"
)

// mixed answers by the path, in all the ways that handlers have.
func mixed(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body := strings.TrimPrefix(r.URL.Path, "/") + text
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Etag", `"v1"`)
		switch r.URL.RawQuery {
		case "declared":
			w.Header().Set("Content-Length", fmt.Sprint(len(body)))
			io.WriteString(w, body)
		case "flush":
			for len(body) > 0 {
				n := min(len(body), 9000)
				io.WriteString(w, body[:n])
				http.NewResponseController(w).Flush()
				body = body[n:]
			}
		case "pieces":
			writePieces(w, body, 777)
		case "copy":
			io.Copy(w, onlyReader{strings.NewReader(body)})
		case "content":
			http.ServeContent(w, r, "page.html", testkit.Past, newSection(body))
		case "panic":
			io.WriteString(w, body)
			panic(http.ErrAbortHandler)
		case "image":
			w.Header().Set("Content-Type", "image/png")
			io.WriteString(w, body)
		case "small":
			io.WriteString(w, body[:100])
		default:
			io.WriteString(w, body)
		}
	}
}

// Many clients of all kinds at once get their own answer each, and in the end nothing is held.
func TestCompressConcurrently(t *testing.T) {
	const clients, rounds = 64, 6
	text := realText(t, 60_000)
	queries := []string{"declared", "flush", "pieces", "copy", "content", "panic", "image", "small", "plain"}
	accepts := []string{"gzip", "zstd", "identity", "gzip, zstd;q=0.5", "br"}
	limiter := servery.NewLimiter(servery.LimiterOptions{Workers: 2, Queue: 4, Streams: 8})
	server := serveLoosely(t, servery.Compress(&servery.CompressOptions{Limiter: limiter, OffloadThreshold: 30_000})(mixed(text)))
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() {
			for round := range rounds {
				n := i*rounds + round
				query, accept := queries[n%len(queries)], accepts[n%len(accepts)]
				name := fmt.Sprintf("client-%d-%d ", i, round)
				method := "GET"
				if n%7 == 0 {
					method = "HEAD"
				}
				c := server.Dial()
				c.Send(method, "/"+strings.TrimSpace(name)+"?"+query, "Accept-Encoding: "+accept)
				if n%11 == 0 { // it leaves at once
					c.Close()
					continue
				}
				wantMixed(t, c, method, query, strings.TrimSpace(name)+text)
				c.Close()
			}
		})
	}
	wg.Wait()
	eventually(t, "all is given back", func() bool { s := limiter.Stats(); return s.Active == 0 && s.Queued == 0 && s.Streams == 0 })
}

// wantMixed demands the answer of mixed, which may be coded or not.
func wantMixed(t *testing.T, c *testkit.Conn, method, query, body string) {
	t.Helper()
	if query == "panic" {
		got, _ := io.ReadAll(c.Conn) // nothing, or what breaks off
		if strings.HasSuffix(string(got), "\r\n0\r\n\r\n") {
			t.Errorf("%s %s: it seems to be whole", method, query)
		}
		return
	}
	got := c.Read(method)
	coding := got.Header.Get("Content-Encoding")
	plain, err := string(got.Body), error(nil)
	if coding != "" && method == "GET" {
		plain, err = undo(coding, got.Body)
	}
	if query == "small" {
		body = body[:100]
	}
	if method == "HEAD" {
		body = ""
	}
	if err != nil || got.Err != nil || got.Status != 200 || plain != body {
		t.Errorf("%s %s: %v, %v, %d bytes, got\n%s, want %d bytes", method, query, err, got.Err, len(plain), got.Head, len(body))
	}
	want := `"v1"`
	if coding != "" {
		want = suffixed(want, coding)
	}
	if got.Header.Get("Etag") != want {
		t.Errorf("%s %s: tag %s in %q, want %s", method, query, got.Header.Get("Etag"), coding, want)
	}
}
