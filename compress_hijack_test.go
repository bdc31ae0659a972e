package servery_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"servery"
)

// hijacks are the ways to take the connection over.
var hijacks = map[string]func(w http.ResponseWriter) (net.Conn, *bufio.ReadWriter, error){
	"Hijacker": func(w http.ResponseWriter) (net.Conn, *bufio.ReadWriter, error) { return w.(http.Hijacker).Hijack() },
	"ResponseController": func(w http.ResponseWriter) (net.Conn, *bufio.ReadWriter, error) {
		return http.NewResponseController(w).Hijack()
	},
}

// A connection that was taken over is the handler's: nothing else is written to it.
func TestCompressHijack(t *testing.T) {
	const request = "GET / HTTP/1.1\r\nHost: test\r\nAccept-Encoding: gzip\r\n\r\n"
	const own = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nown"
	text := realText(t, 5000)
	for name, hijack := range hijacks {
		server := serveLoosely(t, servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			conn, rw, err := hijack(w)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
			defer conn.Close()
			rw.WriteString(own)
			rw.Flush()
			useAfterHijack(t, w, text, name)
		})))
		if got, err := raw(t, server, request); got != own || err != nil {
			t.Errorf("%s: got %q, %v, want what the handler wrote", name, got, err)
		}
	}
}

// useAfterHijack does all that a writer offers, none of which may have an effect.
func useAfterHijack(t *testing.T, w http.ResponseWriter, text, reason string) {
	t.Helper()
	w.WriteHeader(201)
	w.WriteHeader(103)
	if n, err := w.Write([]byte(text)); n != 0 || !errors.Is(err, http.ErrHijacked) {
		t.Errorf("%s: Write: %d, %v, want http.ErrHijacked", reason, n, err)
	}
	if n, err := io.WriteString(w, text); n != 0 || !errors.Is(err, http.ErrHijacked) {
		t.Errorf("%s: WriteString: %d, %v, want http.ErrHijacked", reason, n, err)
	}
	if n, err := io.Copy(w, onlyReader{strings.NewReader(text)}); n != 0 || !errors.Is(err, http.ErrHijacked) {
		t.Errorf("%s: io.Copy: %d, %v, want http.ErrHijacked", reason, n, err)
	}
	if err := http.NewResponseController(w).Flush(); err == nil {
		t.Errorf("%s: Flush after a hijack succeeds", reason)
	}
	if _, _, err := http.NewResponseController(w).Hijack(); err == nil {
		t.Errorf("%s: a second hijack succeeds", reason)
	}
}

// What was begun comes before what the handler writes itself, and nothing comes after that.
func TestCompressHijackAfterWrites(t *testing.T) {
	const request = "GET / HTTP/1.1\r\nHost: test\r\nAccept-Encoding: gzip\r\n\r\n"
	text := realText(t, 40_000)
	for reason, begin := range map[string]func(w http.ResponseWriter){
		"WriteHeader":   func(w http.ResponseWriter) { w.WriteHeader(200) },
		"a small Write": func(w http.ResponseWriter) { io.WriteString(w, "small") },
		"some Writes":   func(w http.ResponseWriter) { writePieces(w, text[:5000], 500) },
		"a long Write":  func(w http.ResponseWriter) { io.WriteString(w, text) },
		"a flush":       func(w http.ResponseWriter) { io.WriteString(w, "small"); w.(http.Flusher).Flush() },
	} {
		opts, limiter := oneStream()
		server := serveLoosely(t, servery.Compress(opts)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			begin(w)
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Errorf("%s: %v", reason, err)
				return
			}
			defer conn.Close()
			io.WriteString(conn, "own end")
			useAfterHijack(t, w, text, reason)
		})))
		got, err := raw(t, server, request)
		if !strings.HasPrefix(got, "HTTP/1.1 200 OK\r\n") || !strings.HasSuffix(got, "own end") || err != nil {
			t.Errorf("%s: got %q, %v, want a head, and the handler's own end", reason, got, err)
		}
		if s := limiter.Stats(); s.Active != 0 || s.Streams != 0 {
			t.Errorf("%s: %+v, want all given back", reason, s)
		}
	}
}

