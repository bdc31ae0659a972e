package compat

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"servery/internal/testkit"
)

// panics is what chi's Recoverer logs to.
type panics chan any

func (p panics) Write(int, int, http.Header, time.Duration, any) {}
func (p panics) Panic(value any, _ []byte)                       { p <- value }

// logged is a chi log entry of its own for every request.
func logged(entry middleware.LogEntry) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, middleware.WithLogEntry(r, entry))
		})
	}
}

// counted is what a logger knows of an answer.
type counted struct{ status, bytes int }

// counting is a logger as chi's own is: it wraps the writer and looks at it afterwards.
func counting(log chan<- counted) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			wrapped := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
			next.ServeHTTP(wrapped, r)
			log <- counted{wrapped.Status(), wrapped.BytesWritten()}
		})
	}
}

// A logger outside counts what is sent, one inside what was written, and neither is
// in the way.
func TestChiLogger(t *testing.T) {
	const size = 100_000
	outside, within := make(chan counted, 1), make(chan counted, 1)
	router := chi.NewRouter()
	router.Use(counting(outside), inside, counting(within))
	router.Get("/text", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, text(size)) })
	router.Get("/copy", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(size))
		io.Copy(w, io.LimitReader(endless{}, size))
	})
	router.Get("/none", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) })
	server := testkit.Serve(t, router)
	for _, tt := range []struct {
		target, coding string
		status         int
		bytes          int // inside
		reason         string
	}{
		{"/text", "gzip", 200, size, "written at once"},
		{"/copy", "gzip", 200, size, "by ReadFrom of three writers"},
		{"/none", "", 204, 0, "a status and nothing else"},
	} {
		got := get(t, server, tt.target, acceptGzip)
		if got.err != nil || got.StatusCode != tt.status || got.coding() != tt.coding || len(got.plain) != tt.bytes {
			t.Errorf("%s, %s: got %s, %v, %d bytes, error %v", tt.target, tt.reason, got.Status, got.Header, len(got.plain), got.err)
		}
		sent, written := await(t, outside, "it is logged"), await(t, within, "it is logged")
		if want := (counted{tt.status, tt.bytes}); written != want {
			t.Errorf("%s, %s: inside %+v, want %+v", tt.target, tt.reason, written, want)
		}
		if coded := sent.bytes > 0 && sent.bytes < tt.bytes/10; sent.status != tt.status || coded != (tt.coding != "") {
			t.Errorf("%s, %s: outside %+v, want %d and the coded bytes", tt.target, tt.reason, sent, tt.status)
		}
	}
}

// endless is a reader that nothing is known of.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, sentence), nil }

func TestChiRecoverer(t *testing.T) {
	failure := errors.New("failure")
	for _, tt := range []struct {
		name        string
		middlewares []func(http.Handler) http.Handler
		reason      string
	}{
		{"outside", []func(http.Handler) http.Handler{middleware.Recoverer, inside}, "the answer is that of the middleware"},
		{"inside", []func(http.Handler) http.Handler{inside, middleware.Recoverer}, "the status came first from the Recoverer"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			seen := make(panics, 1)
			router := chi.NewRouter()
			router.Use(logged(seen))
			router.Use(tt.middlewares...)
			router.Get("/before", func(w http.ResponseWriter, r *http.Request) { panic(failure) })
			router.Get("/abort", func(w http.ResponseWriter, r *http.Request) {
				io.WriteString(w, text(200_000))
				http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			})
			server := testkit.Serve(t, router)
			get(t, server, "/before", acceptGzip).want(t, 500, "", "", tt.reason)
			if got := await(t, seen, "it is recovered"); got != failure {
				t.Errorf("recovered %v, want %v", got, failure)
			}
			if got := get(t, server, "/abort", acceptGzip); got.err == nil {
				t.Errorf("%s, %d bytes that look whole: %s", got.Status, len(got.plain), tt.reason)
			}
		})
	}
}

// chi's Timeout ends the context and nothing else.
func TestChiTimeout(t *testing.T) {
	const soon = 20 * time.Millisecond
	for _, tt := range []struct {
		name        string
		middlewares []func(http.Handler) http.Handler
		coding      string
		reason      string
	}{
		{"outside", []func(http.Handler) http.Handler{middleware.Timeout(soon), inside}, "", "no encoder is waited for when time is over"},
		{"inside", []func(http.Handler) http.Handler{inside, middleware.Timeout(soon)}, "gzip", "only the handler's time is over"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			router := chi.NewRouter()
			router.Use(tt.middlewares...)
			router.Get("/silent", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
			router.Get("/late", func(w http.ResponseWriter, r *http.Request) {
				<-r.Context().Done()
				w.WriteHeader(http.StatusTeapot)
				io.WriteString(w, text(100_000)+context.Cause(r.Context()).Error())
			})
			server := testkit.Serve(t, quiet(router))
			get(t, server, "/silent", acceptGzip).want(t, 504, "", "", "nothing was written")
			last := text(100_000) + context.DeadlineExceeded.Error()
			get(t, server, "/late", acceptGzip).want(t, 418, tt.coding, last, tt.reason)
		})
	}
}

// quiet takes the second status of an answer away, which net/http would log.
func quiet(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&firstStatus{ResponseWriter: w}, r)
	})
}

type firstStatus struct {
	http.ResponseWriter
	given bool
}

func (w *firstStatus) WriteHeader(status int) {
	if !w.given {
		w.given = status >= 200
		w.ResponseWriter.WriteHeader(status)
	}
}

func (w *firstStatus) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Routers within routers have middleware of their own; coded is coded once.
func TestChiMount(t *testing.T) {
	page := "<!doctype html>" + text(5000)
	api := chi.NewRouter()
	api.Use(inside)
	api.Get("/items/{id}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"id":"`+chi.URLParam(r, "id")+`","text":"`+strings.Repeat("x", 4000)+`"}`)
	})
	router := chi.NewRouter()
	router.With(inside).Get("/", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, page) })
	router.Mount("/api", api)
	router.Route("/twice", func(r chi.Router) {
		r.Use(inside)
		r.Mount("/", api)
	})
	router.With(inside, middleware.Compress(5)).Get("/both", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, page)
	})
	server := testkit.Serve(t, router)
	get(t, server, "/", acceptGzip).want(t, 200, "gzip", page, "one route")
	get(t, server, "/both", acceptGzip).want(t, 200, "gzip", page, "chi's own coding inside")
	for _, prefix := range []string{"/api", "/twice"} {
		item := get(t, server, prefix+"/items/7", "Accept-Encoding: zstd")
		if item.coding() != "zstd" || item.err != nil || len(item.plain) < 4000 || item.plain[:9] != `{"id":"7"` {
			t.Errorf("%s: got %v, error %v, %.40q, want the item in zstd", prefix, item.Header, item.err, item.plain)
		}
		get(t, server, prefix+"/missing", acceptGzip).want(t, 404, "", "404 page not found\n", "not found below "+prefix)
		if got := get(t, server, prefix+"/items/7", acceptGzip); len(got.Header.Values("Vary")) != 1 {
			t.Errorf("%s: Vary is %q, want it once", prefix, got.Header.Values("Vary"))
		}
	}
}
