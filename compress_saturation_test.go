package servery_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"servery"
	"servery/internal/testkit"
)

// crowded is a server whose only worker is held up, in the encoder, by a request.
type crowded struct {
	twins
	gate    *gate
	limiter *servery.Limiter
	first   *testkit.Conn
}

const blocking = "the first "

func crowd(t *testing.T, queue int, handler http.HandlerFunc) *crowded {
	t.Helper()
	c := &crowded{gate: newGate(), limiter: servery.NewLimiter(servery.LimiterOptions{Workers: 1, Queue: queue})}
	w := &watched{act: func(plain []byte) error {
		if strings.HasPrefix(string(plain), blocking) {
			return c.gate.pass(plain)
		}
		return nil
	}}
	opts := &servery.CompressOptions{Encoders: []servery.Encoder{w.encoder()}, Limiter: c.limiter, OffloadThreshold: 1}
	c.twins = serveTwins(t, opts, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Block") != "" {
			says(200, blocking+realText(t, 5000), textType)(w, r)
			return
		}
		handler(w, r)
	})
	return c
}

// block sends the request that holds the worker up.
func (c *crowded) block(t *testing.T) {
	t.Helper()
	c.first = ask(t, c.inside, "/", acceptGzip, "X-Block: yes")
	<-c.gate.reached
}

// open lets it go on, and demands its answer.
func (c *crowded) open(t *testing.T) {
	t.Helper()
	close(c.gate.open)
	wantCoded(t, c.first.Read("GET"), blocking+realText(t, 5000), "it held the worker")
	eventually(t, "all is at rest", func() bool { s := c.limiter.Stats(); return s.Active == 0 && s.Queued == 0 && s.Streams == 0 })
}

// Without a worker nobody is refused: the answer is plain, and says that it could have been coded.
func TestCompressWhenSaturated(t *testing.T) {
	for _, body := range []string{realText(t, 5000), realText(t, 100_000), incompressible(1 << 20)} {
		for _, flush := range []bool{false, true} {
			c := crowd(t, -1, func(w http.ResponseWriter, _ *http.Request) {
				setFields(w.Header(), []string{textType, `ETag: "v1"`, "Accept-Ranges: bytes"})
				io.WriteString(w, body[:1000])
				if flush {
					http.NewResponseController(w).Flush()
				}
				writePieces(w, body[1000:], 10_000)
			})
			bare, got := c.ask(t, "GET", acceptGzip)
			wantCodedLike(t, bare, got, "gzip", "before")
			c.block(t)
			bare, got = c.ask(t, "GET", acceptGzip)
			if len(body) > 5000 || flush {
				wantSame(t, bare, got, true, "saturated")
			} else if got.Header.Get("Vary") != "Accept-Encoding" || got.Header.Get("Etag") != `"v1"` || string(got.Body) != body || got.Header.Get("Content-Encoding") != "" {
				t.Errorf("saturated: got\n%s, want the plain answer with Vary", got.Head)
			}
			_, head := c.ask(t, "HEAD", acceptGzip)
			if head.Header.Get("Content-Encoding") != "gzip" {
				t.Errorf("saturated: HEAD got\n%s, want gzip, which costs nothing", head.Head)
			}
			c.open(t)
			bare, got = c.ask(t, "GET", acceptGzip)
			wantCodedLike(t, bare, got, "gzip", "afterwards")
		}
	}
}

// One response more than may hold an encoder is sent plain.
func TestCompressBoundsItsStreams(t *testing.T) {
	for _, streams := range []int{1, 2} {
		limiter := servery.NewLimiter(servery.LimiterOptions{Streams: streams})
		goOn := make(chan struct{})
		server := serveHandler(t, servery.Compress(&servery.CompressOptions{Limiter: limiter})(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			io.WriteString(w, "first")
			http.NewResponseController(w).Flush()
			<-goOn
			io.WriteString(w, second)
		})))
		codings := []string{"gzip", "zstd"}[:streams]
		for _, coding := range append(codings, "") {
			c := open(t, server, "GET", acceptGzip, acceptZstd, "Accept-Encoding: gzip;q=0.5")
			response := c.answer(t)
			if coded := response.Header.Get("Content-Encoding") != ""; coded != (coding != "") || response.Header.Get("Vary") != "Accept-Encoding" {
				t.Errorf("%d streams: got %v, want coded %v with Vary", streams, response.Header, coding != "")
			}
			defer io.Copy(io.Discard, response.Body)
		}
		if s := limiter.Stats(); s.Streams != streams {
			t.Errorf("%+v, want %d streams", s, streams)
		}
		close(goOn)
	}
}

