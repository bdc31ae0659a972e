package servery_test

import (
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"servery"
	"servery/internal/testkit"
)

// Types of frames (RFC 9113, section 6), and settings.
const (
	frameHeaders, frameReset, frameSettings = 1, 3, 4

	endOfStreamAndHeaders = 0x1 | 0x4
	settingWindow         = 4
)

// stingy is a client that speaks HTTP/2 and never takes a byte of a body.
type stingy struct {
	net.Conn
	t *testing.T
}

func dialStingy(t *testing.T, server *testkit.Server) stingy {
	t.Helper()
	c := stingy{server.Dial().Conn, t}
	c.SetDeadline(time.Now().Add(testkit.Patience))
	io.WriteString(c, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
	c.frame(frameSettings, 0, 0, []byte{0, settingWindow, 0, 0, 0, 0})
	return c
}

func (c stingy) frame(kind, flags byte, stream uint32, payload []byte) {
	c.t.Helper()
	b := append([]byte{0, 0, byte(len(payload)), kind, flags}, binary.BigEndian.AppendUint32(nil, stream)...)
	if _, err := c.Write(append(b, payload...)); err != nil {
		c.t.Fatal(err)
	}
}

// get asks for "/" with "gzip, deflate": all of it is in the static table of RFC 7541, but for the authority.
func (c stingy) get(stream uint32) {
	c.t.Helper()
	c.frame(frameHeaders, endOfStreamAndHeaders, stream, []byte("\x82\x86\x84\x01\x04test\x90"))
}

// awaitHeads waits for the heads of that many answers.
func (c stingy) awaitHeads(n int) {
	c.t.Helper()
	for n > 0 {
		var head [9]byte
		if _, err := io.ReadFull(c, head[:]); err != nil {
			c.t.Fatal(err)
		}
		if _, err := io.CopyN(io.Discard, c, int64(binary.BigEndian.Uint32(head[:])>>8)); err != nil {
			c.t.Fatal(err)
		}
		if head[3] == frameHeaders {
			n--
		}
	}
}

// serveBothProtocols serves HTTP/1.1 and HTTP/2 in clear text.
func serveBothProtocols(t *testing.T, handler http.Handler) *testkit.Server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: handler, Protocols: new(http.Protocols)}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	ended := make(chan error)
	go func() { ended <- server.Serve(listener) }()
	t.Cleanup(func() { server.Close(); <-ended })
	return testkit.Connect(t, listener.Addr().String())
}

// A window of zero holds up one response and no worker, and a reset lets go of it.
func TestCompressHTTP2WindowOfZero(t *testing.T) {
	const streams = 20
	limiter := servery.NewLimiter(servery.LimiterOptions{Workers: 1, Queue: -1, Streams: streams})
	noise := incompressible(1 << 20)
	ended := make(chan error, streams+1)
	server := serveBothProtocols(t, servery.Compress(&servery.CompressOptions{Limiter: limiter, OffloadThreshold: 1})(http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			_, err := io.WriteString(w, noise)
			ended <- err
		})))
	c := dialStingy(t, server)
	for i := range uint32(streams) {
		c.get(2*i + 1)
		c.awaitHeads(1)
	}
	if s := limiter.Stats(); s.Active != 0 || s.Streams != streams {
		t.Errorf("%+v, want no worker held by %d clients that take nothing", s, streams)
	}
	other := server.Dial()
	other.Send("GET", "/", acceptGzip)
	if plain, err := readWhole(other.Conn); plain != noise || err != nil {
		t.Errorf("meanwhile: %d bytes, %v", len(plain), err)
	}
	if err := receive(t, ended, "the other's handler ends"); err != nil {
		t.Error(err)
	}
	for i := range uint32(streams) {
		c.frame(frameReset, 0, 2*i+1, []byte{0, 0, 0, 8})
	}
	for range streams {
		if err := receive(t, ended, "a handler learns of the reset"); err == nil {
			t.Error("a Write for a stream that was reset succeeds")
		}
	}
	eventually(t, "all is given back", func() bool { return limiter.Stats().Streams == 0 })
	other = server.Dial()
	other.Send("GET", "/", acceptGzip)
	if plain, err := readWhole(other.Conn); plain != noise || err != nil {
		t.Errorf("afterwards: %d bytes, %v", len(plain), err)
	}
}

// So it is with connections that nobody reads from, when they are reset.
func TestCompressSlowReadersLeaveNothing(t *testing.T) {
	const clients = 24
	before := testkit.Holding()
	limiter := servery.NewLimiter(servery.LimiterOptions{Workers: 1, Queue: 64, Streams: clients / 2})
	noise := incompressible(6 << 20)
	server := serveLoosely(t, servery.Compress(&servery.CompressOptions{Limiter: limiter})(says(200, noise, textType)))
	var conns []*testkit.Conn
	for i := range clients {
		c := server.Dial()
		_ = c.Conn.(*net.TCPConn).SetReadBuffer(4 << 10)
		c.Send("GET", "/", acceptGzip)
		if i%2 == 0 {
			io.ReadFull(c.Conn, make([]byte, 1000*i))
		}
		conns = append(conns, c)
	}
	eventually(t, "all encoders are out and nobody works", func() bool { s := limiter.Stats(); return s.Active == 0 && s.Queued == 0 && s.Streams == clients/2 })
	for i, c := range conns {
		if i%3 > 0 {
			c.Conn.(*net.TCPConn).SetLinger(0)
		}
		c.Close()
	}
	eventually(t, "all is given back", func() bool { s := limiter.Stats(); return s.Active == 0 && s.Queued == 0 && s.Streams == 0 })
	c := server.Dial()
	c.Send("GET", "/", acceptGzip)
	if plain, err := readWhole(c.Conn); plain != noise || err != nil {
		t.Errorf("afterwards: %d bytes, %v", len(plain), err)
	}
	c.Close()
	before.Goroutines += 2 // of the server and its listener, which is also the descriptor
	before.Descriptors++
	if err := before.Regained(); err != nil {
		t.Error(err)
	}
}
