package servery_test

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"servery"
)

// However a handler writes, the client gets the same fields and the same bytes, with
// a length as long as all of it is at hand when the handler ends.
func TestCompressCodes(t *testing.T) {
	const collected = 16 << 10
	text := realText(t, 100_000)
	for _, body := range []string{
		text[:1024], text[:5000], text[:collected], text[:collected+1], text, strings.Repeat("a", 200_000),
	} {
		bodies := make(map[string]string) // of all codings
		for _, style := range writeStyles(t) {
			for _, declared := range []bool{false, true} {
				s := serveTwins(t, nil, func(w http.ResponseWriter, _ *http.Request) {
					setFields(w.Header(), []string{textType, `ETag: "v1"`, "Accept-Ranges: bytes", "X-Own: kept"})
					if declared {
						w.Header().Set("Content-Length", strconv.Itoa(len(body)))
					}
					if n, err := style.write(w, body); n != int64(len(body)) || err != nil {
						t.Errorf("%s: %d bytes written, %v, want %d", style.name, n, err, len(body))
					}
				})
				reason := fmt.Sprintf("%d bytes by %s, declared %v", len(body), style.name, declared)
				for _, b := range builtIn {
					bare, got := s.ask(t, "GET", "Accept-Encoding: "+b.coding)
					wantCodedLike(t, bare, got, b.coding, reason)
					if len(got.Body) <= collected && got.Header.Get("Content-Length") == "" {
						t.Errorf("%s: got\n%s, want a length for %d bytes", reason, got.Head, len(got.Body))
					}
					bodies[string(got.Body)] = reason
				}
			}
		}
		if len(bodies) != len(builtIn) {
			t.Errorf("%d bytes: %d different bodies under the strong tags of %d codings", len(body), len(bodies), len(builtIn))
		}
	}
}

// The status is the handler's, whatever it is, as long as there is a body.
func TestCompressKeepsTheStatus(t *testing.T) {
	text := realText(t, 5000)
	for _, status := range []int{200, 201, 202, 203, 207, 300, 301, 400, 401, 403, 404, 409, 418, 422, 429, 500, 502, 503, 599} {
		s := serveTwins(t, nil, says(status, text, textType))
		bare, got := s.ask(t, "GET", acceptGzip)
		wantCodedLike(t, bare, got, "gzip", fmt.Sprint(status))
	}
}

// The methods whose answers have a body are all alike.
func TestCompressKnowsNoMethods(t *testing.T) {
	text := realText(t, 5000)
	for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "PROPFIND", "QUERY"} {
		s := serveTwins(t, nil, says(200, text, textType))
		bare, got := s.ask(t, method, acceptGzip, "Content-Length: 0")
		wantCodedLike(t, bare, got, "gzip", method)
	}
}

// What does not come out of one Write is bounded: the first byte of a long body is
// on its way long before the last one is written.
func TestCompressStreams(t *testing.T) {
	noise := incompressible(1 << 20)
	for _, tt := range []struct{ mediaType, accept, reason string }{
		{"text/plain", "gzip", "coded, and grown beyond the buffers"},
		{"text/plain", "zstd", "coded, and grown beyond the buffers"},
		{"text/plain", "identity", "passed on"},
		{"image/png", "gzip", "passed on"},
	} {
		goOn := make(chan struct{})
		server := serveHandler(t, servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", tt.mediaType)
			io.WriteString(w, noise[:1<<19])
			<-goOn
			io.WriteString(w, noise[1<<19:])
		})))
		c := open(t, server, "GET", "Accept-Encoding: "+tt.accept)
		response := c.answer(t)
		wantRead := make([]byte, 1<<18)
		if n, err := io.ReadFull(response.Body, wantRead); err != nil {
			t.Errorf("%s: %d bytes while the handler is at work, %v", tt.reason, n, err)
		}
		close(goOn)
		rest, err := io.ReadAll(response.Body)
		body := append(wantRead, rest...)
		if coding := response.Header.Get("Content-Encoding"); coding != "" && err == nil {
			var plain string
			plain, err = undo(coding, body)
			body = []byte(plain)
		}
		if err != nil || string(body) != noise {
			t.Errorf("%s: %d bytes, %v, want %d", tt.reason, len(body), err, len(noise))
		}
	}
}

// An answer holds buffers of a bounded size, whatever is written.
func TestCompressMemoryIsFlat(t *testing.T) {
	piece, pieces := []byte(incompressible(1<<20)), 24
	for _, tt := range []struct{ mediaType, accept string }{{"text/plain", "gzip"}, {"text/plain", "zstd"}, {"text/plain", "identity"}, {"image/png", "gzip"}} {
		server := serveHandler(t, servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", tt.mediaType)
			for range pieces {
				w.Write(piece)
			}
		})))
		ask := func() error {
			c := open(t, server, "GET", "Accept-Encoding: "+tt.accept)
			defer c.Close()
			n, err := io.Copy(io.Discard, c.answer(t).Body)
			if tt.accept == "identity" && n != int64(pieces*len(piece)) {
				t.Errorf("%s: %d bytes", tt.mediaType, n)
			}
			return err
		}
		if err := ask(); err != nil { // encoders are made
			t.Fatal(err)
		}
		before, _ := peak(func() error { return nil })
		during, err := peak(ask)
		if err != nil || during > before+8<<20 {
			t.Errorf("%s for %s: %d MiB of memory beyond %d, error %v, want a few", tt.mediaType, tt.accept, int64(during-before)>>20, before>>20, err)
		}
	}
}
