package servery_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"servery"
	"servery/internal/testkit"
)

var errWire = errors.New("the wire is cut")

// cutListener accepts connections that take so many bytes and no more.
type cutListener struct {
	net.Listener
	room     atomic.Int64 // of the connections to come; negative for no end
	readFrom bool         // they have a ReadFrom, for sendfile
}

func (l *cutListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	cut := &cutConn{c.(*net.TCPConn), l.room.Load()}
	if l.readFrom {
		return cutReaderFrom{cut}, nil
	}
	return struct{ net.Conn }{cut}, nil
}

type cutConn struct {
	*net.TCPConn
	room int64
}

func (c *cutConn) Write(p []byte) (int, error) {
	if c.room < 0 {
		return c.TCPConn.Write(p)
	}
	n, err := c.TCPConn.Write(p[:min(int64(len(p)), c.room)])
	c.room -= int64(n)
	if err == nil && n < len(p) {
		err = errWire
	}
	return n, err
}

type cutReaderFrom struct{ *cutConn }

func (c cutReaderFrom) ReadFrom(r io.Reader) (int64, error) {
	limited, ok := r.(*io.LimitedReader)
	if c.room < 0 || !ok {
		return io.Copy(c.TCPConn, r)
	}
	all := limited.N
	n, err := c.TCPConn.ReadFrom(&io.LimitedReader{R: limited.R, N: min(all, c.room)})
	limited.N -= n
	c.room -= n
	if err == nil && n < all {
		err = errWire
	}
	return n, err
}

// cutServer serves a handler over connections that are cut, and hears how it ends.
type cutServer struct {
	*cutListener
	t     *testing.T
	ended chan any // with what the handler panicked, or nil
}

func serveCut(t *testing.T, readFrom bool, handler http.Handler) *cutServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &cutServer{&cutListener{Listener: listener, readFrom: readFrom}, t, make(chan any, 1)}
	server := &http.Server{ErrorLog: log.New(io.Discard, "", 0), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			value := recover()
			s.ended <- value
			if value != nil {
				panic(value)
			}
		}()
		handler.ServeHTTP(w, r)
	})}
	go server.Serve(s)
	t.Cleanup(func() { server.Close() })
	return s
}

// ask returns all that comes of an answer that is cut after room bytes, once its handler
// has ended.
func (s *cutServer) ask(request string, room int) string {
	s.t.Helper()
	s.room.Store(int64(room))
	c, err := net.Dial("tcp", s.Addr().String())
	if err != nil {
		s.t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(testkit.Patience))
	if _, err := io.WriteString(c, request); err != nil {
		s.t.Fatal(err)
	}
	answer, err := io.ReadAll(c)
	if err, ok := err.(net.Error); ok && err.Timeout() {
		s.t.Fatalf("%q cut after %d: the connection stays open", request, room)
	}
	if value := receive(s.t, s.ended, "the handler ends"); value != nil && value != http.ErrAbortHandler {
		s.t.Errorf("%q cut after %d: the handler panics with %v", request, room, value)
	}
	return string(answer)
}

// varying is what differs from answer to answer.
var varying = regexp.MustCompile(`Date: .{25}|boundary=.{26}|--[A-Z2-7]{26}`)

// wholeAnswer is what cut ones are the beginnings of.
type wholeAnswer struct {
	text   string
	varies [][]int // from where to where
}

func wholeOf(answer string) wholeAnswer {
	return wholeAnswer{answer, varying.FindAllStringIndex(answer[:min(len(answer), 100_000)], -1)}
}

// wantCut demands the beginning of the answer, as long as there was room.
func (whole wholeAnswer) wantCut(t *testing.T, got string, room int, reason string) {
	t.Helper()
	if len(got) != min(room, len(whole.text)) {
		t.Errorf("%s, cut after %d: %d bytes", reason, room, len(got))
		return
	}
	want, same := []byte(whole.text[:len(got)]), []byte(got)
	for _, at := range whole.varies {
		for i := at[0]; i < min(at[1], len(want)); i++ {
			want[i], same[i] = 0, 0
		}
	}
	if !bytes.Equal(want, same) {
		t.Errorf("%s, cut after %d: what came is not the beginning of the answer", reason, room)
	}
}

