package servery_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
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

// Who does not wait for a handler may read the header of its request while the handler
// changes the copy that it has got, and ends.
func TestCompressOfAHandlerThatIsNotWaitedFor(t *testing.T) {
	changed, ended := make(chan struct{}), make(chan struct{})
	inner := servery.Compress(nil)(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		r.Header.Set("X-User", "somebody")
		close(changed)
	}))
	server := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		go func() {
			defer close(ended)
			inner.ServeHTTP(httptest.NewRecorder(), r.WithContext(r.Context()))
		}()
		<-changed
		user := r.Header.Get("X-User") // where the race detector looks
		<-ended
		if user != "" {
			t.Errorf("the header has become one of %q while it was read", user)
		}
	}))
	if got := fetch(t, server, "GET", "/", acceptGzip, `If-None-Match: "v1-gz6.1"`); got.Status != 200 {
		t.Errorf("got\n%s", got.Head)
	}
}
