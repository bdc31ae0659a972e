package servery_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"servery"
	"servery/internal/testkit"
)

// soon is a time that is over before anybody would wait for it.
const soon = 20 * time.Millisecond

// slow writes what it is given, or, at /late, does not come to its end before its
// time is over: it goes on until a Write fails, and tells with what.
func slow(text string, failed chan<- error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Etag", `"v1"`)
		_, err := io.WriteString(w, text)
		if r.URL.Path != "/late" {
			return
		}
		<-r.Context().Done()
		for err == nil {
			// More than is collected before anything reaches the next writer. The time
			// is over for the context first, and for the writer some moments later.
			_, err = io.WriteString(w, incompressible(64<<10))
		}
		failed <- err
	})
}

// http.TimeoutHandler outside takes the writer away while Compress uses it.
func TestCompressInTimeoutHandler(t *testing.T) {
	for size, reason := range map[int]string{100: "little was written", 10_000: "it is collected", 100_000: "it is being coded"} {
		text, failed := realText(t, size), make(chan error, 1)
		inner := servery.Compress(nil)(slow(text, failed))
		mux := http.NewServeMux()
		mux.Handle("/late", http.TimeoutHandler(inner, soon, "too late"))
		mux.Handle("/", http.TimeoutHandler(inner, testkit.Patience, "too late"))
		server := testkit.Serve(t, answerOptions(mux))
		server.Rules = testkit.LintHandler
		want := seen{200, "gzip", true, `"v1-gz6.1"`, text}
		if size < 1024 {
			want = seen{200, "", false, `"v1"`, text}
		}
		wantSeen(t, server.Get("/", acceptGzip), want, "in time, "+reason)
		got := asIs(server, "GET", "/late", acceptGzip)
		if got.Status != http.StatusServiceUnavailable || string(got.Body) != "too late" || got.Header.Get("Content-Encoding") != "" || got.Header.Get("Etag") != "" {
			t.Errorf("late, %s: %q with the head\n%s, want the 503 of the handler outside", reason, got.Body, got.Head)
		}
		if err := <-failed; !errors.Is(err, http.ErrHandlerTimeout) {
			t.Errorf("late, %s: Write says %v, want %v", reason, err, http.ErrHandlerTimeout)
		}
		wantSeen(t, server.Get("/", acceptGzip), want, "in time afterwards, "+reason)
	}
}

// http.TimeoutHandler inside writes at once what was written in time, or else its
// own answer, which is one like any other.
func TestCompressAroundTimeoutHandler(t *testing.T) {
	text := realText(t, 100_000)
	long := "<html>" + strings.Repeat("too late ", 1000)
	for _, tt := range []struct {
		target, message string
		want            seen
		reason          string
	}{
		{"/", "too late", seen{200, "gzip", true, `"v1-gz6.1"`, text}, "in time"},
		{"/late", "too late", seen{503, "", false, "", "too late"}, "too short to be coded"},
		{"/late", long, seen{503, "gzip", true, "", long}, "errors are coded, too"},
	} {
		failed := make(chan error, 1)
		limit := testkit.Patience
		if tt.target == "/late" {
			limit = soon
		}
		server := serveInside(t, http.TimeoutHandler(slow(text, failed), limit, tt.message))
		wantSeen(t, asIs(server, "GET", tt.target, acceptGzip), tt.want, tt.reason)
		if tt.target != "/late" {
			continue
		}
		if err := <-failed; !errors.Is(err, http.ErrHandlerTimeout) {
			t.Errorf("%s: Write says %v, want %v", tt.reason, err, http.ErrHandlerTimeout)
		}
	}
}
