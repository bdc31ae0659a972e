package servery_test

import (
	"io"
	"net/http"
)

// outer is a handler around all others, with the recovery and the writers that
// middleware has. It lets nothing out that the server would log.
func (c *scriptCall) outer(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			c.arrived = recover()
			close(c.done)
			if c.arrived != nil {
				panic(http.ErrAbortHandler)
			}
		}()
		switch c.script.chosen("outer") {
		case "recovers":
			c.recovering(next, w, r)
		case "naked":
			next.ServeHTTP(struct{ http.ResponseWriter }{w}, r)
		case "unwraps":
			next.ServeHTTP(unwrappable{w}, r)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// unwrappable has nothing but what a ResponseController needs to go on.
type unwrappable struct{ http.ResponseWriter }

func (u unwrappable) Unwrap() http.ResponseWriter { return u.ResponseWriter }

// recovering answers a panic if it can, and if it is not that which means to abort, as
// the middleware of frameworks does.
func (c *scriptCall) recovering(next http.Handler, w http.ResponseWriter, r *http.Request) {
	noting := &sendNoting{ResponseWriter: w}
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		if noting.sent || v == http.ErrAbortHandler {
			panic(v)
		}
		c.mu.Lock()
		c.recovered = v
		c.mu.Unlock()
		http.Error(w, "recovered", http.StatusInternalServerError)
	}()
	next.ServeHTTP(noting, r)
}

// sendNoting notes whether an answer has begun.
type sendNoting struct {
	http.ResponseWriter
	sent bool
}

func (n *sendNoting) WriteHeader(code int) {
	n.ResponseWriter.WriteHeader(code)
	n.sent = n.sent || code >= 200 || code == http.StatusSwitchingProtocols
}

func (n *sendNoting) Write(p []byte) (int, error) {
	n.sent = true
	return n.ResponseWriter.Write(p)
}

func (n *sendNoting) WriteString(s string) (int, error) {
	n.sent = true
	return io.WriteString(n.ResponseWriter, s)
}

func (n *sendNoting) ReadFrom(src io.Reader) (int64, error) {
	n.sent = true
	return io.Copy(n.ResponseWriter, src)
}

func (n *sendNoting) Flush() { n.FlushError() }

func (n *sendNoting) FlushError() error {
	n.sent = true
	return http.NewResponseController(n.ResponseWriter).Flush()
}

func (n *sendNoting) Unwrap() http.ResponseWriter { return n.ResponseWriter }
