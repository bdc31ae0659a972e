package servery_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"

	"servery"
)

var errEncoder = errors.New("the encoder is broken")

// faulty is gzip that fails at one of its methods, from the call after the first n on.
type faulty struct {
	servery.EncoderWriter
	method string
	n      int
	panics bool
}

func (f *faulty) fails(method string) error {
	if f.method != method {
		return nil
	}
	if f.n--; f.n >= 0 {
		return nil
	}
	if f.panics {
		panic(errEncoder)
	}
	return errEncoder
}

func (f *faulty) Write(p []byte) (int, error) {
	if err := f.fails("Write"); err != nil {
		return 0, err
	}
	return f.EncoderWriter.Write(p)
}

func (f *faulty) Flush() error {
	if err := f.fails("Flush"); err != nil {
		return err
	}
	return f.EncoderWriter.Flush()
}

func (f *faulty) Close() error {
	if err := f.fails("Close"); err != nil {
		return err
	}
	return f.EncoderWriter.Close()
}

// broken is an encoder whose writers are faulty, or cannot be made at all.
func broken(method string, n int, panics bool) servery.Encoder {
	encoder := servery.Gzip(6)
	inner := encoder.New
	encoder.New = func() (servery.EncoderWriter, error) {
		writer, err := inner()
		f := &faulty{writer, method, n, panics}
		if fault := f.fails("New"); fault != nil {
			return nil, fault
		}
		if method == "New returns nothing" {
			return nil, nil
		}
		return f, err
	}
	return encoder
}

// reports collects what OnError is told.
type reports struct {
	mu       sync.Mutex
	errors   []error // protected by mu
	requests []*http.Request
}

func (r *reports) add(request *http.Request, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errors, r.requests = append(r.errors, err), append(r.requests, request)
}

func (r *reports) take() ([]error, []*http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	errs, requests := r.errors, r.requests
	r.errors, r.requests = nil, nil
	return errs, requests
}

// As long as all plain bytes are there an answer is sent plain when its encoder fails.
func TestCompressFallsBackToIdentity(t *testing.T) {
	text, noise := realText(t, 5000), incompressible(100_000)
	for _, tt := range []struct {
		method string
		body   string
		flush  bool
	}{
		{"New", text, false}, {"New", noise, false}, {"New", text, true},
		{"New returns nothing", text, false}, {"New returns nothing", noise, false},
		{"Write", text, false}, {"Write", noise, false}, {"Write", text, true},
		{"Close", text, false},
		{"Flush", text, true},
	} {
		for _, told := range []bool{true, false} {
			var r reports
			opts := &servery.CompressOptions{Encoders: []servery.Encoder{broken(tt.method, 0, false)}}
			if told {
				opts.OnError = r.add
			}
			s := serveTwins(t, opts, func(w http.ResponseWriter, _ *http.Request) {
				setFields(w.Header(), []string{textType, `ETag: "v1"`, "Accept-Ranges: bytes", fmt.Sprintf("Content-Length: %d", len(tt.body))})
				writePieces(w, tt.body, 1000)
				if tt.flush {
					if err := http.NewResponseController(w).Flush(); err != nil {
						t.Errorf("%s fails: Flush: %v", tt.method, err)
					}
				}
			})
			reason := fmt.Sprintf("%s fails, %d bytes, flushed %v", tt.method, len(tt.body), tt.flush)
			bare, got := s.ask(t, "GET", acceptGzip)
			wantSame(t, bare, got, true, reason)
			errs, requests := r.take()
			if told && (len(errs) != 1 || tt.method != "New returns nothing" && !errors.Is(errs[0], errEncoder) || requests[0].URL.Path != "/") {
				t.Errorf("%s: OnError is told %v, want the encoder's error once", reason, errs)
			}
		}
	}
}

func flushTwice(w http.ResponseWriter) error {
	io.WriteString(w, "first")
	http.NewResponseController(w).Flush()
	io.WriteString(w, "second")
	return http.NewResponseController(w).Flush()
}

