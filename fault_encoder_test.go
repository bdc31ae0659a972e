package servery_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"servery"
	"servery/internal/testkit"
)

// spoiling is gzip that is held up at one call of its first writer, and then fails there or
// not. A writer that has failed must not be used again.
type spoiling struct {
	call string // New, Reset, Write, Flush or Close
	n    int    // how many of them go well before
	fail func() error

	over    atomic.Bool   // it has come to it, or is not to come to it
	reached chan struct{} // closed at the call
	proceed chan struct{} // what it waits for
	misused atomic.Int64  // calls of writers that had failed
}

func newSpoiling(call string, n int, fail func() error) *spoiling {
	return &spoiling{call: call, n: n, fail: fail, reached: make(chan struct{}), proceed: make(chan struct{})}
}

func (s *spoiling) encoder() servery.Encoder {
	encoder := servery.Gzip(6)
	inner := encoder.New
	encoder.New = func() (servery.EncoderWriter, error) {
		writer, err := inner()
		spoiled := &spoiledWriter{EncoderWriter: writer, of: s, left: s.n}
		return spoiled, errors.Join(err, spoiled.at("New"))
	}
	return encoder
}

type spoiledWriter struct {
	servery.EncoderWriter
	of      *spoiling
	left    int // calls that go well
	spoiled bool
}

func (w *spoiledWriter) at(call string) error {
	switch {
	case w.spoiled:
		w.of.misused.Add(1)
	case call != w.of.call:
	case w.left > 0:
		w.left--
	case !w.of.over.Swap(true):
		close(w.of.reached)
		<-w.of.proceed
		w.spoiled = true
		err := w.of.fail()
		w.spoiled = err != nil
		return err
	}
	return nil
}

func (w *spoiledWriter) Reset(to io.Writer) {
	if err := w.at("Reset"); err == nil {
		w.EncoderWriter.Reset(to)
	}
}

func (w *spoiledWriter) Write(p []byte) (int, error) {
	if err := w.at("Write"); err != nil {
		return 0, err
	}
	return w.EncoderWriter.Write(p)
}

func (w *spoiledWriter) Flush() error {
	return errors.Join(w.at("Flush"), w.EncoderWriter.Flush())
}

func (w *spoiledWriter) Close() error {
	if err := w.at("Close"); err != nil {
		return err
	}
	return w.EncoderWriter.Close()
}

// spoilings are the ways in which a call of an encoder does not return.
var spoilings = []struct {
	name string
	fail func() error
	torn int // of three that wait for it
}{
	{"error", func() error { return errEncoder }, 0},
	{"panic", func() error { panic(errEncoder) }, 1},
	{"end of the goroutine", func() error { runtime.Goexit(); return nil }, 0},
}

// Three wait for a body whose encoder fails: all are told, and a panic goes on in one of
// them alone. Nothing is held, and the next body is made by another writer.
func TestEncoderFailsForThree(t *testing.T) {
	text := realText(t, 50_000)
	for _, size := range []int{5000, 50_000} {
		path := testkit.Tree(t, map[string]string{"file.txt": text[:size], "other.txt": text[:size/2]})
		for _, at := range []struct {
			call string
			n    int
		}{{"New", 0}, {"Reset", 0}, {"Write", 0}, {"Write", size / (16 << 10)}, {"Close", 0}} {
			for _, way := range spoilings {
				if at.call == "Reset" && way.name == "error" {
					continue // it returns none
				}
				label := fmt.Sprintf("%d bytes, %s after %d %s", size, way.name, at.n, at.call)
				c, spoiling := newCoding(32<<20, servery.LimiterOptions{Workers: 1}), newSpoiling(at.call, at.n, way.fail)
				opts := c.options()
				opts.Encoders, opts.OffloadThreshold = []servery.Encoder{spoiling.encoder()}, 20_000
				server := serveLoosely(t, servery.FileServer(openDir(t, path), opts))
				before := testkit.Holding()
				failsForThree(t, c, server, spoiling, way.torn, label)
				for _, name := range []string{"file.txt", "other.txt", "file.txt"} {
					wantCoded(t, server.Get("/"+name, acceptGzip), readFile(t, path+"/"+name), label+", then "+name)
				}
				if n := spoiling.misused.Load(); n != 0 {
					t.Errorf("%s: %d calls of a writer that had failed", label, n)
				}
				if err := before.Regained(); err != nil {
					t.Errorf("%s: %v", label, err)
				}
			}
		}
	}
}

