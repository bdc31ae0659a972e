package servery_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/textproto"
	"strings"
	"testing"

	"servery"
	"servery/internal/testkit"
)

// fetch2 asks over HTTP/2 and returns the answer with its body, and how that ended.
func fetch2(t *testing.T, server *httptest.Server, method string, fields ...string) (*http.Response, []byte, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	setFields(request.Header, fields)
	response, err := testkit.Linting(t, server.Client().Transport, testkit.LintFraming).RoundTrip(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if response.ProtoMajor != 2 {
		t.Errorf("%s, want HTTP/2", response.Proto)
	}
	return response, body, err
}

func compress2(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	return http2Server(t, servery.Compress(nil)(handler))
}

// The answers over HTTP/2 are those over HTTP/1.1.
func TestCompressHTTP2(t *testing.T) {
	text := realText(t, 100_000)
	for reason, handler := range map[string]http.HandlerFunc{
		"small":       says(200, text[:500], textType, `ETag: "v1"`),
		"collected":   says(200, text[:5000], textType, `ETag: "v1"`, "Accept-Ranges: bytes"),
		"streamed":    says(200, text, textType, `ETag: "v1"`, "Vary: Origin"),
		"declared":    says(200, text, textType, fmt.Sprintf("Content-Length: %d", len(text))),
		"an image":    says(200, text, "Content-Type: image/png", "Content-Length: 100000"),
		"sniffed":     says(200, text),
		"an error":    says(404, text, textType),
		"empty":       says(200, "", textType),
		"nothing":     says(204, "", textType),
		"conditions":  content(text, `"v1"`),
		"coded":       says(200, text, textType, "Content-Encoding: br"),
		"no changes":  says(200, text, textType, "Cache-Control: no-transform"),
		"copied":      func(w http.ResponseWriter, _ *http.Request) { io.Copy(w, onlyReader{strings.NewReader(text)}) },
		"in pieces":   func(w http.ResponseWriter, _ *http.Request) { writePieces(w, text, 777) },
		"with events": says(200, text[:5000], "Content-Type: text/event-stream"),
	} {
		over1, over2 := serveHandler(t, servery.Compress(nil)(handler)), compress2(t, handler)
		for _, fields := range [][]string{
			{acceptGzip}, {acceptZstd}, {"Accept-Encoding: br"}, {acceptGzip, "Range: bytes=0-9"}, {acceptGzip, `If-None-Match: "v1-gz6.1"`},
			{acceptGzip, `If-Range: "v1-gz6.1"`, "Range: bytes=0-9"}, {acceptGzip, `If-Match: "v2"`},
		} {
			for _, method := range []string{"GET", "HEAD"} {
				want := fetch(t, over1, method, "/", fields...)
				response, body, err := fetch2(t, over2, method, fields...)
				if err != nil {
					t.Errorf("%s, %s %q: %v", reason, method, fields, err)
					continue
				}
				if fmt.Sprint(unframed(response.Header)) != fmt.Sprint(unframed(want.Header)) || response.StatusCode != want.Status || string(body) != string(want.Body) {
					t.Errorf("%s, %s %q: %s %v with %d bytes, want\n%s with %d", reason, method, fields, response.Status, response.Header, len(body), want.Head, len(want.Body))
				}
			}
		}
	}
}

// A stream that breaks off is reset, before the commit and after it.
func TestCompressHTTP2Aborts(t *testing.T) {
	noise := incompressible(300_000)
	for _, b := range builtIn {
		for reason, write := range map[string]func(w http.ResponseWriter){
			"before the commit":  func(w http.ResponseWriter) { io.WriteString(w, noise[:5000]) },
			"after a flush":      func(w http.ResponseWriter) { io.WriteString(w, "x"); w.(http.Flusher).Flush() },
			"after many bytes":   func(w http.ResponseWriter) { io.WriteString(w, noise) },
			"less than declared": func(w http.ResponseWriter) { io.WriteString(w, noise[:299_999]) },
		} {
			server := compress2(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/plain")
				if reason == "less than declared" {
					w.Header().Set("Content-Length", fmt.Sprint(len(noise)))
					write(w)
					return
				}
				write(w)
				panic(http.ErrAbortHandler)
			})
			response, body, err := fetch2(t, server, "GET", "Accept-Encoding: "+b.coding)
			if err == nil {
				t.Errorf("%s: %s with %d bytes, want an error", reason, response.Status, len(body))
			}
			if response != nil && response.StatusCode == 200 {
				if _, err := undo(b.coding, body); err == nil {
					t.Errorf("%s: the coding is whole", reason)
				}
			}
		}
	}
}

