package load

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// connecting answers with four bytes and counts the connections.
func connecting(t *testing.T, secure bool) (url string, opened *atomic.Int64) {
	t.Helper()
	opened = new(atomic.Int64)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "text")
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.EnableHTTP2 = true // which a client that offers nothing does not get
	if secure {
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	return server.URL, opened
}

func TestRunConnects(t *testing.T) {
	for _, test := range []struct {
		secure, churn bool
		reason        string
	}{
		{false, false, "a connection a client"},
		{false, true, "a connection a request"},
		{true, false, "the same over TLS"},
		{true, true, "the same over TLS"},
	} {
		url, opened := connecting(t, test.secure)
		got, err := Run(Request{URL: url, Churn: test.churn, Connections: 2, Duration: 100 * time.Millisecond})
		if err != nil || got.Err(len("text")) != nil || got.Requests <= 2 {
			t.Errorf("got %+v, %v: %s", got, err, test.reason)
		}
		want := 2
		if test.churn {
			want = got.Requests
		}
		if n := int(opened.Load()); n != want {
			t.Errorf("%d connections for %d requests, want %d: %s", n, got.Requests, want, test.reason)
		}
	}
}

func TestRunReportsALostConnection(t *testing.T) {
	for _, test := range []struct {
		after  string // what the server does when it has answered
		want   string
		reason string
	}{
		{"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nmore", "bytes after", "the last response has an end"},
		{"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nless", "EOF", "a body is cut short"},
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			l.Close() // nobody may come again
			defer conn.Close()
			if _, err := conn.Read(make([]byte, 1<<10)); err == nil {
				io.WriteString(conn, test.after)
			}
		}()
		got, err := Run(Request{URL: "http://" + l.Addr().String(), Churn: true, Connections: 1, Duration: time.Minute})
		if err != nil || got.Errors != 1 || !strings.Contains(got.Failure, test.want) {
			t.Errorf("got %+v, %v, want an error with %q: %s", got, err, test.want, test.reason)
		}
	}
}

func TestRunNeedsAServer(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	for _, churn := range []bool{false, true} {
		got, err := Run(Request{URL: server.URL, Churn: churn, Connections: 2, Duration: time.Minute})
		if err != nil || got.Errors != 2 {
			t.Errorf("nobody listens: got %+v, %v, want an error of each client", got, err)
		}
	}
}