// Once plain bytes are gone an answer breaks off when its encoder fails, and the handler is told.
func TestCompressAbortsWhenAnEncoderFails(t *testing.T) {
	noise, long := incompressible(300_000), incompressible(4<<20)
	for _, tt := range []struct {
		method string
		n      int
		write  func(w http.ResponseWriter) error
		tells  bool
		reason string
	}{
		{"Write", 3, func(w http.ResponseWriter) error { _, err := writePieces(w, noise, 10_000); return err }, true, "in the middle"},
		{"Write", 9, func(w http.ResponseWriter) error { _, err := io.WriteString(w, long); return err }, true, "in the middle of one Write"},
		{"Close", 0, func(w http.ResponseWriter) error { _, err := io.WriteString(w, noise); return err }, false, "at the end"},
		{"Write", 1, flushTwice, true, "after a flush"},
		{"Flush", 1, flushTwice, true, "at a flush"},
		{"Close", 0, func(w http.ResponseWriter) error { return http.NewResponseController(w).Flush() }, false, "at the end of nothing"},
	} {
		var r reports
		opts, limiter := oneStream()
		opts.Encoders = []servery.Encoder{broken(tt.method, tt.n, false)}
		opts.OnError = r.add
		failure, ended := make(chan error, 1), make(chan any, 1)
		inner := servery.Compress(opts)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			failure <- tt.write(w)
		}))
		server := serveLoosely(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer func() {
				value := recover()
				ended <- value
				panic(value)
			}()
			inner.ServeHTTP(w, r)
		}))
		c := server.Dial()
		c.Send("GET", "/", acceptGzip)
		// An answer of which nothing came is as good.
		answer, _ := io.ReadAll(c.Conn)
		err := receive(t, failure, "the handler ends")
		if tt.tells != errors.Is(err, errEncoder) {
			t.Errorf("%s fails %s: the handler is told %v", tt.method, tt.reason, err)
		}
		if value := receive(t, ended, "it ends"); value != http.ErrAbortHandler {
			t.Errorf("%s fails %s: ends with %v, want http.ErrAbortHandler", tt.method, tt.reason, value)
		}
		if len(answer) > 5 && string(answer[len(answer)-5:]) == "0\r\n\r\n" {
			t.Errorf("%s fails %s: the last chunk has come", tt.method, tt.reason)
		}
		if errs, _ := r.take(); len(errs) != 1 || !errors.Is(errs[0], errEncoder) {
			t.Errorf("%s fails %s: OnError is told %v, want the encoder's error once", tt.method, tt.reason, errs)
		}
		if s := limiter.Stats(); s.Active != 0 || s.Streams != 0 {
			t.Errorf("%s fails %s: %+v, want all given back", tt.method, tt.reason, s)
		}
	}
}

// An encoder that panics takes nothing with it but its own answer, which breaks off.
func TestCompressWhenAnEncoderPanics(t *testing.T) {
	noise := incompressible(100_000)
	for _, method := range []string{"New", "Write", "Flush", "Close"} {
		for _, body := range []string{noise[:5000], noise} {
			opts, limiter := oneStream()
			opts.Encoders = []servery.Encoder{broken(method, 0, true), servery.Zstd(3)}
			server := serveLoosely(t, servery.Compress(opts)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/plain")
				io.WriteString(w, body[:len(body)/2])
				http.NewResponseController(w).Flush()
				io.WriteString(w, body[len(body)/2:])
			})))
			answer, _ := raw(t, server, "GET / HTTP/1.1\r\nHost: test\r\nAccept-Encoding: gzip\r\n\r\n")
			if len(answer) > 5 && answer[len(answer)-5:] == "0\r\n\r\n" {
				t.Errorf("%s panics: the last chunk has come", method)
			}
			if s := limiter.Stats(); s.Active != 0 || s.Streams != 0 {
				t.Errorf("%s panics: %+v, want all given back", method, s)
			}
			c := server.Dial()
			c.Send("GET", "/", acceptZstd)
			if got := c.Read("GET"); got.Header.Get("Content-Encoding") != "zstd" || decoded(t, "zstd", got.Body) != body {
				t.Errorf("%s panics: the next answer is\n%s, want the body in zstd", method, got.Head)
			}
		}
	}
}
