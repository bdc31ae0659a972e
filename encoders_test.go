package servery_test

import (
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"servery"
	"servery/internal/testkit"
)

// watched is gzip that a test can watch and hold up.
type watched struct {
	// act is told of each piece of input before it is encoded, and may block it or
	// fail it. It is called concurrently, and set before the first request.
	act func(plain []byte) error

	// begin, if not nil, is called before the input is read. It is as act.
	begin func()

	begun, ended atomic.Int64 // bodies
}

func (w *watched) encoder() servery.Encoder {
	encoder := servery.Gzip(6)
	inner := encoder.New
	encoder.New = func() (servery.EncoderWriter, error) {
		writer, err := inner()
		return &watchedWriter{writer, w}, err
	}
	return encoder
}

type watchedWriter struct {
	servery.EncoderWriter
	of *watched
}

func (w *watchedWriter) Reset(to io.Writer) {
	w.of.begun.Add(1)
	if w.of.begin != nil {
		w.of.begin()
	}
	w.EncoderWriter.Reset(to)
}

func (w *watchedWriter) Write(p []byte) (int, error) {
	if w.of.act != nil {
		if err := w.of.act(p); err != nil {
			return 0, err
		}
	}
	return w.EncoderWriter.Write(p)
}

func (w *watchedWriter) Close() error {
	w.of.ended.Add(1)
	return w.EncoderWriter.Close()
}

// gate blocks all who pass until it is opened.
type gate struct{ reached, open chan struct{} }

func newGate() *gate { return &gate{make(chan struct{}, 1000), make(chan struct{})} }

func (g *gate) pass([]byte) error {
	g.reached <- struct{}{}
	<-g.open
	return nil
}

// coding is a handler's options with a watched encoder, and what can be looked at.
type coding struct {
	watched
	cache   *servery.CompressionCache
	limiter *servery.Limiter
}

func newCoding(cacheBytes int64, limits servery.LimiterOptions) *coding {
	return &coding{cache: servery.NewCompressionCache(cacheBytes), limiter: servery.NewLimiter(limits)}
}

func (c *coding) options() *servery.FileServerOptions {
	return &servery.FileServerOptions{Encoders: []servery.Encoder{c.encoder()}, Cache: c.cache, Limiter: c.limiter}
}

// atRest waits until no body is being made.
func (c *coding) atRest(t *testing.T) {
	t.Helper()
	eventually(t, "all is at rest", func() bool {
		l := c.limiter.Stats()
		return c.cache.Stats().Flights == 0 && l.Active == 0 && l.Queued == 0
	})
}

// eventually waits for what nothing announces.
func eventually(tb testing.TB, what string, is func() bool) {
	tb.Helper()
	for deadline := time.Now().Add(testkit.Patience); !is(); <-time.After(time.Millisecond) {
		if time.Now().After(deadline) {
			tb.Fatalf("it does not come to it that %s", what)
		}
	}
}

const acceptGzip = "Accept-Encoding: gzip"

// wantCoded demands the file in gzip.
func wantCoded(t *testing.T, got testkit.Response, text, reason string) {
	t.Helper()
	if got.Status != http.StatusOK || got.Err != nil || got.Header.Get("Content-Encoding") != "gzip" || decoded(t, "gzip", got.Body) != text {
		t.Errorf("%s: %v, got\n%s, want 200 with the file in gzip", reason, got.Err, got.Head)
	}
}

// ask sends a request that is not answered yet.
func ask(t *testing.T, server *testkit.Server, target string, fields ...string) *testkit.Conn {
	t.Helper()
	c := server.Dial()
	c.Send("GET", target, fields...)
	return c
}
