package compat

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	coder "github.com/coder/websocket"
	gorilla "github.com/gorilla/websocket"

	"servery/internal/testkit"
)

// echoGorilla answers each message with itself.
func echoGorilla(compressed bool) http.Handler {
	upgrader := gorilla.Upgrader{EnableCompression: compressed}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			return // and it has answered
		}
		defer conn.Close()
		for {
			kind, message, err := conn.ReadMessage()
			if err != nil || conn.WriteMessage(kind, message) != nil {
				return
			}
		}
	})
}

func echoCoder(compressed bool) http.Handler {
	options := &coder.AcceptOptions{CompressionMode: coderMode(compressed)}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := coder.Accept(w, r, options)
		if err != nil {
			return // and it has answered
		}
		defer conn.CloseNow()
		conn.SetReadLimit(1 << 20)
		for {
			kind, message, err := conn.Read(r.Context())
			if err != nil || conn.Write(r.Context(), kind, message) != nil {
				return
			}
		}
	})
}

func coderMode(compressed bool) coder.CompressionMode {
	if compressed {
		return coder.CompressionContextTakeover
	}
	return coder.CompressionDisabled
}

// dialer connects, and returns what sends a message and waits for the next.
type dialer func(t *testing.T, url string, compressed bool) (exchange func([]byte) ([]byte, error), shaken *http.Response)

func dialGorilla(t *testing.T, url string, compressed bool) (func([]byte) ([]byte, error), *http.Response) {
	d := gorilla.Dialer{EnableCompression: compressed, HandshakeTimeout: testkit.Patience}
	conn, response, err := d.DialContext(t.Context(), url, http.Header{"Accept-Encoding": {"gzip, zstd"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return func(message []byte) ([]byte, error) {
		if err := conn.WriteMessage(gorilla.BinaryMessage, message); err != nil {
			return nil, err
		}
		_, message, err := conn.ReadMessage()
		return message, err
	}, response
}

func dialCoder(t *testing.T, url string, compressed bool) (func([]byte) ([]byte, error), *http.Response) {
	ctx := patient(t)
	conn, response, err := coder.Dial(ctx, url, &coder.DialOptions{
		HTTPClient:      client(t),
		HTTPHeader:      http.Header{"Accept-Encoding": {"gzip, zstd"}},
		CompressionMode: coderMode(compressed),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.CloseNow() })
	conn.SetReadLimit(1 << 20)
	return func(message []byte) ([]byte, error) {
		if err := conn.Write(ctx, coder.MessageBinary, message); err != nil {
			return nil, err
		}
		_, message, err := conn.Read(ctx)
		return message, err
	}, response
}

// A WebSocket has its connection for itself, and may have its own compression.
func TestWebSocket(t *testing.T) {
	servers := map[string]func(bool) http.Handler{"gorilla": echoGorilla, "coder": echoCoder}
	dialers := map[string]dialer{"gorilla": dialGorilla, "coder": dialCoder}
	for serverName, echo := range servers {
		for dialerName, dial := range dialers {
			for _, compressed := range []bool{false, true} {
				name := serverName + " by " + dialerName
				if compressed {
					name += " with permessage-deflate"
				}
				t.Run(name, func(t *testing.T) {
					server := testkit.Serve(t, inside(echo(compressed)))
					exchange, shaken := dial(t, "ws://"+server.Addr, compressed)
					if shaken.StatusCode != http.StatusSwitchingProtocols || shaken.Header.Get("Content-Encoding")+shaken.Header.Get("Vary") != "" {
						t.Errorf("got %s, %v, want 101 and nothing about codings", shaken.Status, shaken.Header)
					}
					if deflate := strings.Contains(shaken.Header.Get("Sec-Websocket-Extensions"), "permessage-deflate"); deflate != compressed {
						t.Errorf("extensions %q, want permessage-deflate: %v", shaken.Header.Get("Sec-Websocket-Extensions"), compressed)
					}
					for _, size := range []int{0, 5, 2000, 200_000} {
						sent := []byte(text(size))
						if got, err := exchange(sent); err != nil || !bytes.Equal(got, sent) {
							t.Fatalf("%d bytes came back as %d, error %v", len(sent), len(got), err)
						}
					}
				})
			}
		}
	}
}

// What is no handshake is an ordinary request, which the library refuses.
func TestWebSocketRefused(t *testing.T) {
	for name, handler := range map[string]http.Handler{"gorilla": echoGorilla(false), "coder": echoCoder(false)} {
		bare := get(t, testkit.Serve(t, handler), "/", acceptGzip)
		got := get(t, testkit.Serve(t, inside(handler)), "/", acceptGzip)
		got.want(t, bare.StatusCode, "", bare.plain, name+": as without Compress")
		if bare.StatusCode < 400 {
			t.Errorf("%s: %s, want a refusal", name, bare.Status)
		}
	}
}
