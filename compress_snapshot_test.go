package servery_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"servery"
)

// The header is what it was at WriteHeader, or at what stands for it.
func TestCompressTakesASnapshot(t *testing.T) {
	text := realText(t, 40_000)
	commits := map[string]func(w http.ResponseWriter){
		"WriteHeader":             func(w http.ResponseWriter) { w.WriteHeader(201) },
		"the first Write":         func(w http.ResponseWriter) { io.WriteString(w, "first") },
		"an empty Write":          func(w http.ResponseWriter) { w.Write(nil) },
		"a long Write":            func(w http.ResponseWriter) { io.WriteString(w, text) },
		"Flush":                   func(w http.ResponseWriter) { w.(http.Flusher).Flush() },
		"Flush by the controller": func(w http.ResponseWriter) { http.NewResponseController(w).Flush() },
		"io.Copy":                 func(w http.ResponseWriter) { io.Copy(w, onlyReader{io.LimitReader(zeros{}, 10)}) },
	}
	changes := map[string]func(h http.Header){
		"values":            func(h http.Header) { h.Set("X-Own", "changed"); h.Set("X-Late", "late") },
		"a value in place":  func(h http.Header) { h["X-Own"][0] = "changed" },
		"a field that went": func(h http.Header) { h.Del("X-Own"); h.Del("Etag") },
		"the type":          func(h http.Header) { h.Set("Content-Type", "image/png") },
		"the coding":        func(h http.Header) { h.Set("Content-Encoding", "br") },
		"a policy":          func(h http.Header) { h.Set("Cache-Control", "no-transform") },
		"a tag":             func(h http.Header) { h.Set("Etag", `"late"`) },
		"Vary":              func(h http.Header) { h.Set("Vary", "*") },
		"a length":          func(h http.Header) { h.Set("Content-Length", "3") },
		"everything":        func(h http.Header) { clear(h) },
	}
	for when, commit := range commits {
		for what, change := range changes {
			s := serveTwins(t, nil, func(w http.ResponseWriter, _ *http.Request) {
				setFields(w.Header(), []string{textType, "X-Own: own", `ETag: "v1"`})
				commit(w)
				change(w.Header())
				io.WriteString(w, text)
			})
			reason := fmt.Sprintf("%s changed after %s", what, when)
			bare, got := s.ask(t, "GET", acceptGzip)
			wantCodedLike(t, bare, got, "gzip", reason)
			bare, got = s.ask(t, "GET")
			if got.Header.Get("Vary") != "Accept-Encoding" {
				t.Errorf("%s: got\n%s, want Vary", reason, got.Head)
			}
			got.Header.Del("Vary")
			if fmt.Sprint(unframed(got.Header)) != fmt.Sprint(unframed(bare.Header)) || string(got.Body) != string(bare.Body) {
				t.Errorf("%s: plain\n%s, want\n%s", reason, got.Head, bare.Head)
			}
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// The first status is the one that counts, and what Compress gets to hear of the
// others does not reach the server, which would complain.
func TestCompressTakesTheFirstStatus(t *testing.T) {
	text := realText(t, 5000)
	server := serveHandler(t, servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(404)
		w.WriteHeader(200)
		io.WriteString(w, text)
		w.WriteHeader(500)
		w.WriteHeader(103)
	})))
	got := fetch(t, server, "GET", "/", acceptGzip)
	if plain, err := undo("gzip", got.Body); got.Status != 404 || err != nil || plain != text {
		t.Errorf("got\n%s, %v, want 404 with the text", got.Head, err)
	}
}

// A status that is none is the programmer's mistake, as it is without Compress.
func TestCompressRefusesWhatIsNoStatus(t *testing.T) {
	for _, status := range []int{-1, 0, 1, 99, 1000} {
		var bare, got any
		broken := func(value *any) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				*value = panicOf(func() { w.WriteHeader(status) })
				io.WriteString(w, "fine")
			}
		}
		fetch(t, serveHandler(t, broken(&bare)), "GET", "/", acceptGzip)
		answer := fetch(t, serveHandler(t, servery.Compress(nil)(broken(&got))), "GET", "/", acceptGzip)
		if got == nil || fmt.Sprint(got) != fmt.Sprint(bare) || answer.Status != 200 || string(answer.Body) != "fine" {
			t.Errorf("%d: panics with %v, then %d %q, want %v and 200", status, got, answer.Status, answer.Body, bare)
		}
	}
}

// A handler that does nothing leaves it to outer code to answer.
func TestCompressWithoutAnAnswer(t *testing.T) {
	inner := servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Own", "own")
	}))
	server := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inner.ServeHTTP(w, r)
		http.NotFound(w, r)
	}))
	for _, method := range []string{"GET", "HEAD"} {
		got := fetch(t, server, method, "/", acceptGzip)
		if got.Status != 404 || got.Header.Get("X-Own") != "own" || got.Header.Get("Vary") != "" {
			t.Errorf("%s: got\n%s, want the outer 404", method, got.Head)
		}
	}
	recorder := httptest.NewRecorder()
	inner.ServeHTTP(recorder, httptest.NewRequest("GET", "/", nil))
	if recorder.Flushed || recorder.Body.Len() > 0 || fmt.Sprint(recorder.Header()) != "map[X-Own:[own]]" {
		t.Errorf("a writer gets %v, %q, want the handler's field alone", recorder.Header(), recorder.Body)
	}
}

// The error helpers make header and bytes agree, whatever was set up before.
func TestCompressAndErrorHelpers(t *testing.T) {
	long := realText(t, 5000)
	fail := func(message string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, message, 500) }
	}
	html := []string{"Content-Type: text/html"}
	for _, tt := range []struct {
		before  []string
		handler http.HandlerFunc
		coded   bool
		reason  string
	}{
		{html, fail("short"), false, "a short error"},
		{html, fail(long), true, "a long error"},
		{[]string{"Content-Type: image/png"}, fail(long), true, "a long error in the place of an image"},
		{[]string{"Content-Encoding: identity"}, fail(long), true, "a long error in the place of plain bytes"},
		{[]string{"Content-Encoding: gzip"}, fail(long), false, "what the handler says of it itself is its own affair"},
		{html, http.NotFound, false, "NotFound"},
	} {
		s := serveTwins(t, nil, func(w http.ResponseWriter, r *http.Request) {
			setFields(w.Header(), append(tt.before, "Content-Length: 99999", `ETag: "v1"`, "X-Own: own"))
			tt.handler(w, r)
		})
		for _, b := range builtIn {
			bare, got := s.ask(t, "GET", "Accept-Encoding: "+b.coding)
			if bare.Header.Get("Content-Encoding") == "identity" {
				bare.Header.Del("Content-Encoding")
			}
			if tt.coded {
				wantCodedLike(t, bare, got, b.coding, tt.reason)
			} else {
				wantSame(t, bare, got, false, tt.reason)
			}
		}
	}
}
