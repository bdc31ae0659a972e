package servery_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"servery"
)

// within gives each answer of a handler so much time, from its first byte read to its
// last byte written.
func within(limit time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		controller, deadline := http.NewResponseController(w), time.Now().Add(limit)
		if err := errors.Join(controller.SetReadDeadline(deadline), controller.SetWriteDeadline(deadline)); err != nil {
			http.Error(w, "no deadlines", http.StatusInternalServerError)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func ExampleFileServer_limits() {
	dir, err := servery.OpenDir("testdata/site")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer dir.Close()
	mux := http.NewServeMux()
	mux.Handle("/", within(time.Hour, servery.FileServer(dir, nil)))
	server := &http.Server{
		Addr:              "127.0.0.1:8080",
		Handler:           mux,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: 100},
	}
	fmt.Println(server.ReadHeaderTimeout, server.WriteTimeout)
	// Output: 10s 0s
}

func ExampleCompress_secrets() {
	page := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, strings.Repeat("<p>text</p>", 1000))
	}
	articles, account, search := http.HandlerFunc(page), http.HandlerFunc(page), page
	mux, compress := http.NewServeMux(), servery.Compress(nil)

	mux.Handle("/articles/", compress(articles))
	mux.Handle("/account/", account) // has secrets beside what a client chooses: outside

	mux.Handle("/search/", compress(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Cache-Control", "no-transform") // the same, said by the handler
		search(w, r)
	})))

	for _, target := range []string{"/articles/", "/account/", "/search/"} {
		request := httptest.NewRequest("GET", target, nil)
		request.Header.Set("Accept-Encoding", "gzip")
		answer := httptest.NewRecorder()
		mux.ServeHTTP(answer, request)
		fmt.Printf("%s %q\n", target, answer.Header().Get("Content-Encoding"))
	}
	// Output:
	// /articles/ "gzip"
	// /account/ ""
	// /search/ ""
}

// goBlocks are the Go snippets of a text in Markdown.
func goBlocks(text string) (blocks []string) {
	for _, rest := range strings.Split(text, "```go\n")[1:] {
		block, _, _ := strings.Cut(rest, "```")
		blocks = append(blocks, block)
	}
	return blocks
}

// What SECURITY.md shows is what is compiled and run here.
func TestSnippetsOfSecurity(t *testing.T) {
	checkSnippets(t, "SECURITY.md", "example_security_test.go", goBlocks(readFile(t, "SECURITY.md")), 3)
}

// A client that reads nothing holds the connection for as long as within allows.
func TestWithin(t *testing.T) {
	ended := make(chan error, 1)
	handler := within(100*time.Millisecond, servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "image/png") // passes
		for {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				ended <- err
				return
			}
		}
	})))
	server := serveLoosely(t, handler)
	c := server.Dial()
	c.Send("GET", "/")
	if err := receive(t, ended, "the deadline ends the handler"); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("Write says %v, want %v", err, os.ErrDeadlineExceeded)
	}
}