func failsForThree(t *testing.T, c *coding, server *testkit.Server, spoiling *spoiling, torn int, label string) {
	t.Helper()
	clients := []*testkit.Conn{ask(t, server, "/file.txt", acceptGzip)}
	receive(t, spoiling.reached, "the encoder is called: "+label)
	clients = append(clients, ask(t, server, "/file.txt", acceptGzip), ask(t, server, "/file.txt", acceptGzip))
	eventually(t, "two have joined", func() bool { return c.cache.Stats().Joined == 2 })
	close(spoiling.proceed)
	for _, client := range clients {
		response, err := http.ReadResponse(bufio.NewReader(client.Conn), nil)
		switch {
		case err != nil:
			torn--
		case response.StatusCode != http.StatusInternalServerError:
			t.Errorf("%s: status %d, want 500", label, response.StatusCode)
		}
		client.Close()
	}
	if torn != 0 {
		t.Errorf("%s: %d more are to be torn", label, torn)
	}
	c.atRest(t)
	if s := c.cache.Stats(); s.Failed != 1 || s.Entries != 0 || s.Bytes != 0 {
		t.Errorf("%s: %+v, want one failure and nothing held", label, s)
	}
}

// What an encoder of Compress fails with spoils its own response and its own writer.
func TestCompressDropsSpoiledWriters(t *testing.T) {
	noise := incompressible(100_000)
	for _, body := range []string{noise[:5000], noise} {
		for _, call := range []string{"New", "Reset", "Write", "Flush", "Close"} {
			for _, way := range spoilings[:2] {
				if call == "Reset" && way.name == "error" {
					continue
				}
				label := fmt.Sprintf("%d bytes, %s at %s", len(body), way.name, call)
				opts, limiter := oneStream()
				spoiling := newSpoiling(call, 0, way.fail)
				close(spoiling.proceed)
				opts.Encoders = []servery.Encoder{spoiling.encoder()}
				values := make(chan any, 1)
				inner := servery.Compress(opts)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "text/plain")
					io.WriteString(w, body[:len(body)/2])
					http.NewResponseController(w).Flush()
					io.WriteString(w, body[len(body)/2:])
				}))
				server := serveLoosely(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					value := panicOf(func() { inner.ServeHTTP(w, r) })
					values <- value
					if value != nil {
						panic(value)
					}
				}))
				for i := range 3 {
					c := ask(t, server, "/", acceptGzip)
					plain, err := readWhole(c.Conn)
					value := receive(t, values, "the handler ends")
					c.Close()
					if whole := err == nil && plain == body; whole != (value == nil) || i > 0 && !whole {
						t.Errorf("%s, answer %d: %d bytes, %v, panic %v", label, i, len(plain), err, value)
					}
					if want := any(errEncoder); i == 0 && way.name == "panic" && value != want {
						t.Errorf("%s: panic %v, want the encoder's own", label, value)
					}
					if i == 0 && value != nil && !slices.Contains([]any{errEncoder, http.ErrAbortHandler}, value) {
						t.Errorf("%s: panic %v", label, value)
					}
					if s := limiter.Stats(); s.Active != 0 || s.Streams != 0 {
						t.Errorf("%s, answer %d: %+v, want all given back", label, i, s)
					}
				}
				if n := spoiling.misused.Load(); n != 0 || !spoiling.over.Load() {
					t.Errorf("%s: failed %v, then %d calls of the writer that had", label, spoiling.over.Load(), n)
				}
			}
		}
	}
}
