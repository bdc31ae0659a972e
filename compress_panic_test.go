package servery_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"servery"
)

// oneStream are options under which an encoder that was not given back shows in the
// next answer.
func oneStream() (*servery.CompressOptions, *servery.Limiter) {
	limiter := servery.NewLimiter(servery.LimiterOptions{Streams: 1, Workers: 1})
	return &servery.CompressOptions{Limiter: limiter}, limiter
}

// abrupt are the ways in which a handler ends without returning.
func abrupt() map[string]func() {
	value := errors.New("a value of its own")
	return map[string]func(){
		"a panic":         func() { panic(value) },
		"ErrAbortHandler": func() { panic(http.ErrAbortHandler) },
		"Goexit":          runtime.Goexit,
	}
}

// Before the commit nothing was sent: the client gets nothing.
func TestCompressPanicBeforeTheCommit(t *testing.T) {
	text := realText(t, 10_000)
	for what, end := range abrupt() {
		for when, write := range map[string]func(w http.ResponseWriter){
			"before all":          func(http.ResponseWriter) {},
			"after WriteHeader":   func(w http.ResponseWriter) { w.WriteHeader(201) },
			"after a small Write": func(w http.ResponseWriter) { io.WriteString(w, text[:100]) },
			"after some Writes":   func(w http.ResponseWriter) { writePieces(w, text, 1000) },
		} {
			opts, limiter := oneStream()
			server := serveLoosely(t, servery.Compress(opts)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/plain")
				write(w)
				end()
			})))
			got, _ := raw(t, server, "GET / HTTP/1.1\r\nHost: test\r\nAccept-Encoding: gzip\r\n\r\n")
			if s := limiter.Stats(); got != "" || s.Active != 0 || s.Streams != 0 {
				t.Errorf("%s %s: got %q and %+v, want nothing", what, when, got, s)
			}
		}
	}
}

// An outer recovery can answer instead, with the header as the handler left it.
func TestCompressPanicIsRecoverable(t *testing.T) {
	text := realText(t, 10_000)
	value := errors.New("a value of its own")
	for when, write := range map[string]func(w http.ResponseWriter){
		"before all":          func(http.ResponseWriter) {},
		"after WriteHeader":   func(w http.ResponseWriter) { w.WriteHeader(201) },
		"after a small Write": func(w http.ResponseWriter) { io.WriteString(w, text[:100]) },
		"after some Writes":   func(w http.ResponseWriter) { writePieces(w, text, 1000) },
	} {
		inner := servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			setFields(w.Header(), []string{"Content-Type: text/html", "X-Own: own", "Content-Length: 10000"})
			write(w)
			w.Header().Set("X-Late", "late")
			panic(value)
		}))
		server := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer func() {
				if got := recover(); got != value {
					t.Errorf("%s: recovered %v, want the handler's own value", when, got)
				}
				http.Error(w, "sorry", http.StatusInternalServerError)
			}()
			inner.ServeHTTP(w, r)
		}))
		for _, method := range []string{"GET", "POST"} {
			got := fetch(t, server, method, "/", acceptGzip, "Content-Length: 0")
			h := got.Header
			if got.Status != 500 || string(got.Body) != "sorry\n" || h.Get("X-Own") != "own" || h.Get("X-Late") != "late" ||
				h.Get("Content-Encoding") != "" || h.Get("Vary") != "" || h.Get("Content-Length") != "6" {
				t.Errorf("%s: got\n%s%s, want the outer 500", when, got.Head, got.Body)
			}
		}
	}
}

// committing are the ways to write that leave no way back.
func committing(noise string) map[string]func(w http.ResponseWriter) {
	return map[string]func(w http.ResponseWriter){
		"after a flush":            func(w http.ResponseWriter) { io.WriteString(w, "text"); w.(http.Flusher).Flush() },
		"after a flush of nothing": func(w http.ResponseWriter) { w.(http.Flusher).Flush() },
		"after many bytes":         func(w http.ResponseWriter) { io.WriteString(w, noise) },
		"after many bytes and a flush": func(w http.ResponseWriter) {
			io.WriteString(w, noise)
			w.(http.Flusher).Flush()
		},
		"after a flush and more": func(w http.ResponseWriter) {
			w.(http.Flusher).Flush()
			io.WriteString(w, noise[:20_000])
		},
	}
}

