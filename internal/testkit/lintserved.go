package testkit

import (
	"bytes"
	"net/http"
	"testing"
	"time"
)

// LintServed returns a handler that fails the test for what rules find in the answers
// of another one. It is for clients that keep what they get to themselves, such as
// browsers; of what the server adds it knows nothing, and it takes sendfile away.
func LintServed(tb testing.TB, handler http.Handler, rules Rules) http.Handler {
	server := &Server{Rules: rules, Linter: new(Linter), tb: tb}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kept := &keepingWriter{ResponseWriter: w}
		handler.ServeHTTP(kept, r) // an answer that is broken off by a panic is not judged
		response := Response{Status: kept.status, Header: kept.header, Body: kept.body.Bytes(), Err: kept.err}
		if kept.status == 0 {
			response.Status, response.Header = http.StatusOK, w.Header().Clone()
		}
		if response.Header.Get("Date") == "" {
			response.Header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
		}
		server.lint(sentBy(r), response, nil)
	})
}

// keepingWriter keeps what is written.
type keepingWriter struct {
	http.ResponseWriter
	status int
	header http.Header
	body   bytes.Buffer
	err    error
}

func (k *keepingWriter) WriteHeader(status int) {
	if k.status == 0 && status >= 200 {
		k.status, k.header = status, k.Header().Clone()
	}
	k.ResponseWriter.WriteHeader(status)
}

func (k *keepingWriter) Write(p []byte) (int, error) {
	if k.status == 0 {
		k.WriteHeader(http.StatusOK)
	}
	n, err := k.ResponseWriter.Write(p)
	k.body.Write(p[:n])
	if err != nil {
		k.err = err
	}
	return n, err
}

func (k *keepingWriter) WriteString(s string) (int, error) { return k.Write([]byte(s)) }

func (k *keepingWriter) Unwrap() http.ResponseWriter { return k.ResponseWriter }
