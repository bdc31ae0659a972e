package servery_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"servery"
	"servery/internal/testkit"
)

// Below MinSize nothing is coded, above it everything, with or without a declared length.
func TestCompressMinSize(t *testing.T) {
	text := realText(t, 50_000)
	for _, tt := range []struct {
		minSize, size int
		coded         bool
		reason        string
	}{
		{0, 1023, false, "below the default"},
		{0, 1024, true, "from the default on"},
		{2000, 1999, false, "below it"},
		{2000, 2000, true, "from it on"},
		{1, 1, true, "a byte"},
		{1, 0, false, "empty"},
		{-1, 1, true, "all that is not empty"},
		{-1, 0, false, "empty"},
		{9000, 8999, false, "below a large one"},
		{9000, 9000, true, "from a large one on"},
		{40_000, 39_999, false, "below one that is beyond what is collected"},
		{40_000, 40_000, true, "from one that is beyond what is collected on"},
	} {
		for _, declared := range []bool{false, true} {
			for _, piece := range []int{50_000, 100} {
				opts := &servery.CompressOptions{MinSize: tt.minSize}
				s := serveTwins(t, opts, func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "text/plain")
					if declared {
						w.Header().Set("Content-Length", fmt.Sprint(tt.size))
					}
					writePieces(w, text[:tt.size], piece)
				})
				reason := fmt.Sprintf("%d of %d, declared %v, pieces of %d: %s", tt.size, tt.minSize, declared, piece, tt.reason)
				bare, got := s.ask(t, "GET", acceptGzip)
				if tt.coded {
					wantCodedLike(t, bare, got, "gzip", reason)
				} else if tt.size < 2048 || declared {
					wantSame(t, bare, got, false, reason)
				} else if got.Header.Get("Vary") != "" || string(got.Body) != string(bare.Body) {
					t.Errorf("%s: got\n%s, want the plain body without Vary", reason, got.Head)
				}
			}
		}
	}
}

// Empty bodies stay empty, however nothing is said.
func TestCompressEmptyBodies(t *testing.T) {
	for _, minSize := range []int{0, -1} {
		for reason, write := range map[string]func(w http.ResponseWriter){
			"nothing":         func(http.ResponseWriter) {},
			"a status":        func(w http.ResponseWriter) { w.WriteHeader(404) },
			"an empty Write":  func(w http.ResponseWriter) { w.Write(nil) },
			"an empty string": func(w http.ResponseWriter) { io.WriteString(w, "") },
			"an empty copy":   func(w http.ResponseWriter) { io.Copy(w, onlyReader{strings.NewReader("")}) },
			"a length of 0":   func(w http.ResponseWriter) { w.Header().Set("Content-Length", "0") },
		} {
			for _, mediaType := range []string{"text/plain", ""} {
				s := serveTwins(t, &servery.CompressOptions{MinSize: minSize}, func(w http.ResponseWriter, _ *http.Request) {
					if mediaType != "" {
						w.Header().Set("Content-Type", mediaType)
					}
					write(w)
				})
				bare, got := s.ask(t, "GET", acceptGzip)
				wantSame(t, bare, got, false, fmt.Sprintf("%s of type %q", reason, mediaType))
			}
		}
	}
}

// A handler that breaks its word about the length fails as it does without Compress. A
// body that is not as long as was said is incomplete (RFC 9112, section 6.3).
func TestCompressAndABrokenLength(t *testing.T) {
	text, noise := realText(t, 5000), incompressible(300_000)
	for _, tt := range []struct {
		mediaType string
		declared  int
		writes    []string
		reason    string
	}{
		{"text/plain", 5000, nil, "nothing of something"},
		{"text/plain", 5000, []string{text[:4000]}, "less, in the buffer"},
		{"text/plain", 5000, []string{text[:4999]}, "one byte less"},
		{"text/plain", 300_000, []string{noise[:200_000]}, "less, and much"},
		{"text/plain", 900, []string{text[:800]}, "less of what is too small"},
		{"image/png", 5000, []string{text[:4000]}, "less of what is never coded"},
		{"text/plain", 5000, []string{text + "x"}, "more, at once"},
		{"image/png", 5000, []string{text + "x"}, "more of what is never coded"},
	} {
		handler := func(failures chan<- error) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tt.mediaType)
				w.Header().Set("Content-Length", fmt.Sprint(tt.declared))
				var err error
				for _, write := range tt.writes {
					_, err = io.WriteString(w, write)
				}
				failures <- err
			}
		}
		for _, b := range builtIn {
			bareFailures, failures := make(chan error, 1), make(chan error, 1)
			bare := serveLoosely(t, handler(bareFailures))
			inside := serveLoosely(t, servery.Compress(nil)(handler(failures)))
			wantBroken(t, inside, b.coding, tt.declared, tt.reason)
			wantBroken(t, bare, b.coding, tt.declared, tt.reason+", bare")
			if got, want := receive(t, failures, "it ends"), receive(t, bareFailures, "it ends"); !errors.Is(got, want) {
				t.Errorf("%s: the handler is told %v, want %v", tt.reason, got, want)
			}
		}
	}
}