// Deadlines are those of the connection.
func TestCompressDeadlines(t *testing.T) {
	noise := incompressible(1 << 20)
	for _, accept := range []string{"gzip", "zstd", "identity"} {
		failure := make(chan error, 1)
		server := serveLoosely(t, servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			if err := http.NewResponseController(w).SetWriteDeadline(time.Unix(1, 0)); err != nil {
				t.Errorf("SetWriteDeadline: %v", err)
			}
			_, err := io.WriteString(w, noise)
			failure <- err
		})))
		got, _ := raw(t, server, "GET / HTTP/1.1\r\nHost: test\r\nConnection: close\r\nAccept-Encoding: "+accept+"\r\n\r\n")
		if err := receive(t, failure, "the Write ends"); !errors.Is(err, os.ErrDeadlineExceeded) || got != "" {
			t.Errorf("%s: Write: %v, %d bytes came, want the deadline's error and none", accept, err, len(got))
		}
	}
	failure := make(chan error, 1)
	server := serveLoosely(t, servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0)); err != nil {
			t.Errorf("SetReadDeadline: %v", err)
		}
		_, err := io.ReadAll(r.Body)
		failure <- err
	})))
	c := server.Dial()
	c.Send("POST", "/", acceptGzip, "Content-Length: 5")
	if err := receive(t, failure, "the reading ends"); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("reading the body: %v, want the deadline's error", err)
	}
}

// With full duplex a handler answers to what it has read so far.
func TestCompressFullDuplex(t *testing.T) {
	for _, b := range builtIn {
		server := serveHandler(t, servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			controller := http.NewResponseController(w)
			if err := controller.EnableFullDuplex(); err != nil {
				t.Errorf("EnableFullDuplex: %v", err)
			}
			w.Header().Set("Content-Type", "text/plain")
			lines := bufio.NewReader(r.Body)
			for {
				line, err := lines.ReadString('\n')
				if err != nil {
					return
				}
				io.WriteString(w, strings.ToUpper(line))
				controller.Flush()
			}
		})))
		c := open(t, server, "POST", "Accept-Encoding: "+b.coding, "Transfer-Encoding: chunked")
		send := func(line string) { fmt.Fprintf(c, "%x\r\n%s\r\n", len(line), line) }
		send("first\n")
		response := c.answer(t)
		plain := undoing(t, b.coding, response.Body)
		wantNext(t, plain, "FIRST\n", b.coding)
		for range 20 {
			send("another\n")
			wantNext(t, plain, "ANOTHER\n", b.coding)
		}
		io.WriteString(c, "0\r\n\r\n")
		if rest, err := io.ReadAll(plain); len(rest) > 0 || err != nil {
			t.Errorf("%s: %q, %v at the end", b.coding, rest, err)
		}
	}
}

// A handler that asks what its writer can do learns what the connection can do.
func TestCompressOffersWhatTheWriterCan(t *testing.T) {
	type abilities struct{ flush, hijack, push, closes, readFrom, writeString bool }
	ask := func(w http.ResponseWriter) (a abilities) {
		_, a.flush = w.(http.Flusher)
		_, a.hijack = w.(http.Hijacker)
		_, a.push = w.(http.Pusher)
		_, a.closes = w.(interface{ CloseNotify() <-chan bool })
		_, a.readFrom = w.(io.ReaderFrom)
		_, a.writeString = w.(io.StringWriter)
		return a
	}
	var got abilities
	handler := servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { got = ask(w) }))
	fetch(t, serveHandler(t, handler), "GET", "/")
	if want := (abilities{flush: true, hijack: true, closes: true, readFrom: true, writeString: true}); got != want {
		t.Errorf("HTTP/1.1: %+v, want %+v", got, want)
	}
	response, err := http2Server(t, handler).Client().Get(http2Server(t, handler).URL)
	if err != nil {
		t.Fatal(err)
	}
	readAll(t, response)
	if want := (abilities{flush: true, push: true, closes: true, readFrom: true, writeString: true}); got != want {
		t.Errorf("HTTP/2: %+v, want %+v", got, want)
	}
	least := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(mute{w}, r) })
	fetch(t, serveHandler(t, least), "GET", "/")
	if want := (abilities{readFrom: true, writeString: true}); got != want {
		t.Errorf("the least: %+v, want %+v", got, want)
	}
	limited := http.TimeoutHandler(handler, time.Minute, "") // whose writer can push, and neither flush nor hijack
	fetch(t, serveHandler(t, limited), "GET", "/")
	if want := (abilities{push: true, readFrom: true, writeString: true}); got != want {
		t.Errorf("within a TimeoutHandler: %+v, want %+v", got, want)
	}
}
