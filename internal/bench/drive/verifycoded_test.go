package drive

import (
	"bytes"
	"crypto/sha256"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"servery/internal/bench/inputs"
)

// encoded answers with the body in gzip after a change to it and to the header.
func encoded(t *testing.T, plain string, change func(http.Header, []byte) []byte) http.HandlerFunc {
	t.Helper()
	coded, err := compress([]byte(plain), 6)
	if err != nil {
		t.Fatal(err)
	}
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "gzip" {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Vary", "Accept-Encoding")
		w.Write(change(w.Header(), bytes.Clone(coded)))
	}
}

func TestVerifyCoded(t *testing.T) {
	const plain = "the content of the file, the content of the file"
	same := func(_ http.Header, b []byte) []byte { return b }
	tests := []struct {
		handler http.HandlerFunc
		want    string // part of the error, empty for none
		reason  string
	}{
		{encoded(t, plain, same), "", "nothing is wrong"},
		{encoded(t, plain+".", same), "not the file", "the coding of something else"},
		{encoded(t, plain, func(_ http.Header, b []byte) []byte { return b[:len(b)-1] }), "decoding", "an end that is missing"},
		{encoded(t, plain, func(_ http.Header, b []byte) []byte { return append(b, 'x') }), "decoding", "bytes after the end"},
		{encoded(t, plain, func(_ http.Header, b []byte) []byte {
			b[len(b)-5] ^= 1 // of the checksum
			return b
		}), "decoding", "a wrong checksum"},
		{encoded(t, plain, func(http.Header, []byte) []byte { return []byte(plain) }), "decoding", "not encoded at all"},
		{encoded(t, plain, func(h http.Header, _ []byte) []byte {
			h.Del("Content-Encoding")
			return []byte(plain)
		}), "Content-Encoding", "the file as it is"},
		{encoded(t, plain, func(h http.Header, b []byte) []byte { h.Del("Vary"); return b }), "Vary", "it does not say that it varies"},
		{encoded(t, plain, func(h http.Header, b []byte) []byte { h.Set("Vary", "Origin"); return b }), "Vary", "it varies otherwise"},
		{encoded(t, plain, func(h http.Header, b []byte) []byte {
			h.Set("Transfer-Encoding", "chunked")
			return b
		}), "Content-Length", "the length is not declared as promised"},
		{http.NotFound, "status 404", "a wrong status"},
	}
	for _, test := range tests {
		server := httptest.NewServer(test.handler)
		want := expectation{
			size: int64(len(plain)), sum: sha256.Sum256([]byte(plain)), accept: "gzip", coding: "gzip", head: declaredHead, major: 1,
		}
		_, size, err := verifyFull(t.Context(), certificate{}.newTransport(inputs.HTTP1), server.URL, want)
		server.Close()
		switch {
		case test.want == "" && (err != nil || size == 0):
			t.Errorf("got %d, %v: %s", size, err, test.reason)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("error %v, want %q: %s", err, test.want, test.reason)
		}
	}
}
