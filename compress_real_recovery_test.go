package servery_test

import (
	"bytes"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/klauspost/compress/zstd"

	"servery"
	"servery/internal/testkit"
)

// recovering is the usual middleware: it answers 500 whatever has been sent by then.
// It tells what it has recovered, and the header of that moment.
type recovering struct {
	inner  http.Handler
	values chan any
	header http.Header
}

func (m *recovering) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if value := recover(); value != nil {
			m.header = maps.Clone(w.Header())
			m.values <- value
			http.Error(w, "500 Internal Server Error", http.StatusInternalServerError)
		}
	}()
	m.inner.ServeHTTP(w, r)
}

// failure is a value that can be told from all others.
type failure struct{ reason string }

// Before anything is sent, the middleware outside has an answer to give, and a header
// that is as the handler left it.
func TestCompressRecoveryBeforeTheCommit(t *testing.T) {
	text := realText(t, 12_000)
	for _, tt := range []struct {
		name   string
		size   int
		reason string
	}{
		{"nothing", 0, "nothing was written"},
		{"little", 500, "less than what decides"},
		{"some", 12_000, "decided and collected, but not sent"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			value := &failure{tt.reason}
			m := &recovering{values: make(chan any, 1)}
			m.inner = servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				w.Header().Set("Etag", `"v1"`)
				io.WriteString(w, text[:tt.size])
				panic(value)
			}))
			server := testkit.Serve(t, answerOptions(m))
			want := seen{500, "", false, `"v1"`, "500 Internal Server Error\n"} // http.Error leaves the tag
			wantSeen(t, asIs(server, "GET", "/", acceptGzip), want, tt.reason)
			if got := <-m.values; got != value {
				t.Errorf("recovered %v, want what the handler panicked with: %s", got, tt.reason)
			}
			left := http.Header{"Content-Type": {"text/html"}, "Etag": {`"v1"`}}
			if !maps.EqualFunc(m.header, left, func(a, b []string) bool { return len(a) == 1 && a[0] == b[0] }) {
				t.Errorf("the header is %v, want %v as the handler left it: %s", m.header, left, tt.reason)
			}
		})
	}
}

// After that, nothing that the middleware outside does makes a whole document of it.
func TestCompressRecoveryAfterTheCommit(t *testing.T) {
	text := realText(t, 200_000)
	for _, flushed := range []bool{true, false} {
		for _, coding := range []string{"gzip", "zstd"} {
			value := &failure{coding}
			m := &recovering{values: make(chan any, 1)}
			m.inner = servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				io.WriteString(w, text)
				if flushed {
					http.NewResponseController(w).Flush()
				}
				panic(value)
			}))
			server := httptest.NewUnstartedServer(m)
			server.Config.ErrorLog = log.New(io.Discard, "", 0) // a second WriteHeader is what net/http complains about
			server.Start()
			body, err := fetchCoded(server.URL, coding)
			server.Close()
			if got := <-m.values; got != value {
				t.Errorf("%s: recovered %v, want what the handler panicked with", coding, got)
			}
			if err == nil && isWhole(coding, body) {
				t.Errorf("%s, flushed %v: %d bytes are a whole document", coding, flushed, len(body))
			}
		}
	}
}

// isWhole reports whether body can be decoded to its end.
func isWhole(coding string, body []byte) bool {
	if coding == "gzip" {
		_, err := gunzip(body)
		return err == nil
	}
	r, err := zstd.NewReader(bytes.NewReader(body))
	if err != nil {
		return false
	}
	defer r.Close()
	_, err = io.Copy(io.Discard, r)
	return err == nil
}