// Each flush brings what was written, and trailers come at the end.
func TestCompressHTTP2FlushesAndTrailers(t *testing.T) {
	for _, b := range builtIn {
		read := make(chan struct{})
		server := compress2(t, func(w http.ResponseWriter, _ *http.Request) {
			setFields(w.Header(), []string{textType, "Trailer: X-Sum"})
			for _, event := range append([]string{""}, events...) {
				io.WriteString(w, event)
				if err := http.NewResponseController(w).Flush(); err != nil {
					t.Errorf("Flush: %v", err)
				}
				<-read
			}
			w.Header().Set("X-Sum", "sum")
			w.Header().Set(http.TrailerPrefix+"X-Late", "late")
		})
		request, err := http.NewRequestWithContext(t.Context(), "GET", server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Accept-Encoding", b.coding)
		response, err := server.Client().Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if coding := response.Header.Get("Content-Encoding"); coding != b.coding {
			t.Errorf("coding %q at the first flush, want %s", coding, b.coding)
		}
		read <- struct{}{}
		plain := undoing(t, b.coding, response.Body)
		for _, event := range events {
			wantNext(t, plain, event, b.coding)
			read <- struct{}{}
		}
		rest, err := io.ReadAll(plain)
		if _, drained := io.Copy(io.Discard, response.Body); len(rest) > 0 || err != nil || drained != nil {
			t.Errorf("%s: %q, %v, %v at the end", b.coding, rest, err, drained)
		}
		if response.Trailer.Get("X-Sum") != "sum" || response.Trailer.Get("X-Late") != "late" {
			t.Errorf("%s: trailer %v", b.coding, response.Trailer)
		}
	}
}

// Interim answers are those of the handler, and a connection of many streams is nobody's to take.
func TestCompressHTTP2Interim(t *testing.T) {
	text, goOn := realText(t, 5000), make(chan struct{})
	server := compress2(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", "</style.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		<-goOn
		if _, _, err := http.NewResponseController(w).Hijack(); !errors.Is(err, http.ErrNotSupported) {
			t.Errorf("Hijack: %v, want http.ErrNotSupported", err)
		}
		says(200, text, textType)(w, nil)
	})
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		Got1xxResponse: func(code int, header textproto.MIMEHeader) error {
			if code != 103 || header.Get("Link") == "" {
				t.Errorf("interim %d %v, want 103 with Link", code, header)
			}
			close(goOn)
			return nil
		},
	})
	request, err := http.NewRequestWithContext(ctx, "GET", server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept-Encoding", "gzip")
	response, err := server.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := undo("gzip", []byte(readAll(t, response))); err != nil || plain != text || response.StatusCode != 200 {
		t.Errorf("%s, %v, want the text", response.Status, err)
	}
}

// A client that resets its stream is one that has left.
func TestCompressHTTP2ClientLeaves(t *testing.T) {
	ended := make(chan error, 1)
	noise := incompressible(64 << 10)
	server := compress2(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
		var err error
		for i := 0; err == nil && i < 1000; i++ {
			_, err = io.WriteString(w, noise)
		}
		ended <- err
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, "GET", server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept-Encoding", "gzip")
	response, err := server.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	response.Body.Close()
	if err := receive(t, ended, "the handler ends"); err == nil {
		t.Error("no error of 1,000 Writes to a client that has left")
	}
}
