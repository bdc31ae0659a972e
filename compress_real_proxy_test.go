package servery_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"servery/internal/testkit"
)

// proxyTo is a reverse proxy to an origin that runs until the test ends.
func proxyTo(t *testing.T, origin http.Handler) http.Handler {
	t.Helper()
	server := testkit.Serve(t, origin)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: server.Addr}) },
		Transport: transport,
		ErrorLog:  log.New(io.Discard, "", 0), // origins that break off are meant to
	}
}

// gzipped is text as an origin codes it that is none of ours.
func gzipped(text string) string {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

func TestCompressProxy(t *testing.T) {
	list := readableJSON(50_000)
	coded := gzipped(list)
	mux := http.NewServeMux()
	mux.Handle("/coded", writeText(coded, "Content-Type: application/json", "Content-Encoding: gzip",
		"Vary: Accept-Encoding", `Etag: "c"`, "Content-Length: "+strconv.Itoa(len(coded))))
	mux.Handle("/sized", writeText(list, "Content-Type: application/json", `Etag: "s"`, "Content-Length: "+strconv.Itoa(len(list))))
	mux.Handle("/chunked", writeText(list, "Content-Type: application/json", `Etag: W/"w"`))
	mux.Handle("/image", writeText(list, "Content-Type: image/png", `Etag: "i"`))
	mux.Handle("/kept", writeText(list, "Content-Type: application/json", "Cache-Control: public, no-transform"))
	server := serveInside(t, proxyTo(t, mux))
	for _, tt := range []struct {
		target, accept string
		want           seen
		reason         string
	}{
		{"/coded", "gzip", seen{200, "gzip", true, `"c"`, list}, "the origin's own coding"},
		{"/coded", "zstd, gzip;q=0.1", seen{200, "gzip", true, `"c"`, list}, "coded once, though another would be preferred"},
		{"/sized", "gzip", seen{200, "gzip", true, `"s-gz6.1"`, list}, "the origin declares a length that no longer holds"},
		{"/sized", "zstd", seen{200, "zstd", true, `"s-zst3.1"`, list}, "another coding has another tag"},
		{"/sized", "identity", seen{200, "", true, `"s"`, list}, "not wanted, but it could have been"},
		{"/chunked", "gzip", seen{200, "gzip", true, `W/"w"`, list}, "of unknown length; weak tags say nothing of bytes"},
		{"/image", "gzip", seen{200, "", false, `"i"`, list}, "a type that is never coded"},
		{"/kept", "gzip", seen{200, "", false, "", list}, "the origin forbids it"},
	} {
		got := server.Get(tt.target, "Accept-Encoding: "+tt.accept)
		if tt.target != "/coded" {
			wantSeen(t, got, tt.want, tt.target+", "+tt.reason)
			continue
		}
		if string(got.Body) != coded || got.Header.Get("Content-Length") != strconv.Itoa(len(coded)) ||
			got.Header.Get("Etag") != tt.want.tag || len(got.Header["Content-Encoding"]) != 1 || len(got.Header["Vary"]) != 1 {
			t.Errorf("%s: %d bytes with the head\n%s, want the origin's %d untouched", tt.reason, len(got.Body), got.Head, len(coded))
		}
	}
}

// readableJSON is a list as interfaces return it.
func readableJSON(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, `,{"id":%d,"name":"item %[1]d","tags":["a","b"]}`, i)
	}
	return "[" + b.String()[1:] + "]"
}

// A validator that the proxy's client got comes back to the origin in the form that
// the origin knows.
func TestCompressProxyValidates(t *testing.T) {
	script := realText(t, 50_000)
	server := serveInside(t, proxyTo(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Etag", `"v1"`)
		http.ServeContent(w, r, "app.js", testkit.Past, strings.NewReader(script))
	})))
	first := server.Get("/", acceptGzip)
	wantSeen(t, first, seen{200, "gzip", true, `"v1-gz6.1"`, script}, "the first time")
	again := server.Get("/", acceptGzip, "If-None-Match: "+first.Header.Get("Etag"))
	wantSeen(t, again, seen{304, "", true, `"v1-gz6.1"`, ""}, "the second time")
	part := server.Get("/", acceptGzip, "Range: bytes=1000-1999", `If-Range: "v1"`)
	wantSeen(t, part, seen{206, "", true, `"v1"`, script[1000:2000]}, "a part of what is plain")
	whole := server.Get("/", acceptGzip, "Range: bytes=1000-1999", `If-Range: "v1-gz6.1"`)
	wantSeen(t, whole, seen{200, "gzip", true, `"v1-gz6.1"`, script}, "no part of the coded form can be had")
}

// What comes before the final answer, and after the body, gets through.
func TestCompressProxyInformationalAndTrailers(t *testing.T) {
	list := readableJSON(50_000)
	server := serveInside(t, proxyTo(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Link", "</style.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		h.Set("Content-Type", "application/json")
		h.Set("Trailer", "X-Declared")
		io.WriteString(w, list)
		h.Set("X-Declared", "one")
		h.Set(http.TrailerPrefix+"X-Late", "two")
	})))
	transport := &http.Transport{DisableCompression: true}
	defer transport.CloseIdleConnections()
	c := server.Dial()
	c.Send("GET", "/", acceptGzip)
	if hints := c.Read("HEAD"); hints.Status != http.StatusEarlyHints || hints.Header.Get("Link") == "" || hints.Header.Get("Vary") != "" {
		t.Errorf("got first\n%s, want 103 with Link and nothing about codings", hints.Head)
	}
	if final := c.Read("HEAD"); final.Status != http.StatusOK || final.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("got then\n%s, want 200 in gzip", final.Head)
	}

	request, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+server.Addr, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept-Encoding", "gzip")
	response, err := testkit.Linting(t, transport, testkit.LintHandler).RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	body := readAll(t, response)
	if response.Header.Get("Content-Encoding") != "gzip" || decoded(t, "gzip", []byte(body)) != list {
		t.Errorf("%d bytes with the header %v, want the list in gzip", len(body), response.Header)
	}
	if one, two := response.Trailer.Get("X-Declared"), response.Trailer.Get("X-Late"); one != "one" || two != "two" {
		t.Errorf("trailers %v, want both", response.Trailer)
	}
}
