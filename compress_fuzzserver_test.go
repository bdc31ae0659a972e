package servery_test

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"servery/internal/testkit"
)

// scriptRig is the two servers that play every script, one after the other.
type scriptRig struct {
	bare, ours *scriptSide
}

// newScriptRig starts the servers. They stop when the test ends, and must leave
// nothing behind.
func newScriptRig(tb testing.TB) *scriptRig {
	tb.Helper()
	textFile := filepath.Join(tb.TempDir(), "text")
	if err := os.WriteFile(textFile, scriptText(), 0o644); err != nil {
		tb.Fatal(err)
	}
	before := testkit.Holding()
	rig := &scriptRig{bare: startScriptSide(tb, textFile), ours: startScriptSide(tb, textFile)}
	rig.ours.middleware = scriptMiddleware(http.HandlerFunc(rig.ours.play), rig.ours.onError)
	tb.Cleanup(func() {
		rig.bare.stop(tb)
		rig.ours.stop(tb)
		if err := before.Regained(); err != nil {
			tb.Error(err)
		}
	})
	return rig
}

// run plays the script on both sides.
func (rig *scriptRig) run(tb testing.TB, s *script) *scriptComparison {
	return newScriptComparison(s, rig.bare.ask(tb, s, s.translated()), rig.ours.ask(tb, s, s.fields()))
}

// scriptSide is one server with its clients. It plays one script at a time.
type scriptSide struct {
	addr       string
	textFile   string
	server     *http.Server
	ended      chan error
	middleware map[string]http.Handler // by the word for its options; nil for the bare server
	call       atomic.Pointer[scriptCall]
	line       *scriptLine  // to the server, nil where there is none
	http2      *http.Client // to the server
}

func startScriptSide(tb testing.TB, textFile string) *scriptSide {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	side := &scriptSide{addr: listener.Addr().String(), textFile: textFile, ended: make(chan error, 1)}
	side.server = &http.Server{Handler: side, Protocols: &protocols, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { side.ended <- side.server.Serve(listener) }()
	side.http2 = newHTTP2Client()
	return side
}

func (side *scriptSide) stop(tb testing.TB) {
	side.hangUp()
	side.http2.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(context.Background(), testkit.Patience)
	defer cancel()
	if err := side.server.Shutdown(ctx); err != nil {
		tb.Errorf("server did not come to rest: %v", err)
		side.server.Close()
	}
	<-side.ended
}

// ServeHTTP answers what comes after a script with 204.
func (side *scriptSide) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/next" {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	call := side.call.Load()
	next := http.Handler(http.HandlerFunc(side.play))
	if side.middleware != nil {
		next = side.middleware[call.script.chosen("options")]
	}
	call.outer(next).ServeHTTP(w, r)
}

func (side *scriptSide) play(w http.ResponseWriter, r *http.Request) { side.call.Load().play(w, r) }

// onError counts for the call that is being played: OnError is called while the
// handler runs, or by its goroutine right after it.
func (side *scriptSide) onError() { side.call.Load().told++ }

// ask plays the script with a request of these fields.
func (side *scriptSide) ask(tb testing.TB, s *script, fields []scriptField) *scriptOutcome {
	tb.Helper()
	call := newScriptCall(s, side.textFile)
	side.call.Store(call)
	var answer *scriptAnswer
	if s.isHTTP2() {
		answer = side.askHTTP2(call, fields)
	} else {
		answer = side.askHTTP1(tb, call, fields)
	}
	close(call.left)
	if !call.hasEnded() {
		tb.Fatalf("the handler does not end:\n%s", s)
	}
	if !s.isHTTP2() {
		answer.next = side.next(answer)
	}
	return &scriptOutcome{call, answer}
}
