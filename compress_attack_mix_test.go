package servery_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"servery"
	"servery/internal/testkit"
)

// ownText is a body of which no piece of 20 bytes is in another one.
func ownText(id, size int) string {
	var b strings.Builder
	for n := 0; b.Len() < size; n++ {
		fmt.Fprintf(&b, "<%08d/%08x>", id, n*2654435761)
	}
	return b.String()[:size]
}

// unreliable is gzip that fails or panics now and then, at any of its methods.
func unreliable() servery.Encoder {
	encoder, next := servery.Gzip(6), servery.Gzip(6).New
	var made atomic.Int64
	encoder.New = func() (servery.EncoderWriter, error) {
		n := made.Add(1)
		method := []string{"Write", "Flush", "Close", "none", "none"}[n%5]
		writer, err := next()
		return &faulty{EncoderWriter: writer, method: method, n: int(n/5) % 3, panics: n%2 == 0}, err
	}
	return encoder
}

// unruly writes its own body in some way, and ends in some way.
func unruly(w http.ResponseWriter, r *http.Request) {
	id, _ := strconv.Atoi(r.URL.Path[1:])
	body := ownText(id, ownSize(id))
	w.Header().Set("Content-Type", "text/plain")
	for n := 0; len(body) > 0; n++ {
		piece := body[:min(len(body), 100+id*7919%9_000)]
		body = body[len(piece):]
		func() {
			if recovers(id) {
				defer func() { _ = recover() }()
			}
			if _, err := io.WriteString(w, piece); err != nil {
				panic(http.ErrAbortHandler)
			}
			if id%4 == 1 {
				http.NewResponseController(w).Flush()
			}
		}()
		if n == 1 && id%5 == 2 {
			panic(http.ErrAbortHandler)
		}
	}
}

func ownSize(id int) int { return 1000 + id%7*15_000 }

func recovers(id int) bool { return id%3 == 0 }

// ghosts are the writers of coded answers that have ended. Each answer is followed by
// writes to all of them.
type ghosts struct {
	mu    sync.Mutex
	ended []http.ResponseWriter // protected by mu
}

type writerKey struct{}

func (g *ghosts) catch(w http.ResponseWriter, r *http.Request) {
	*r.Context().Value(writerKey{}).(*http.ResponseWriter) = w
	unruly(w, r)
}

func (g *ghosts) around(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var inner http.ResponseWriter
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), writerKey{}, &inner)))
		g.mu.Lock()
		defer g.mu.Unlock()
		for _, old := range g.ended {
			if n, err := io.WriteString(old, "<boo>"); n != 0 || err == nil {
				panic(fmt.Sprint("a write after the end: ", n, err))
			}
			http.NewResponseController(old).Flush()
		}
		if w.Header().Get("Content-Encoding") != "" && len(g.ended) < 20 {
			g.ended = append(g.ended, inner)
		}
	})
}

// No byte of one answer gets into another, whatever handlers, encoders and clients do.
func TestCompressMixesNothing(t *testing.T) {
	const clients, rounds = 12, 5
	g := new(ghosts)
	limiter := servery.NewLimiter(servery.LimiterOptions{Workers: 1, Queue: 4, Streams: 6})
	compress := servery.Compress(&servery.CompressOptions{
		Encoders: []servery.Encoder{servery.Zstd(1), unreliable()}, Limiter: limiter, OffloadThreshold: 30_000,
	})
	server := serveLoosely(t, g.around(compress(http.HandlerFunc(g.catch))))
	before := testkit.Holding()
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			for round := range rounds {
				rudeClient(t, server, i*rounds+round)
			}
		})
	}
	all.Wait()
	eventually(t, "all is given back", func() bool { s := limiter.Stats(); return s.Active == 0 && s.Queued == 0 && s.Streams == 0 })
	if err := before.Regained(); err != nil {
		t.Error(err)
	}
}

// rudeClient takes all of an answer or some, and demands that it is its own.
func rudeClient(t *testing.T, server *testkit.Server, id int) {
	c := server.Dial()
	defer c.Close()
	c.Send("GET", "/"+strconv.Itoa(id), []string{acceptGzip, acceptZstd, "X: y"}[id%3])
	if id%9 == 8 {
		c.Conn.(*net.TCPConn).SetLinger(0)
		return
	}
	response, err := http.ReadResponse(bufio.NewReader(c.Conn), nil)
	if err != nil {
		return // an abort, before anything was sent
	}
	var body io.Reader = response.Body
	if coding := response.Header.Get("Content-Encoding"); coding != "" {
		body = undoing(t, coding, body)
	}
	want := ownText(id, ownSize(id))
	got, err := io.ReadAll(body)
	switch whole := err == nil && !recovers(id); {
	case !recovers(id) && !strings.HasPrefix(want, string(got)), whole && len(got) != len(want), strings.Contains(string(got), "boo"):
		t.Errorf("answer %d: %v, %d bytes of %d: not its own\n%v", id, err, len(got), len(want), response.Header)
	}
	for i, piece := range strings.Split(string(got), "<") {
		if i > 0 && len(piece) > 8 && piece[:8] != fmt.Sprintf("%08d", id) {
			t.Errorf("answer %d has a piece of another: %q", id, piece)
		}
	}
}
