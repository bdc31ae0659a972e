package drive

import (
	"crypto/sha256"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"servery/internal/bench/inputs"
)

const (
	verifiedBody = "the content of the file"
	verifiedTag  = `"tag"`
)

// sound answers as a server has to, if the request is like that of wrk.
func sound(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Accept-Encoding") != "" {
		w.WriteHeader(http.StatusTeapot)
		return
	}
	w.Header().Set("Etag", verifiedTag)
	if r.Header.Get("If-None-Match") == verifiedTag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", "text/plain")
	io.WriteString(w, verifiedBody)
}

// with changes the header of a sound answer.
func with(change func(http.Header)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		change(w.Header())
		sound(w, r)
	}
}

// instead answers conditional requests otherwise.
func instead(answer http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") != "" {
			answer(w, r)
			return
		}
		sound(w, r)
	}
}

func text(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Etag", verifiedTag)
		io.WriteString(w, body)
	}
}

func TestVerify(t *testing.T) {
	tests := []struct {
		handler http.HandlerFunc
		want    string // part of the error, empty for none
		reason  string
	}{
		{sound, "", "nothing is wrong"},
		{text(strings.ToUpper(verifiedBody)), "not the file", "another body of the same length"},
		{text(verifiedBody + "."), "Content-Length 24, want 23", "another length"},
		{http.NotFound, "status 404", "a wrong status"},
		{http.RedirectHandler("/other", http.StatusFound).ServeHTTP, "status 302", "redirects are not followed"},
		{with(func(h http.Header) { h.Set("Content-Type", ""); h["X"] = nil }), "", "a set field counts, empty or not"},
		{with(func(h http.Header) { h.Set("Surplus", "x") }), "Surplus", "the head has to be exact"},
		{func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("If-None-Match") == "" {
				w.Header().Set("Connection", "close")
			}
			sound(w, r)
		}, "closes", "reconnecting is not what is measured"},
		{instead(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Connection", "close")
			sound(w, r)
		}), "closes", "that goes for a 304 too"},
		{instead(text(verifiedBody)), "status 200, want 304", "the condition is ignored"},
		{instead(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNotModified)
		}), `want that of the 200, "\"tag\""`, "the 304 lacks the tag"},
	}
	for _, test := range tests {
		server := httptest.NewServer(test.handler)
		want := expectation{size: int64(len(verifiedBody)), sum: sha256.Sum256([]byte(verifiedBody)), major: 1}
		want.head = head{exact: true, fields: []string{"Content-Length", "Content-Type", "Etag"}}
		transport := certificate{}.newTransport(inputs.HTTP1)
		condition, err := verifyConditional(t.Context(), transport, server.URL, want)
		transport.CloseIdleConnections()
		server.Close()
		switch {
		case test.want == "" && (err != nil || condition != "If-None-Match: "+verifiedTag):
			t.Errorf("got %q, %v: %s", condition, err, test.reason)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("error %v, want %q: %s", err, test.want, test.reason)
		}
	}
}

func TestVerifyMissingField(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(sound))
	defer server.Close()
	want := expectation{size: int64(len(verifiedBody)), sum: sha256.Sum256([]byte(verifiedBody))}
	want.head, want.major = leastHead, 1
	_, _, err := verifyFull(t.Context(), certificate{}.newTransport(inputs.HTTP1), server.URL, want)
	if err == nil || !strings.Contains(err.Error(), "Last-Modified") {
		t.Errorf("error %v, want one about Last-Modified", err)
	}
}

func TestConditionOf(t *testing.T) {
	tests := []struct {
		header http.Header
		want   string
		reason string
	}{
		{http.Header{"Etag": {`"a"`}, "Last-Modified": {"then"}}, `If-None-Match: "a"`, "the tag comes first"},
		{http.Header{"Last-Modified": {"then"}}, "If-Modified-Since: then", "a date is better than nothing"},
		{http.Header{}, "", "nothing to revalidate with"},
	}
	for _, test := range tests {
		got, err := conditionOf(test.header)
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%v: got %q, %v, want %q: %s", test.header, got, err, test.want, test.reason)
		}
	}
}