// second is what takes a slot of the worker once more: less is flushed without.
var second = strings.Repeat("second ", 5000)

// begun is a coded answer that goes on when told, at a server whose worker is held up.
func begun(t *testing.T) (c *crowded, client *wire, response *http.Response, goOn chan struct{}, failure chan error) {
	t.Helper()
	goOn, failure = make(chan struct{}), make(chan error, 1)
	c = crowd(t, -1, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, "first")
		http.NewResponseController(w).Flush()
		<-goOn
		io.WriteString(w, second)
		failure <- http.NewResponseController(w).Flush()
	})
	client = open(t, c.inside, "GET", acceptGzip)
	response = client.answer(t)
	c.block(t)
	return c, client, response, goOn, failure
}

// What was begun in a coding has to go on in it, and waits for its turn.
func TestCompressWaitsOnceBegun(t *testing.T) {
	c, _, response, goOn, failure := begun(t)
	plain := undoing(t, "gzip", response.Body)
	wantNext(t, plain, "first", "before")
	close(goOn)
	c.open(t)
	if err := receive(t, failure, "it goes on"); err != nil {
		t.Errorf("Flush: %v", err)
	}
	if rest, err := io.ReadAll(plain); string(rest) != second || err != nil {
		t.Errorf("%d bytes, %v, want the rest of %d", len(rest), err, len(second))
	}
}

// A client that leaves meanwhile leaves nothing behind.
func TestCompressComesToRestWhenTheClientLeaves(t *testing.T) {
	c, client, _, goOn, failure := begun(t)
	close(goOn)
	client.Close()
	eventually(t, "the answer waits", func() bool { return c.limiter.Stats().Queued == 1 })
	c.open(t)
	receive(t, failure, "the handler goes on") // with an error or not, as the system has it
}

// Before the first byte nobody waits for a client that has left.
func TestCompressLeavesTheQueue(t *testing.T) {
	ended := make(chan struct{})
	c := crowd(t, 1, func(w http.ResponseWriter, _ *http.Request) {
		defer close(ended)
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, "text")
		http.NewResponseController(w).Flush() // of which nothing is asked but that it ends
	})
	c.block(t)
	client := ask(t, c.inside, "/", acceptGzip)
	eventually(t, "one waits", func() bool { return c.limiter.Stats().Queued == 1 })
	client.Close()
	receive(t, ended, "the handler ends, while the worker is held up")
	if s := c.limiter.Stats(); s.Queued != 0 || s.Active != 1 {
		t.Errorf("%+v, want nobody in the queue", s)
	}
	c.open(t)
}

// A deadline of the application does not tear what was begun.
func TestCompressWaitsBeyondADeadline(t *testing.T) {
	limiter, g := servery.NewLimiter(servery.LimiterOptions{Workers: 1, Queue: -1}), newGate()
	w := &watched{act: func(plain []byte) error {
		if string(plain) == blocking {
			return g.pass(plain)
		}
		return nil
	}}
	goOn := make(chan struct{})
	inner := servery.Compress(&servery.CompressOptions{
		Encoders: []servery.Encoder{w.encoder()}, Limiter: limiter, OffloadThreshold: 1, MinSize: -1,
	})(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		if r.Header.Get("X-Block") != "" {
			io.WriteString(w, blocking)
			return
		}
		io.WriteString(w, "first")
		http.NewResponseController(w).Flush()
		<-goOn
		<-r.Context().Done()
		io.WriteString(w, second)
	}))
	server := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithDeadline(r.Context(), time.Now().Add(50*time.Millisecond))
		defer cancel()
		inner.ServeHTTP(w, r.WithContext(ctx))
	}))
	client := open(t, server, "GET", acceptGzip)
	response := client.answer(t)
	first := ask(t, server, "/", acceptGzip, "X-Block: yes")
	<-g.reached
	close(goOn)
	close(g.open)
	body, err := io.ReadAll(response.Body)
	if plain, undone := undo("gzip", body); err != nil || undone != nil || plain != "first"+second {
		t.Errorf("%q, %v, %v, want all of it", plain, err, undone)
	}
	wantCoded(t, first.Read("GET"), blocking, "it held the worker")
}