// After the commit what came can be told from a whole answer, by its coding as well as by its framing.
func TestCompressPanicAfterTheCommit(t *testing.T) {
	noise := incompressible(300_000)
	value := errors.New("a value of its own")
	for _, b := range builtIn {
		for when, commit := range committing(noise) {
			values := make(chan any, 1)
			opts, limiter := oneStream()
			inner := servery.Compress(opts)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/plain")
				commit(w)
				if r.URL.Path == "/panic" {
					panic(value)
				}
			}))
			server := serveLoosely(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				defer func() {
					recovered := recover()
					values <- recovered
					if recovered != nil && r.URL.RawQuery == "" {
						panic(recovered)
					}
				}()
				inner.ServeHTTP(w, r)
			}))
			for _, query := range []string{"", "?swallow"} {
				c := server.Dial()
				c.Send("GET", "/panic"+query, "Accept-Encoding: "+b.coding)
				got := c.Read("GET")
				_, err := undo(b.coding, got.Body)
				recovered := receive(t, values, "the handler ends")
				if recovered != value || err == nil || got.Header.Get("Content-Encoding") != b.coding || got.Header.Get("Content-Length") != "" {
					t.Errorf("%s%s: recovered %v; decoding: %v; got\n%s, want a coded answer that breaks off", when, query, recovered, err, got.Head)
				}
				if query == "" && got.Err == nil {
					t.Errorf("%s: the last chunk has come", when)
				}
				c.Close()
			}
			if s := limiter.Stats(); s.Active != 0 || s.Streams != 0 {
				t.Errorf("%s: %+v, want all given back", when, s)
			}
			c := server.Dial()
			c.Send("GET", "/", "Accept-Encoding: "+b.coding) // its encoder may not have anything of the other's left
			got := c.Read("GET")
			if _, err := undo(b.coding, got.Body); err != nil {
				t.Errorf("%s: the next answer: %v\n%s", when, err, got.Head)
			}
		}
	}
}

// HTTP/1.0 has no chunks: it is the coding alone that tells.
func TestCompressPanicInHTTP10(t *testing.T) {
	noise := incompressible(300_000)
	for _, b := range builtIn {
		server := serveLoosely(t, servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			io.WriteString(w, noise)
			panic(http.ErrAbortHandler)
		})))
		got, _ := raw(t, server, "GET / HTTP/1.0\r\nAccept-Encoding: "+b.coding+"\r\n\r\n")
		head, body, _ := strings.Cut(got, "\r\n\r\n")
		if _, err := undo(b.coding, []byte(body)); err == nil || !strings.Contains(head, "Content-Encoding: "+b.coding) {
			t.Errorf("decoding %d bytes: %v, want an error\n%s", len(body), err, head)
		}
	}
}

// Answers that are not coded break off as they do without Compress.
func TestCompressPanicOfAPassedAnswer(t *testing.T) {
	text := realText(t, 100_000)
	for _, fields := range [][]string{{"Content-Type: image/png"}, {"Content-Type: image/png", "Content-Length: 200000"}, {textType, "Content-Encoding: br"}} {
		handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			setFields(w.Header(), fields)
			io.WriteString(w, text)
			panic(http.ErrAbortHandler)
		})
		const request = "GET / HTTP/1.1\r\nHost: test\r\nAccept-Encoding: gzip\r\n\r\n"
		want, _ := raw(t, serveLoosely(t, handler), request)
		got, _ := raw(t, serveLoosely(t, servery.Compress(nil)(handler)), request)
		// How many bytes were on their way is a matter of buffers.
		got, want = withoutDate(got), withoutDate(want)
		head, body, _ := strings.Cut(got, "\r\n\r\n")
		wantHead, _, _ := strings.Cut(want, "\r\n\r\n")
		if head != wantHead || body == "" || strings.HasSuffix(got, "\r\n0\r\n\r\n") || len(body) > 150_000 {
			t.Errorf("%q: %d bytes after\n%s, want what breaks off after\n%s", fields, len(body), head, wantHead)
		}
	}
}

// withoutDate drops the line that differs from second to second.
func withoutDate(answer string) string {
	var b bytes.Buffer
	lines := bufio.NewReader(strings.NewReader(answer))
	for {
		line, err := lines.ReadString('\n')
		if !strings.HasPrefix(line, "Date: ") {
			b.WriteString(line)
		}
		if err != nil {
			return b.String()
		}
	}
}