// wantBroken demands an answer that nobody takes for whole.
func wantBroken(t *testing.T, server *testkit.Server, coding string, declared int, reason string) {
	t.Helper()
	answer, err := raw(t, server, "GET / HTTP/1.1\r\nHost: test\r\nConnection: close\r\nAccept-Encoding: "+coding+"\r\n\r\n")
	if err != nil {
		t.Errorf("%s: %v", reason, err)
	}
	head, body, _ := strings.Cut(answer, "\r\n\r\n")
	chunked := strings.Contains(head, "Transfer-Encoding: chunked")
	whole := chunked && strings.HasSuffix(body, "\r\n0\r\n\r\n") || !chunked && len(body) >= declared
	if whole || head != "" && !strings.Contains(head, fmt.Sprintf("Content-Length: %d", declared)) && !chunked {
		t.Errorf("%s: %d bytes that seem to be whole after\n%s", reason, len(body), head)
	}
	if strings.Contains(head, "Content-Encoding") {
		if _, err := undo(coding, []byte(body)); err == nil {
			t.Errorf("%s: the coding is whole", reason)
		}
	}
}

// What a handler writes beyond the declared length is refused, and what came before is whole.
func TestCompressRefusesWhatIsTooMuch(t *testing.T) {
	for _, text := range []string{realText(t, 5000), realText(t, 200_000), incompressible(200_000)} {
		for _, b := range builtIn {
			server := serveHandler(t, servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/plain")
				w.Header().Set("Content-Length", fmt.Sprint(len(text)))
				io.WriteString(w, text)
				if n, err := io.WriteString(w, "x"); n != 0 || !errors.Is(err, http.ErrContentLength) {
					t.Errorf("one byte more: %d, %v, want http.ErrContentLength", n, err)
				}
			})))
			c := server.Dial()
			c.Send("GET", "/", "Accept-Encoding: "+b.coding)
			got := c.Read("GET")
			if got.Err == nil && decoded(t, got.Header.Get("Content-Encoding"), got.Body) != text {
				t.Errorf("%s of %d bytes: got\n%s, want what was declared, or what breaks off", b.coding, len(text), got.Head)
			}
		}
	}
}

// The error of what is copied comes back with what was copied before it.
func TestCompressCopiesUntilAnError(t *testing.T) {
	text := realText(t, 100_000)
	broken := errors.New("broken")
	for _, mediaType := range []string{"text/plain", "image/png"} {
		server := serveHandler(t, servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", mediaType)
			source := io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken))
			if n, err := w.(io.ReaderFrom).ReadFrom(source); n != int64(len(text)) || err != broken {
				t.Errorf("%s: %d, %v, want %d and the error", mediaType, n, err, len(text))
			}
			if n, err := w.(io.ReaderFrom).ReadFrom(iotest.DataErrReader(strings.NewReader("more"))); n != 4 || err != nil {
				t.Errorf("%s: %d, %v, want 4 more", mediaType, n, err)
			}
		})))
		got := fetch(t, server, "GET", "/", acceptGzip)
		if plain := decoded(t, got.Header.Get("Content-Encoding"), got.Body); plain != text+"more" {
			t.Errorf("%s: %d bytes, want %d", mediaType, len(plain), len(text)+4)
		}
	}
}

// A client that has left is no reason to panic: the handler is told, and returns.
func TestCompressWhenTheClientHasLeft(t *testing.T) {
	noise := incompressible(64 << 10)
	for _, accept := range []string{"gzip", "zstd", "identity"} {
		opts, limiter := oneStream()
		inner := servery.Compress(opts)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			var err error
			for i := 0; err == nil && i < 1000; i++ {
				_, err = io.WriteString(w, noise)
			}
			if err == nil {
				t.Errorf("%s: no error of 1,000 Writes", accept)
			}
		}))
		ended := make(chan any, 1)
		server := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer func() { ended <- recover() }()
			inner.ServeHTTP(w, r)
		}))
		c := open(t, server, "GET", "Accept-Encoding: "+accept)
		c.answer(t)
		c.Close()
		value := receive(t, ended, "the handler ends")
		if s := limiter.Stats(); s.Active != 0 || s.Streams != 0 {
			t.Errorf("%s: ended with %v and %+v, want all given back", accept, value, s)
		}
	}
}

// A coding can make a body longer. What was collected as a whole has an exact length all
// the same. It is the length of what is sent (RFC 9110, section 8.6; RFC 9112, section
// 6.2).
func TestCompressLengthOfWhatDoesNotShrink(t *testing.T) {
	body := incompressible(16 << 10)
	s := serveTwins(t, nil, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		writePieces(w, body, 1000)
	})
	_, got := s.ask(t, "GET", acceptGzip)
	if length := got.Header.Get("Content-Length"); length != fmt.Sprint(len(got.Body)) || len(got.Body) < len(body) {
		t.Errorf("%d bytes in gzip, got\n%s, want an exact length", len(got.Body), got.Head)
	}
}
