package load

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestHold(t *testing.T) {
	const clients, coded, size = 6, 2, 8 << 20 // more than the system takes for a client that does not read
	var asked, whole atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) <= coded {
			w.Header().Set("Content-Encoding", "gzip")
		}
		if _, err := io.WriteString(w, strings.Repeat("x", size)); err == nil {
			whole.Add(1)
		}
	}))
	got, err := Hold(Request{URL: server.URL, Connections: clients, Duration: time.Minute})
	server.Close() // waits for the handlers
	if err != nil || got.Complete != clients/2 || got.Coded != coded || got.Elapsed <= 0 {
		t.Errorf("got %+v, %v, want half of %d to be complete and %d to be coded", got, err, clients, coded)
	}
	if n := int(whole.Load()); n != got.Complete {
		t.Errorf("%d responses were written whole, want %d: the others were not to be read", n, got.Complete)
	}
}

func TestHoldReportsErrors(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	_, err := Hold(Request{URL: server.URL, Connections: 2, Duration: time.Minute})
	if err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("got %v, want the status", err)
	}
}
