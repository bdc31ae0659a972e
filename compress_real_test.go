package servery_test

import (
	"net/http"
	"strings"
	"testing"

	"servery"
	"servery/internal/testkit"
)

// serveInside serves a handler inside Compress with the default options. OPTIONS is
// answered outside of it, for whoever verifies the framing.
func serveInside(tb testing.TB, handler http.Handler) *testkit.Server {
	tb.Helper()
	server := testkit.Serve(tb, answerOptions(servery.Compress(nil)(handler)))
	server.Rules = testkit.LintHandler
	return server
}

func answerOptions(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodOptions {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		handler.ServeHTTP(w, r)
	})
}

// seen is what a client is meant to see of an answer.
type seen struct {
	status int
	coding string // "" is identity
	vary   bool   // whether Vary names Accept-Encoding
	tag    string
	body   string // decoded
}

func wantSeen(t *testing.T, got testkit.Response, want seen, reason string) {
	t.Helper()
	if got.Err != nil {
		t.Errorf("%s: the body breaks off: %v\n%s", reason, got.Err, got.Head)
		return
	}
	is := seen{
		status: got.Status,
		coding: got.Header.Get("Content-Encoding"),
		vary:   strings.Contains(strings.Join(got.Header.Values("Vary"), ","), "Accept-Encoding"),
		tag:    got.Header.Get("Etag"),
	}
	if len(got.Body) > 0 { // a HEAD has none whatever its coding
		is.body = decoded(t, is.coding, got.Body)
	}
	if is.body != want.body {
		t.Errorf("%s: %d bytes decoded, want %d: %.80q, want %.80q", reason, len(is.body), len(want.body), is.body, want.body)
	}
	is.body, want.body = "", ""
	if is != want {
		t.Errorf("%s: got %+v, want %+v\n%s", reason, is, want, got.Head)
	}
}

// asIs sends one request and returns the answer without judging it by the rules of
// FileServer, which other handlers do not obey.
func asIs(server *testkit.Server, method, target string, fields ...string) testkit.Response {
	c := server.Dial()
	defer c.Close()
	c.Send(method, target, fields...)
	return c.Read(method)
}

// writeText answers with text and the header's fields.
func writeText(text string, fields ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, field := range fields {
			name, value, _ := strings.Cut(field, ": ")
			w.Header().Add(name, value)
		}
		w.Write([]byte(text))
	})
}
