package servery_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"servery"
)

// givenUp is the writer of a middleware that no longer waits for its handler: writes
// fail, and a controller finds the server's writer all the same.
type givenUp struct {
	http.ResponseWriter
	mu   sync.Mutex
	late bool
}

func (g *givenUp) Unwrap() http.ResponseWriter { return g.ResponseWriter }

func (g *givenUp) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.late {
		return 0, errors.New("given up")
	}
	return g.ResponseWriter.Write(p)
}

func (g *givenUp) giveUp() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.late = true
}

// A handler that was given up on, and ends while its connection serves the next request,
// does not spoil that.
func TestCompressGivenUp(t *testing.T) {
	text := realText(t, 100_000)
	wrote, end, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	letEnd := sync.OnceFunc(func() { close(end) })
	inner := servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, text)
		close(wrote)
		<-end
	}))
	server := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/next" {
			letEnd()
			<-ended
			io.WriteString(w, "fine")
			return
		}
		g := &givenUp{ResponseWriter: w}
		go func() {
			defer close(ended)
			inner.ServeHTTP(g, r)
		}()
		<-wrote
		g.giveUp()
	}))
	defer letEnd()
	c := server.Dial()
	defer c.Close()
	c.Send("GET", "/slow", acceptGzip)
	if first := c.Read("GET"); first.Header.Get("Content-Encoding") != "gzip" || len(first.Body) == 0 || first.Err != nil {
		t.Fatalf("the answer that was given up on: %v, %d bytes, %v", first.Head, len(first.Body), first.Err)
	}
	c.Send("GET", "/next")
	if got := c.Read("GET"); string(got.Body) != "fine" || got.Err != nil {
		t.Errorf("the next answer: %v, %q, %v", got.Head, got.Body, got.Err)
	}
}

// What a response has lent goes back when its client has left, and not only when its
// handler ends.
func TestCompressGivesBackWhenTheClientLeaves(t *testing.T) {
	opts, limiter := oneStream()
	noise := incompressible(1 << 20)
	failed, end := make(chan struct{}), make(chan struct{})
	server := serveLoosely(t, servery.Compress(opts)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		for {
			if _, err := io.WriteString(w, noise); err != nil {
				break
			}
		}
		close(failed)
		<-end
	})))
	defer close(end)
	c := server.Dial()
	c.Send("GET", "/", acceptGzip)
	if _, err := io.ReadFull(c.Conn, make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	c.Close()
	<-failed
	if s := limiter.Stats(); s.Streams != 0 {
		t.Errorf("the handler goes on, and holds %d streams", s.Streams)
	}
}

// Bytes that a writer in between has refused do not become whole by what comes behind
// them, whoever recovers from the panic of the handler.
func TestCompressPanicBehindARefusedWrite(t *testing.T) {
	text := realText(t, 100_000)
	inner := servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, text)
		w.(interface{ Unwrap() http.ResponseWriter }).Unwrap().(*givenUp).giveUp()
		for range 10 {
			io.WriteString(w, text)
		}
		panic("handler")
	}))
	server := serveLoosely(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if p := recover(); p != "handler" {
				t.Errorf("recovered %v", p)
			}
			io.WriteString(w, "<h1>sorry</h1>")
		}()
		inner.ServeHTTP(&givenUp{ResponseWriter: w}, r)
	}))
	c := server.Dial()
	defer c.Close()
	c.Send("GET", "/", acceptGzip)
	if got := c.Read("GET"); got.Err == nil {
		t.Errorf("%d bytes are whole", len(got.Body))
	}
}

// A request's header is read and written by whoever holds it while its handler ends: the
// handler itself, if it was given up on further in, and who has given up on all of them.
func TestCompressLeavesTheHeadersOfItsRequestAlone(t *testing.T) {
	var late sync.WaitGroup
	inner := servery.Compress(nil)(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		late.Go(func() { r.Header.Set("X-User", "somebody") })
	}))
	server := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		copied := r.WithContext(r.Context())
		late.Go(func() { inner.ServeHTTP(httptest.NewRecorder(), copied) })
		if user := r.Header.Get("X-User"); user != "" { // the race detector looks at all of these
			t.Errorf("the header has become one of %q", user)
		}
		late.Wait()
	}))
	if got := fetch(t, server, "GET", "/", acceptGzip, `If-None-Match: "v1-gz6.1"`); got.Status != 200 {
		t.Errorf("got\n%s", got.Head)
	}
}

// A response that keeps much because others wait for the slots has some of that left when a
// write is refused. An empty one afterwards borrows no encoder for it.
func TestCompressEmptyWriteAfterARefusedOne(t *testing.T) {
	const others = "others "
	g, noise := newGate(), incompressible(200_000)
	w := &watched{act: func(plain []byte) error {
		if strings.HasPrefix(string(plain), others) {
			return g.pass(plain)
		}
		return nil
	}}
	limiter := servery.NewLimiter(servery.LimiterOptions{Workers: 1})
	opts := &servery.CompressOptions{Encoders: []servery.Encoder{w.encoder()}, Limiter: limiter, OffloadThreshold: 1}
	waiting := serveHandler(t, servery.Compress(opts)(says(200, others+realText(t, 5000), textType)))
	begun, goOn, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		writer := &givenUp{ResponseWriter: httptest.NewRecorder()}
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept-Encoding", w.encoder().Coding)
		servery.Compress(opts)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			io.WriteString(w, noise[:60_000])
			writer.giveUp()
			close(begun)
			<-goOn
			io.WriteString(w, noise) // is kept
			_, err := io.WriteString(w, noise[:100_000])
			empty, emptyErr := w.Write(nil)
			if s := limiter.Stats(); err == nil || empty != 0 || emptyErr != nil || s.Streams != 0 {
				t.Errorf("%v, then %d, %v and %d streams", err, empty, emptyErr, s.Streams)
			}
		})).ServeHTTP(writer, r)
	}()
	<-begun
	accept := "Accept-Encoding: " + w.encoder().Coding
	first := ask(t, waiting, "/", accept)
	<-g.reached
	second := ask(t, waiting, "/", accept)
	eventually(t, "one waits", func() bool { return limiter.Stats().Queued == 1 })
	close(goOn)
	eventually(t, "two wait", func() bool { return limiter.Stats().Queued == 2 })
	close(g.open)
	first.Read("GET")
	second.Read("GET")
	<-ended
}