// An answer is cut at each of its bytes, or at many of them where it is long: the handler
// ends, what came is its beginning, nothing is held, and the next answer is whole.
func TestWriteFailsAtEachByte(t *testing.T) {
	text, noise := realText(t, 100_000), incompressible(60_000)
	dir := openDir(t, testkit.Tree(t, map[string]string{"tiny.txt": text[:60], "small.txt": text[:1100], "large.txt": text, "noise.txt": noise}))
	write := func(write func(w http.ResponseWriter)) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			write(w)
		})
	}
	limiter := servery.NewLimiter(servery.LimiterOptions{Workers: 1, Streams: 1})
	compress := func(handler http.Handler) http.Handler {
		return servery.Compress(&servery.CompressOptions{Limiter: limiter, OffloadThreshold: 20_000})(handler)
	}
	cache := servery.NewCompressionCache(0)
	files := servery.FileServer(dir, &servery.FileServerOptions{Cache: cache, Limiter: limiter})
	flushed := compress(write(func(w http.ResponseWriter) {
		for i := range 4 {
			io.WriteString(w, text[i*500:i*500+500])
			http.NewResponseController(w).Flush()
		}
	}))
	for _, tt := range []struct {
		reason   string
		handler  http.Handler
		method   string
		target   string
		field    string
		readFrom bool
	}{
		{"a small file", files, "GET", "/tiny.txt", "Accept: */*", false},
		{"no body", files, "HEAD", "/tiny.txt", "Accept: */*", false},
		{"not modified", files, "GET", "/tiny.txt", "If-None-Match: " + contentTag(text[:60]), false},
		{"not found", files, "GET", "/missing", "Accept: */*", false},
		{"parts", files, "GET", "/tiny.txt", "Range: bytes=0-9,20-29", false},
		{"a coded file", files, "GET", "/small.txt", acceptGzip, false},
		{"a large file, copied", files, "GET", "/large.txt", "Accept: */*", false},
		{"a large file by sendfile", files, "GET", "/large.txt", "Accept: */*", true},
		{"large parts", files, "GET", "/large.txt", "Range: bytes=0-29999,50000-89999", true},
		{"a large coded file", files, "GET", "/large.txt", acceptGzip, false},
		{"Compress inline", compress(write(func(w http.ResponseWriter) { io.WriteString(w, text[:1500]) })), "GET", "/", acceptGzip, false},
		{"Compress, HEAD", compress(write(func(w http.ResponseWriter) { io.WriteString(w, text[:1500]) })), "HEAD", "/", acceptGzip, false},
		{"Compress offloaded", compress(write(func(w http.ResponseWriter) { writePieces(w, noise, 10_000) })), "GET", "/", acceptGzip, false},
		{"Compress with flushes", flushed, "GET", "/", acceptGzip, false},
		{"Compress with trailers", compress(write(func(w http.ResponseWriter) {
			w.Header().Set("Trailer", "X-End")
			io.WriteString(w, text[:20_000])
			http.NewResponseController(w).Flush()
			w.Header().Set("X-End", "reached")
		})), "GET", "/", acceptGzip, false},
		{"a file through Compress", compress(files), "GET", "/large.txt", acceptGzip, true},
		{"a picture through Compress", compress(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "image/png")
			io.Copy(w, strings.NewReader(noise))
		})), "GET", "/", acceptGzip, true},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			s := serveCut(t, tt.readFrom, tt.handler)
			request := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: test\r\nConnection: close\r\n%s\r\n\r\n", tt.method, tt.target, tt.field)
			before := testkit.Holding()
			whole := wholeOf(s.ask(request, -1))
			for room := range roomsOf(len(whole.text)) {
				whole.wantCut(t, s.ask(request, room), room, tt.reason)
				if l := limiter.Stats(); l.Active != 0 || l.Queued != 0 || l.Streams != 0 || cache.Stats().Flights != 0 {
					t.Fatalf("cut after %d: %+v, %+v, want nothing held", room, l, cache.Stats())
				}
			}
			whole.wantCut(t, s.ask(request, -1), len(whole.text), "the next answer")
			if err := before.Regained(); err != nil {
				t.Error(err)
			}
		})
	}
}

// roomsOf yields each length of an answer that is written at once, and of a longer one some
// that share no factor with the sizes of buffers, and those around their multiples.
func roomsOf(whole int) func(func(int) bool) {
	return func(yield func(int) bool) {
		step := 1
		if whole > 1200 {
			step = whole/50 | 1
		}
		for room := 0; room < whole; room += step {
			if !yield(room) {
				return
			}
		}
		for edge := 2048; step > 1 && edge < whole; edge += 2048 * max(1, whole/2048/10) {
			if !yield(edge-1) || !yield(edge) || !yield(edge+1) {
				return
			}
		}
		yield(whole - 1)
	}
}
