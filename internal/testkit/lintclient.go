package testkit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// Linting is a transport for an http.Client that fails the test for what rules find in
// the answers, once their bodies were read to an end or closed.
func Linting(tb testing.TB, base http.RoundTripper, rules Rules) http.RoundTripper {
	return &linting{base: base, server: &Server{Rules: rules, Linter: new(Linter), tb: tb}}
}

// LintRecorded does the same to what a recorder has of a handler's answer, which has no
// date yet.
func LintRecorded(tb testing.TB, request *http.Request, recorder *httptest.ResponseRecorder, rules Rules) {
	tb.Helper()
	response := recorder.Result()
	if response.Header.Get("Date") == "" {
		response.Header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	}
	body, err := io.ReadAll(response.Body)
	server := &Server{Rules: rules, Linter: new(Linter), tb: tb}
	server.lint(sentBy(request), responseOf(response, body, err), nil)
}

// LintHead judges the framing of a head whose body the test reads by itself.
func LintHead(tb testing.TB, method string, response *http.Response) {
	tb.Helper()
	for _, fault := range LintFraming(method, nil, responseOf(response, nil, errUnread)) {
		tb.Errorf("%s: %s\n%s %v", method, fault, response.Status, response.Header)
	}
}

type linting struct {
	base   http.RoundTripper
	server *Server
}

func (l *linting) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := l.base.RoundTrip(request)
	if err != nil || response.StatusCode == http.StatusSwitchingProtocols || response.Uncompressed {
		return response, err
	}
	response.Body = &lintedBody{ReadCloser: response.Body, linted: func(body []byte, err error) {
		l.server.lint(sentBy(request), responseOf(response, body, err), nil)
	}}
	return response, nil
}

var errUnread = errors.New("closed before its end")

// lintedBody keeps what is read of a body.
type lintedBody struct {
	io.ReadCloser
	read   bytes.Buffer
	linted func(body []byte, err error) // nil once it was called
}

func (b *lintedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.read.Write(p[:n])
	if err != nil {
		b.end(err)
	}
	return n, err
}

func (b *lintedBody) Close() error {
	b.end(errUnread)
	return b.ReadCloser.Close()
}

func (b *lintedBody) end(err error) {
	if err == io.EOF {
		err = nil
	}
	if b.linted != nil {
		b.linted(b.read.Bytes(), err)
		b.linted = nil
	}
}

func sentBy(request *http.Request) sent {
	s := sent{method: request.Method, target: request.URL.String()}
	for _, name := range slices.Sorted(maps.Keys(request.Header)) {
		for _, value := range request.Header[name] {
			s.fields = append(s.fields, name+": "+value)
		}
	}
	return s
}

func responseOf(response *http.Response, body []byte, err error) Response {
	r := Response{Status: response.StatusCode, Header: response.Header.Clone(), Body: body, Err: err}
	if len(response.TransferEncoding) > 0 {
		r.Header["Transfer-Encoding"] = response.TransferEncoding
	}
	var head strings.Builder
	fmt.Fprintf(&head, "%s %s\n", response.Proto, response.Status)
	r.Header.Write(&head)
	r.Head = head.String()
	return r
}
