package drive

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

// An expectation is what a server has to send for a file.
type expectation struct {
	size   int64
	sum    [sha256.Size]byte
	accept string // the coding that is asked for, or nothing
	coding string // the one that the answer has to have, or nothing
	head   head
	major  int  // version of HTTP
	closes bool // the connection, as it is asked to
}

// of returns what is expected of a file that differs in nothing but its content.
func (e expectation) of(file string) (expectation, error) {
	content, err := os.ReadFile(file)
	e.size, e.sum = int64(len(content)), sha256.Sum256(content)
	return e, err
}

// verifyConditional returns the header field with which the request becomes
// conditional. The request with it was answered with 304.
func verifyConditional(ctx context.Context, transport *http.Transport, url string, want expectation) (condition string, err error) {
	header, _, err := verifyFull(ctx, transport, url, want)
	if err != nil {
		return "", err
	}
	if condition, err = conditionOf(header); err != nil {
		return "", err
	}
	if err := verifyNotModified(ctx, transport, url, condition, header); err != nil {
		return "", fmt.Errorf("with %s: %w", condition, err)
	}
	return condition, nil
}

// verifyFull fetches the URL as the load generator will and compares every byte,
// for a quick server that sends something else has won nothing. It returns the
// header of the response and the size of its body as sent.
func verifyFull(ctx context.Context, transport *http.Transport, url string, want expectation) (http.Header, int64, error) {
	resp, body, err := fetch(ctx, transport, url, want.field(), want.closes)
	if err != nil {
		return nil, 0, err
	}
	size := int64(len(body))
	switch {
	case resp.StatusCode != http.StatusOK:
		return nil, 0, fmt.Errorf("status %d, want 200", resp.StatusCode)
	case resp.ProtoMajor != want.major:
		return nil, 0, fmt.Errorf("%s, want version %d", resp.Proto, want.major)
	case resp.Close != want.closes:
		return nil, 0, fmt.Errorf("the server closes the connection: %t, want %t", resp.Close, want.closes)
	case want.coding == "" && resp.ContentLength != want.size:
		return nil, 0, fmt.Errorf("Content-Length %d, want %d", resp.ContentLength, want.size)
	case resp.ContentLength >= 0 && resp.ContentLength != size:
		return nil, 0, fmt.Errorf("Content-Length %d of a body of %d bytes", resp.ContentLength, size)
	case resp.Header.Get("Content-Encoding") != want.coding:
		return nil, 0, fmt.Errorf("Content-Encoding %q, want %q", resp.Header.Get("Content-Encoding"), want.coding)
	}
	plain, err := decode(body, want.coding)
	if err != nil {
		return nil, 0, err
	}
	if sha256.Sum256(plain) != want.sum {
		return nil, 0, errors.New("the body is not the file")
	}
	return resp.Header, size, want.head.compare(resp.Header)
}

// field is the header field of the request.
func (e expectation) field() string {
	if e.accept == "" {
		return ""
	}
	return "Accept-Encoding: " + e.accept
}

// decode checks the whole body: an end that is missing, or bytes after it, are
// errors.
func decode(body []byte, coding string) ([]byte, error) {
	if coding == "" {
		return body, nil
	}
	r, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("decoding %s: %w", coding, err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("decoding %s: %w", coding, err)
	}
	return plain, nil
}

func verifyNotModified(ctx context.Context, transport *http.Transport, url, condition string, full http.Header) error {
	resp, body, err := fetch(ctx, transport, url, condition, false)
	switch {
	case err != nil:
		return err
	case resp.StatusCode != http.StatusNotModified:
		return fmt.Errorf("status %d, want 304", resp.StatusCode)
	case len(body) != 0:
		return fmt.Errorf("a 304 with %d bytes of body", len(body))
	case resp.Header.Get("Etag") != full.Get("Etag"):
		return fmt.Errorf("ETag %q, want that of the 200, %q", resp.Header.Get("Etag"), full.Get("Etag"))
	case resp.Close:
		return errors.New("the server closes the connection")
	}
	return nil
}

func fetch(ctx context.Context, transport *http.Transport, url, field string, last bool) (*http.Response, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, nil, err
	}
	if name, value, ok := strings.Cut(field, ": "); ok {
		req.Header.Set(name, value)
	}
	req.Close = last
	// A transport, unlike a client, follows no redirect: one is a wrong status.
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp, body, err
}

// conditionOf prefers the tag, as RFC 9110, section 13.1.3, does. Some servers
// send none; the date is the validator they have.
func conditionOf(full http.Header) (string, error) {
	if tag := full.Get("Etag"); tag != "" {
		return "If-None-Match: " + tag, nil
	}
	if date := full.Get("Last-Modified"); date != "" {
		return "If-Modified-Since: " + date, nil
	}
	return "", errors.New("the response has no validator")
}
