package load

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// largeSize is more than the buffers of a connection take in at once.
const largeSize = 1 << 20

// site answers one tiny path and large ones, of which those that are refused are
// listed.
func site(t *testing.T, refused string) *httptest.Server {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/tiny":
			io.WriteString(w, "tiny")
		case r.Header.Get("Accept-Encoding") != "gzip":
			w.WriteHeader(http.StatusTeapot)
		case refused != "" && strings.Contains(refused, r.URL.Path):
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			io.WriteString(w, strings.Repeat("x", largeSize))
		}
	}))
	t.Cleanup(server.Close)
	return server
}

func TestBehind(t *testing.T) {
	tests := []struct {
		refused string
		clients int
		pulls   bool
		errors  int
		reason  string
	}{
		{"", 2, true, 0, "all is well"},
		{"/large/1", 2, true, 0, "a refusal is no failure"},
		{"/large/0 /large/1", 2, false, 1, "nothing but refusals is"},
	}
	for _, test := range tests {
		server := site(t, test.refused)
		got, err := Run(Request{
			URL: server.URL + "/tiny", Header: "Accept-Encoding: gzip", Duration: 50 * time.Millisecond,
			Behind: test.clients, LargeURL: server.URL + "/large/*",
		})
		if err != nil || got.Errors != test.errors || got.Requests == 0 || got.P99 < got.P50 {
			t.Errorf("got %+v, %v: %s", got, err, test.reason)
		}
		l := got.Large
		if (l.Refused > 0) != (test.refused != "") || (l.Complete > 0) != test.pulls || (l.PerSecond > 0) != test.pulls {
			t.Errorf("got %+v: %s", l, test.reason)
		}
		if l.Bytes < int64(l.Complete)*largeSize || test.pulls != (l.Bytes > 0) {
			t.Errorf("got %+v, want at least the bodies that were complete: %s", l, test.reason)
		}
	}
}

func TestBehindReportsErrors(t *testing.T) {
	server := site(t, "")
	got, err := Run(Request{ // without the field, which makes all large ones fail
		URL: server.URL + "/tiny", Duration: 10 * time.Millisecond, Behind: 3, LargeURL: server.URL + "/large/*",
	})
	if err != nil || got.Errors != 3 || !strings.Contains(got.Failure, "418") {
		t.Errorf("got %+v, %v, want an error of each client", got, err)
	}
}

func TestAddLarge(t *testing.T) {
	start := time.Unix(0, 0)
	pulls := []*puller{
		{bytes: 100, last: start.Add(2 * time.Second), complete: 1},
		{bytes: 60, last: start.Add(4 * time.Second), complete: 2, refused: 3},
		{refused: 1}, // never anything else
	}
	var got Result
	got.addLarge(pulls, start)
	if want := (Large{Bytes: 160, PerSecond: 40, Complete: 3, Refused: 4}); got.Large != want || got.Errors != 0 {
		t.Errorf("got %+v, want %+v and no error", got, want)
	}
}
