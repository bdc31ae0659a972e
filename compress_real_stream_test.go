package servery_test

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"servery"
	"servery/internal/testkit"
)

// streaming answers with its type and sends each line when it is told, but the head
// at once.
func streaming(contentType string, lines <-chan string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		controller := http.NewResponseController(w)
		controller.Flush()
		for {
			select {
			case line, ok := <-lines:
				if !ok {
					return
				}
				fmt.Fprintf(w, "%s\n\n", line)
				controller.Flush()
			case <-r.Context().Done():
				return
			}
		}
	})
}

// Nothing of a stream waits for what comes after it, neither the head nor a line,
// with a proxy in between or without.
func TestCompressStreamsByProxy(t *testing.T) {
	for _, tt := range []struct {
		name, contentType, coding string
		proxied                   bool
		reason                    string
	}{
		{"events", "text/event-stream", "", false, "event streams are never coded"},
		{"events by proxy", "text/event-stream", "", true, "the proxy flushes from a timer, too"},
		{"lines", "application/x-ndjson", "gzip", false, "coded, and decodable after each flush"},
		{"lines by proxy", "application/x-ndjson", "gzip", true, "a proxy flushes what has no length"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const count = 5
			lines := make(chan string, count)
			handler := streaming(tt.contentType, lines)
			if tt.proxied {
				handler = proxyTo(t, handler)
			}
			everything := servery.Compress(&servery.CompressOptions{Compressible: func(string) bool { return true }})
			response := openAnswer(t, testkit.Serve(t, everything(handler)), "gzip")
			defer response.Body.Close()
			if got := response.Header.Get("Content-Encoding"); got != tt.coding {
				t.Fatalf("coding %q, want %q: %s", got, tt.coding, tt.reason)
			}
			plain := bufio.NewReader(&onDemand{response: response})
			for i := range count {
				sent := fmt.Sprintf("data: %d", i)
				lines <- sent
				got, err := plain.ReadString('\n')
				if _, end := plain.ReadString('\n'); err != nil || end != nil || got != sent+"\n" {
					t.Fatalf("got %q, %v, want %q at once: %s", got, errors.Join(err, end), sent, tt.reason)
				}
			}
			close(lines)
			if rest, err := io.ReadAll(plain); err != nil || len(rest) > 0 {
				t.Errorf("at the end %q, %v, want a regular end: %s", rest, err, tt.reason)
			}
		})
	}
}

// onDemand undoes gzip, whose head it expects when somebody reads.
type onDemand struct {
	response *http.Response
	plain    io.Reader
}

func (o *onDemand) Read(p []byte) (int, error) {
	if o.plain == nil {
		o.plain = o.response.Body
		if o.response.Header.Get("Content-Encoding") == "gzip" {
			r, err := gzip.NewReader(o.response.Body)
			if err != nil {
				return 0, err
			}
			o.plain = r
		}
	}
	return o.plain.Read(p)
}

// openAnswer sends a request and returns when the head of the answer is there.
func openAnswer(t *testing.T, server *testkit.Server, accept string) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+server.Addr, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept-Encoding", accept)
	transport := &http.Transport{DisableCompression: true, ResponseHeaderTimeout: testkit.Patience}
	t.Cleanup(transport.CloseIdleConnections)
	linted := testkit.Linting(t, transport, testkit.LintHandler)
	response, err := (&http.Client{Transport: linted, Timeout: 2 * testkit.Patience}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

// What breaks off at the origin breaks off at the client: no document that is
// shorter than it should be looks whole.
func TestCompressProxyBreaksOff(t *testing.T) {
	list := readableJSON(200_000)
	for _, tt := range []struct {
		length, sent int
		reason       string
	}{
		{0, 2_000, "within the buffer, of unknown length"},
		{5_000, 2_000, "within the buffer, short of its length"},
		{0, 100_000, "after the head is out"},
		{200_000, 100_000, "after the head is out, short of its length"},
	} {
		proxy := proxyTo(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if tt.length > 0 {
				w.Header().Set("Content-Length", strconv.Itoa(tt.length))
			}
			io.WriteString(w, list[:tt.sent])
			http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}))
		server := httptest.NewServer(servery.Compress(nil)(proxy))
		for _, accept := range []string{"gzip", "zstd", "identity"} {
			if body, err := fetchCoded(server.URL, accept); err == nil {
				t.Errorf("%s: %s: %d bytes that look whole", tt.reason, accept, len(body))
			}
		}
		server.Close()
	}
}

// fetchCoded returns the answer's body as it was sent.
func fetchCoded(url, accept string) ([]byte, error) {
	request, err := http.NewRequest("GET", url, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept-Encoding", accept)
	transport := &http.Transport{DisableCompression: true, DisableKeepAlives: true}
	response, err := (&http.Client{Transport: transport, Timeout: testkit.Patience}).Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return io.ReadAll(response.Body)
}

// A request to switch protocols goes by, and so does the connection's other life.
func TestCompressProxyUpgrade(t *testing.T) {
	server := serveInside(t, proxyTo(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		line, _ := buffered.ReadString('\n')
		io.WriteString(conn, line)
	})))
	c := server.Dial()
	c.Send("GET", "/", acceptGzip, "Connection: Upgrade", "Upgrade: echo")
	if got := c.Read("HEAD"); got.Status != http.StatusSwitchingProtocols || got.Header.Get("Vary") != "" {
		t.Fatalf("got\n%s, want 101", got.Head)
	}
	const sent = "hello\n"
	io.WriteString(c, sent)
	c.SetDeadline(time.Now().Add(testkit.Patience))
	got := make([]byte, len(sent))
	if _, err := io.ReadFull(c.Conn, got); err != nil || string(got) != sent {
		t.Errorf("got %q, %v back, want %q", got, err, sent)
	}
}
