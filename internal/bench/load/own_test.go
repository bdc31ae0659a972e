package load

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestRunCountsWhatCame(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") == `"a"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		io.WriteString(w, strings.Repeat("x", 1000))
	}))
	defer server.Close()
	for header, size := range map[string]int{"": 1000, `If-None-Match: "a"`: 0} {
		r := Request{URL: server.URL + "/", Header: header, Connections: 2, Duration: 20 * time.Millisecond}
		got, err := Run(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := got.Err(size); err != nil || got.P50 <= 0 || got.P99 < got.P50 || got.PerSecond <= 0 {
			t.Errorf("with field %q: %+v: %v", header, got, err)
		}
		printed, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		if parsed, err := ParseOwn(printed); err != nil || parsed != got {
			t.Errorf("printed and parsed: got %+v, %v, want %+v", parsed, err, got)
		}
	}
}

func TestRunReportsErrors(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	r := Request{URL: server.URL + "/", Connections: 3, Duration: time.Minute}
	got, err := Run(r)
	if err != nil || got.Errors != 3 || !strings.Contains(got.Failure, "404") {
		t.Errorf("every response is 404: got %+v, %v, want an error on each connection", got, err)
	}
}

// countingServer answers with the Accept-Encoding that it was sent, and returns a
// function that tells how often each path was asked for.
func countingServer(t *testing.T) (*httptest.Server, func() map[string]int) {
	var mu sync.Mutex
	asked := make(map[string]int)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked[r.URL.Path]++
		io.WriteString(w, r.Header.Get("Accept-Encoding"))
	}))
	t.Cleanup(server.Close)
	return server, func() map[string]int {
		mu.Lock()
		defer mu.Unlock()
		return maps.Clone(asked)
	}
}

// checkTurns wants every path to have been asked for about as often as the others.
func checkTurns(t *testing.T, asked map[string]int, paths []string) {
	t.Helper()
	if got := slices.Sorted(maps.Keys(asked)); !slices.Equal(got, paths) {
		t.Errorf("asked for %q, want %q", got, paths)
	}
	counts := slices.Collect(maps.Values(asked))
	// What connections have sent and nobody waits for at the end may be missing.
	if slices.Max(counts)-slices.Min(counts) > 4 {
		t.Errorf("asked for %v, want no path left behind", asked)
	}
}

func TestRunTakesTurns(t *testing.T) {
	server, asked := countingServer(t)
	r := Request{URL: server.URL + "/dir/*.txt", Files: 3, Header: "Accept-Encoding: gzip", Connections: 2, Duration: 20 * time.Millisecond}
	if got, err := Run(r); err != nil || got.Err(len("gzip")) != nil {
		t.Errorf("got %+v, %v", got, err)
	}
	checkTurns(t, asked(), []string{"/dir/0.txt", "/dir/1.txt", "/dir/2.txt"})
}

func TestResponseReader(t *testing.T) {
	tests := []struct {
		response string
		sound    bool
		reason   string
	}{
		{"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc", true, "names are compared without case"},
		{"HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\n\r\n", true, "a 304 has no body whatever it says"},
		{"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", false, "the body ends early"},
		{"HTTP/1.1 200 OK\r\nContent-Length: -3\r\n\r\n", false, "no length"},
		{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nA\r\n0123456789\r\n2\r\nab\r\n0\r\n\r\n", true, "chunks"},
		{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", false, "the last chunk is missing"},
		{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", false, "no size of a chunk"},
		{"HTTP/1.1 200 OK\r\n\r\nabc", false, "no declared length"},
		{"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n", false, "a wrong status"},
		{"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", false, "the connection would not be kept"},
		{"HTTP/1.1 200 OK\r\nContent-", false, "the head ends early"},
		{"", false, "the connection was closed"},
	}
	for _, test := range tests {
		n, err := newResponseReader(strings.NewReader(test.response)).next()
		if (err == nil) != test.sound {
			t.Errorf("%q: %d bytes, %v: %s", test.response, n, err, test.reason)
		}
		if err == nil && n != int64(len(test.response)) {
			t.Errorf("%q: %d bytes, want %d", test.response, n, len(test.response))
		}
	}
}

func TestPercentile(t *testing.T) {
	sorted := []time.Duration{1, 2, 3, 4}
	for p, want := range map[int]time.Duration{0: 1, 50: 2, 51: 3, 99: 4, 100: 4} {
		if got := percentile(sorted, p); got != want {
			t.Errorf("percentile %d of %v = %d, want %d", p, sorted, got, want)
		}
	}
	if got := percentile(nil, 50); got != 0 {
		t.Errorf("percentile of nothing = %d, want 0", got)
	}
}
