package servery_test

import (
	"errors"
	"io"
	"net/http"
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
	inner := servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, text)
		close(wrote)
		<-end
	}))
	server := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/next" {
			close(end)
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
	c := server.Dial()
	defer c.Close()
	c.Send("GET", "/slow", acceptGzip)
	c.Read("GET")
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
