package servery_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"servery"
	"servery/internal/testkit"
)

// HTTP/1.0 has no chunks: a body has its exact length, and the connection goes on, or it
// ends with the connection. See RFC 9112, sections 6.1, 6.3 and 9.3.
func TestCompressHTTP10(t *testing.T) {
	text, noise := realText(t, 40_000), incompressible(1<<20)
	flushed := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			io.WriteString(w, body[:len(body)/2])
			w.(http.Flusher).Flush()
			io.WriteString(w, body[len(body)/2:])
		}
	}
	for _, tt := range []struct {
		handler http.HandlerFunc
		body    string
		coded   bool
		length  bool
		reason  string
	}{
		{says(200, text[:5000], textType), text[:5000], true, true, "collected"},
		{says(200, strings.Repeat("a", 200_000), textType), strings.Repeat("a", 200_000), true, true, "a short coded form"},
		{says(200, noise, textType), noise, true, false, "streamed"},
		{says(200, noise, textType, "Content-Length: 1048576"), noise, true, false, "streamed, with a length that is not its own"},
		{flushed(text), text, true, false, "flushed"},
		{says(200, text[:500], textType), text[:500], false, true, "too small"},
		{says(200, text, "Content-Type: image/png", "Content-Length: 40000"), text, false, true, "a type that is never coded"},
		{says(200, text, "Content-Type: image/png"), text, false, false, "a type that is never coded, of unknown length"},
	} {
		for _, b := range builtIn {
			server := serveHandler(t, servery.Compress(nil)(tt.handler))
			c := server.Dial()
			c.SetDeadline(time.Now().Add(testkit.Patience))
			reader := bufio.NewReader(c.Conn)
			response, body := askHTTP10(t, c, reader, b.coding)
			plain, err := body, error(nil)
			if tt.coded {
				plain, err = undo(b.coding, []byte(body))
			}
			coded := response.Header.Get("Content-Encoding") == b.coding
			if plain != tt.body || err != nil || coded != tt.coded || len(response.TransferEncoding) > 0 {
				t.Errorf("%s in %s: %v, %v, want coded %v without chunks", tt.reason, b.coding, response.Header, err, tt.coded)
			}
			if length := response.ContentLength >= 0; length != tt.length || response.Close == tt.length {
				t.Errorf("%s in %s: %v, want a length and the connection to go on: %v", tt.reason, b.coding, response.Header, tt.length)
			}
			if tt.length {
				if _, again := askHTTP10(t, c, reader, b.coding); again != body {
					t.Errorf("%s in %s: the next answer on the connection is another", tt.reason, b.coding)
				}
			}
		}
	}
}

func askHTTP10(t *testing.T, w io.Writer, r *bufio.Reader, coding string) (*http.Response, string) {
	t.Helper()
	fmt.Fprintf(w, "GET / HTTP/1.0\r\nConnection: keep-alive\r\nAccept-Encoding: %s\r\n\r\n", coding)
	response, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatalf("%s: %v", coding, err)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Errorf("%s: %v", coding, err)
	}
	return response, string(body)
}

// HEAD goes on, without a body to frame.
func TestCompressHTTP10Head(t *testing.T) {
	server := serveHandler(t, servery.Compress(nil)(says(200, "", textType, "Content-Length: 5000", `ETag: "v1"`)))
	got, err := raw(t, server, "HEAD / HTTP/1.0\r\nAccept-Encoding: gzip\r\n\r\n")
	head, body, _ := strings.Cut(got, "\r\n\r\n")
	if err != nil || body != "" || !strings.Contains(head, "Content-Encoding: gzip") || strings.Contains(head, "Content-Length") || !strings.Contains(head, `"v1-gz6.1"`) {
		t.Errorf("got %q, %v, want a coded head without a length", got, err)
	}
}
