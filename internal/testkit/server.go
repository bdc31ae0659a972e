// Package testkit is what the tests have in common: servers on real sockets, a
// client that hides nothing, trees of files, and the rules that every answer
// obeys. Nothing outside of tests imports it.
package testkit

import (
	"context"
	"log"
	"net"
	"net/http"
	"testing"
	"time"
)

// Patience is how long a test waits for what should happen at once, before it
// fails instead of hanging.
const Patience = 20 * time.Second

// Server is an http.Server on a loopback port. Whatever a Conn reads from it has to
// pass its rules.
type Server struct {
	Addr string

	// Rules are those of every answer. Where they are nil an answer that Do reads has
	// to pass Lint, as one of a FileServer, and another one LintFraming.
	Rules Rules

	Linter *Linter // compares all answers; never nil

	tb testing.TB
}

// Rules return what is wrong with an answer to a request that has these fields.
type Rules func(method string, fields []string, r Response) []string

// Serve serves handler until the test ends, which it does not before every
// request has been answered.
func Serve(tb testing.TB, handler http.Handler) *Server {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	server := &http.Server{Handler: handler, ErrorLog: log.New(logWriter{tb}, "", 0)}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), Patience)
		defer cancel()
		if err := server.Shutdown(ctx); err != nil {
			tb.Errorf("server did not come to rest: %v", err)
			server.Close()
		}
		<-ended
	})
	return Connect(tb, listener.Addr().String())
}

// Connect returns a server that somebody else runs.
func Connect(tb testing.TB, addr string) *Server {
	return &Server{Addr: addr, Linter: new(Linter), tb: tb}
}

// lint fails the test for what is wrong with an answer.
func (s *Server) lint(request sent, response Response, rules Rules) {
	s.tb.Helper()
	if s.Rules != nil {
		rules = s.Rules
	}
	faults := rules(request.method, request.fields, response)
	faults = append(faults, s.Linter.Check(request.method, request.target, request.fields, response)...)
	for _, fault := range faults {
		s.tb.Errorf("%s %s %q: %s\n%s", request.method, request.target, request.fields, fault, response.Head)
	}
}

// logWriter makes whatever the server has to complain about a failure: a handler
// here neither panics nor writes what the server must refuse.
type logWriter struct{ tb testing.TB }

func (w logWriter) Write(p []byte) (int, error) {
	w.tb.Errorf("http.Server: %s", p)
	return len(p), nil
}
