package servery_test

import (
	"compress/zlib"
	"embed"
	"fmt"
	"io/fs"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"

	"servery"
)

func ExampleFileServer() {
	dir, err := servery.OpenDir("testdata/site")
	if err != nil {
		log.Fatal(err)
	}
	defer dir.Close()

	mux := http.NewServeMux()
	mux.Handle("/files/", http.StripPrefix("/files", servery.FileServer(dir, nil)))

	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, httptest.NewRequest("GET", "/files/docs/", nil))
	fmt.Println(answer.Code, answer.Header().Get("Content-Type"))
	// Output: 200 text/html; charset=utf-8
}

//go:embed testdata/site/docs
var docs embed.FS

// Files of an embed.FS have no date; their entity-tags are made of the content.
func ExampleFileServer_embedded() {
	site, err := fs.Sub(docs, "testdata/site")
	if err != nil {
		log.Fatal(err)
	}
	answer := httptest.NewRecorder()
	servery.FileServer(site, nil).ServeHTTP(answer, httptest.NewRequest("GET", "/docs/", nil))
	fmt.Println(answer.Code, answer.Header().Get("Etag"))
	// Output: 200 "1ec51e173e50a02fbc7e8d86930911d5"
}

func ExampleCompress() {
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Etag", `"v1"`)
		fmt.Fprintf(w, "[%s1]", strings.Repeat("1,", 5000))
	})
	request := httptest.NewRequest("GET", "/", nil)
	request.Header.Set("Accept-Encoding", "gzip")

	answer := httptest.NewRecorder()
	servery.Compress(nil)(api).ServeHTTP(answer, request)
	for _, name := range []string{"Content-Encoding", "Vary", "Etag"} {
		fmt.Println(answer.Header().Get(name))
	}
	// Output:
	// gzip
	// Accept-Encoding
	// "v1-gz6.1"
}

// Another coding is a name, a suffix for its entity-tags, and a function.
func ExampleEncoder() {
	const level = 6
	deflate := servery.Encoder{
		Coding:     "deflate",
		Suffix:     "zl",
		Level:      level,
		Generation: 1, // of the standard library's compressor: to be raised when its output changes
		New:        func() (servery.EncoderWriter, error) { return zlib.NewWriterLevel(nil, level) },
	}
	dir, err := servery.OpenDir("testdata/site")
	if err != nil {
		log.Fatal(err)
	}
	defer dir.Close()
	handler := servery.FileServer(dir, &servery.FileServerOptions{
		Encoders: append([]servery.Encoder{deflate}, servery.DefaultEncoders()...),
	})

	request := httptest.NewRequest("GET", "/large.txt", nil)
	request.Header.Set("Accept-Encoding", "deflate, gzip")
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, request)
	fmt.Println(answer.Code, answer.Header().Get("Content-Encoding"))
	// Output: 200 deflate
}

// Several handlers may share what they hold and what they may use of the processors.
func ExampleCompressionCache() {
	cache := servery.NewCompressionCache(64 << 20)
	limiter := servery.NewLimiter(servery.LimiterOptions{Workers: 2})
	dir, err := servery.OpenDir("testdata/site")
	if err != nil {
		log.Fatal(err)
	}
	defer dir.Close()
	site := servery.FileServer(dir, &servery.FileServerOptions{Cache: cache, Limiter: limiter})
	mirror := servery.FileServer(dir, &servery.FileServerOptions{Cache: cache, Limiter: limiter})

	for _, handler := range []http.Handler{site, mirror} {
		request := httptest.NewRequest("GET", "/large.txt", nil)
		request.Header.Set("Accept-Encoding", "gzip")
		handler.ServeHTTP(httptest.NewRecorder(), request)
	}
	fmt.Println(cache.Stats().Misses, cache.Stats().Hits, limiter.Stats().Completed)
	// Output: 1 1 1
}

func ExampleImmutable() {
	cacheControl := servery.Immutable("assets/")
	fmt.Println(cacheControl("index.html"))
	fmt.Println(cacheControl("assets/app-5f3c9a1b.js"))
	// Output:
	// no-cache
	// public, max-age=31536000, immutable
}

func ExampleETag_ForCoding() {
	tag, err := servery.ParseETag(`"5f3c9a1b"`)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(tag, tag.ForCoding("gzip"), tag.ForCoding("zstd"))
	// Output: "5f3c9a1b" "5f3c9a1b-gz" "5f3c9a1b-zst"
}

// A handler of one's own may send the same tags and leave the preconditions and the
// ranges to net/http.
func ExampleFileETag() {
	handler := func(w http.ResponseWriter, r *http.Request) {
		f, err := os.Open("testdata/site/index.html")
		if err != nil {
			http.Error(w, "not today", http.StatusInternalServerError)
			return
		}
		defer f.Close()
		if tag, err := servery.FileETag(f); err == nil {
			w.Header().Set("Etag", tag.String())
		}
		http.ServeContent(w, r, "index.html", time.Time{}, f)
	}
	request := httptest.NewRequest("GET", "/", nil)
	request.Header.Set("If-None-Match", `"1ec51e173e50a02fbc7e8d86930911d5"`)
	answer := httptest.NewRecorder()
	handler(answer, request)
	fmt.Println(answer.Code)
	// Output: 304
}
