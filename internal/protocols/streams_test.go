package protocols

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/quic-go/quic-go/http3"

	"servery"
	"servery/internal/testkit"
)

// What is flushed through Compress arrives while the handler waits for just that, coded
// or as events.
func TestFlush(t *testing.T) {
	for _, protocol := range protocols {
		for _, tt := range []struct{ contentType, accept, coding string }{
			{"application/x-ndjson", "gzip", "gzip"}, {"application/x-ndjson", "zstd", "zstd"}, {"text/event-stream", "gzip", ""},
		} {
			arrived := make(chan int)
			s := serve(t, protocol, servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", tt.contentType)
				for i := range 5 {
					fmt.Fprintf(w, "piece %d\n", i)
					if err := http.NewResponseController(w).Flush(); err != nil {
						t.Errorf("%s: %v", protocol, err)
					}
					select {
					case <-arrived:
					case <-r.Context().Done():
					}
				}
			})))
			response, err := s.client.Do(request(t, "GET", s.url, "Accept-Encoding: "+tt.accept))
			if err != nil {
				t.Fatal(err)
			}
			if got := response.Header.Get("Content-Encoding"); got != tt.coding {
				t.Errorf("%s, %s: coding %q, want %q", protocol, tt.contentType, got, tt.coding)
			}
			body := decoder(t, tt.coding, response.Body)
			for i := range 5 {
				want := fmt.Sprintf("piece %d\n", i)
				got := make([]byte, len(want))
				if _, err := io.ReadFull(body, got); err != nil || string(got) != want {
					t.Fatalf("%s, %s: got %q (%v), want %q", protocol, tt.contentType, got, err, want)
				}
				arrived <- i
			}
			if rest, err := io.ReadAll(body); len(rest) > 0 || err != nil {
				t.Errorf("%s, %s: at the end %q (%v)", protocol, tt.contentType, rest, err)
			}
			response.Body.Close()
		}
	}
}

// An answer that breaks off is one that no client takes for whole, and over the protocols
// with streams the connection goes on.
func TestAborts(t *testing.T) {
	lying := servery.FileServer(shortFS(text(200_000)), &servery.FileServerOptions{ContentETagMax: -1, Encoders: []servery.Encoder{}})
	panics := func(w http.ResponseWriter, n int) {
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, text(n))
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	for reason, handler := range map[string]http.Handler{
		"a file that is shorter than it was": lying,
		"a handler that gives up": servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			panics(w, 10)
		})),
		"a handler that gives up late": servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			panics(w, 1<<20)
		})),
	} {
		for _, protocol := range protocols {
			remotes := make(chan string, 10)
			var later atomic.Bool
			s := serve(t, protocol, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				remotes <- r.RemoteAddr
				if !later.Swap(true) {
					handler.ServeHTTP(w, r)
				}
			}))
			response, err := s.client.Do(request(t, "GET", s.url+"/file.txt", "Accept-Encoding: gzip"))
			if err == nil {
				var body []byte
				if body, err = io.ReadAll(response.Body); err == nil {
					t.Errorf("%s, %s: %s with %d bytes as if it were whole", reason, protocol, response.Status, len(body))
				}
				response.Body.Close()
			}
			var reset *http3.Error
			if protocol == "HTTP/3.0" && (!errors.As(err, &reset) || reset.ErrorCode != http3.ErrCodeInternalError || !reset.Remote) {
				t.Errorf("%s, %s: %v, want a reset of the stream by the server", reason, protocol, err)
			}
			if after := fetch(t, s, "GET", "/"); after.Status != 200 {
				t.Errorf("%s, %s: status %d afterwards", reason, protocol, after.Status)
			}
			if first, second := <-remotes, <-remotes; protocol != "HTTP/1.1" && first != second {
				t.Errorf("%s, %s: the connection from %s went, the next is from %s", reason, protocol, first, second)
			}
		}
	}
}

// shortFS has one file, which is a thousand bytes shorter than it says.
type shortFS string

func (s shortFS) Open(name string) (fs.File, error) {
	f, err := fstest.MapFS{"file.txt": {Data: []byte(s), ModTime: testkit.Past}}.Open(name)
	return shortFile{f}, err
}

// A client that leaves ends the answer: the handler is told, and its writes fail.
func TestClientLeaves(t *testing.T) {
	files := fileServer(t)
	for _, protocol := range protocols {
		for target, handler := range map[string]http.Handler{
			"/large.bin": files,
			"/endless": servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/plain")
				for r.Context().Err() == nil {
					io.WriteString(w, text(10_000))
					http.NewResponseController(w).Flush()
				}
			})),
		} {
			ended := make(chan any, 1)
			s := serve(t, protocol, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				defer func() {
					problem := recover()
					ended <- problem
					if problem != nil {
						panic(problem)
					}
				}()
				handler.ServeHTTP(w, r)
			}))
			response, err := s.client.Do(request(t, "GET", s.url+target, "Accept-Encoding: gzip"))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.CopyN(io.Discard, response.Body, 1000); err != nil {
				t.Errorf("%s, %s: %v", protocol, target, err)
			}
			response.Body.Close()
			select {
			case problem := <-ended:
				if problem != nil && problem != http.ErrAbortHandler {
					t.Errorf("%s, %s: panic with %v", protocol, target, problem)
				}
			case <-time.After(testkit.Patience):
				t.Errorf("%s, %s: the handler goes on", protocol, target)
			}
		}
	}
}

// The writer of HTTP/3 lacks what a file is sent by over HTTP/1.1, and there is no
// connection to take over; all of this works without.
func TestHTTP3Writer(t *testing.T) {
	check := func(w http.ResponseWriter, _ *http.Request) {
		if _, ok := w.(io.ReaderFrom); ok {
			t.Error("the writer has ReadFrom: the other tests no longer show that it works without")
		}
		if _, ok := w.(http.Flusher); !ok {
			t.Error("the writer cannot flush")
		}
	}
	s := serve(t, "HTTP/3.0", http.HandlerFunc(check))
	fetch(t, s, "GET", "/")
	s = serve(t, "HTTP/3.0", servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		c := http.NewResponseController(w)
		if _, _, err := c.Hijack(); !errors.Is(err, http.ErrNotSupported) {
			t.Errorf("a hijack: %v, want ErrNotSupported", err)
		}
		far := time.Now().Add(time.Hour)
		if err := errors.Join(c.SetReadDeadline(far), c.SetWriteDeadline(far)); err != nil {
			t.Errorf("deadlines: %v", err)
		}
		w.Header().Set("Content-Type", "text/plain")
		if n, err := io.Copy(w, strings.NewReader(text(100_000))); n != 100_000 || err != nil {
			t.Errorf("copied %d bytes: %v", n, err)
		}
	})))
	if got := fetch(t, s, "GET", "/", "Accept-Encoding: gzip"); undo(t, got) != text(100_000) || got.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("%d with %v and %d bytes", got.Status, got.Header, len(got.Body))
	}
}

// shortFile can be read from its beginning only, as far as it goes.
type shortFile struct{ inner fs.File }

func (f shortFile) Read(p []byte) (int, error) { return f.inner.Read(p) }
func (f shortFile) Close() error               { return f.inner.Close() }

func (f shortFile) Stat() (fs.FileInfo, error) {
	info, err := f.inner.Stat()
	return longInfo{info}, err
}

type longInfo struct{ fs.FileInfo }

func (i longInfo) Size() int64 { return i.FileInfo.Size() + 1000 }
