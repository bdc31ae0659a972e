package drive

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
)

// An expectation is what a server has to send for a file.
type expectation struct {
	size int64
	sum  [sha256.Size]byte
	head head
}

func expect(file string, p peer) (expectation, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return expectation{}, err
	}
	return expectation{size: int64(len(content)), sum: sha256.Sum256(content), head: p.head}, nil
}

// verify fetches the URL as the load generator will and compares every byte, for
// a quick server that sends something else has won nothing. It returns the header
// field with which the request becomes conditional; if conditional is set, that
// request was answered with 304.
func verify(ctx context.Context, url string, want expectation, conditional bool) (condition string, err error) {
	// The transport must not ask for gzip of its own accord: wrk does not.
	transport := &http.Transport{DisableCompression: true}
	defer transport.CloseIdleConnections()
	header, err := verifyFull(ctx, transport, url, want)
	if err != nil || !conditional {
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

func verifyFull(ctx context.Context, transport *http.Transport, url string, want expectation) (http.Header, error) {
	resp, body, err := fetch(ctx, transport, url, "")
	switch {
	case err != nil:
		return nil, err
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("status %d, want 200", resp.StatusCode)
	case resp.ContentLength != want.size:
		return nil, fmt.Errorf("Content-Length %d, want %d", resp.ContentLength, want.size)
	case sha256.Sum256(body) != want.sum:
		return nil, errors.New("the body is not the file")
	case resp.Close:
		return nil, errors.New("the server closes the connection")
	}
	return resp.Header, want.head.compare(resp.Header)
}

func verifyNotModified(ctx context.Context, transport *http.Transport, url, condition string, full http.Header) error {
	resp, body, err := fetch(ctx, transport, url, condition)
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

func fetch(ctx context.Context, transport *http.Transport, url, field string) (*http.Response, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, nil, err
	}
	if name, value, ok := strings.Cut(field, ": "); ok {
		req.Header.Set(name, value)
	}
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

func (h head) compare(header http.Header) error {
	for _, name := range h.fields {
		if len(header[name]) != 1 {
			return fmt.Errorf("%d fields %s, want 1", len(header[name]), name)
		}
	}
	for name := range header {
		if h.exact && name != "Date" && !slices.Contains(h.fields, name) {
			return fmt.Errorf("field %s is not among those that the ceiling sends", name)
		}
	}
	return nil
}
