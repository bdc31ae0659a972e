package servery_test

import (
	"errors"
	"io"
	"net/http"
	"testing"

	"servery"
)

// persistent answers with text and does not let itself be stopped: it recovers from
// panics of what it calls and goes on.
func persistent(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		for len(text) > 0 {
			n := min(len(text), 7000)
			func() {
				defer func() { _ = recover() }()
				io.WriteString(w, text[:n])
			}()
			text = text[n:]
		}
	}
}

// A handler that goes on after a panic in the application's functions keeps no place
// and no slot.
func TestCompressAfterRecoveredPanics(t *testing.T) {
	text := realText(t, 200_000)
	twice := func(f func()) func() { // panics for the first two calls
		calls := 0
		return func() {
			if calls++; calls <= 2 {
				f()
			}
		}
	}
	failing := func() { panic(errEncoder) }
	for what, change := range map[string]func(*servery.CompressOptions){
		"New": func(o *servery.CompressOptions) {
			encoder, next, fail := servery.Gzip(6), servery.Gzip(6).New, twice(failing)
			encoder.New = func() (servery.EncoderWriter, error) { fail(); return next() }
			o.Encoders = []servery.Encoder{encoder}
		},
		"Compressible": func(o *servery.CompressOptions) {
			fail := twice(failing)
			o.Compressible = func(string) bool { fail(); return true }
		},
		"OnError for New": func(o *servery.CompressOptions) {
			encoder, next, fail := servery.Gzip(6), servery.Gzip(6).New, twice(failing)
			calls := 0
			encoder.New = func() (servery.EncoderWriter, error) {
				if calls++; calls <= 2 {
					return nil, errors.New("none")
				}
				return next()
			}
			o.Encoders, o.OnError = []servery.Encoder{encoder}, func(*http.Request, error) { fail() }
		},
		"OnError for Write": func(o *servery.CompressOptions) {
			fail := twice(failing)
			o.Encoders, o.OnError = []servery.Encoder{broken("Write", 1, false)}, func(*http.Request, error) { fail() }
		},
		"Write": func(o *servery.CompressOptions) { o.Encoders = []servery.Encoder{broken("Write", 1, true)} },
		"the second Write": func(o *servery.CompressOptions) {
			o.Encoders = []servery.Encoder{broken("Write", 2, true)}
		},
		"Close": func(o *servery.CompressOptions) { o.Encoders = []servery.Encoder{broken("Close", 0, true)} },
	} {
		limiter := servery.NewLimiter(servery.LimiterOptions{Workers: 1, Streams: 3})
		opts := &servery.CompressOptions{Limiter: limiter}
		change(opts)
		server := serveLoosely(t, servery.Compress(opts)(persistent(text)))
		for range 3 {
			c := server.Dial()
			c.Send("GET", "/", acceptGzip)
			_, _ = readWhole(c.Conn) // nothing, or what breaks off, or what the handler got through
			if s := limiter.Stats(); s.Active != 0 || s.Streams != 0 || s.Queued != 0 {
				t.Errorf("%s: %+v, want all given back", what, s)
			}
			c.Close()
		}
	}
}

// What an encoder that panicked had in hand is missing: a client must not take the
// rest for all there is, even if the handler goes on as if nothing had been.
func TestCompressMissesNoBytesAfterARecoveredPanic(t *testing.T) {
	text := realText(t, 60_000)
	for what, encoder := range map[string]servery.Encoder{
		"New": panicsOnce(), "the first Write": broken("Write", 1, true), "a later Write": broken("Write", 2, true),
	} {
		opts := &servery.CompressOptions{Encoders: []servery.Encoder{encoder}}
		server := serveLoosely(t, servery.Compress(opts)(persistent(text)))
		response, err := http.DefaultTransport.RoundTrip(gzipRequest(t, server.Addr))
		if err != nil {
			continue // broken off before the head
		}
		defer response.Body.Close()
		if body, err := io.ReadAll(response.Body); err == nil {
			t.Errorf("%s: a complete answer of %d bytes, %v", what, len(body), response.Header)
		}
	}
}

// panicsOnce is an encoder that cannot be made for the first time.
func panicsOnce() servery.Encoder {
	encoder, called := servery.Gzip(6), false
	next := encoder.New
	encoder.New = func() (servery.EncoderWriter, error) {
		if !called {
			called = true
			panic(errEncoder)
		}
		return next()
	}
	return encoder
}

func gzipRequest(t *testing.T, addr string) *http.Request {
	t.Helper()
	request, err := http.NewRequest("GET", "http://"+addr+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept-Encoding", "gzip")
	return request
}
