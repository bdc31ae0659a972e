//go:build !race

package servery_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"servery"
	"servery/internal/testkit"
)

// discarding is a response like that of net/http which is used again and again:
// it has its own ReadFrom, and costs nothing.
type discarding struct {
	header http.Header
	status int
	length int64
}

func (d *discarding) Header() http.Header    { return d.header }
func (d *discarding) WriteHeader(status int) { d.status = status }

func (d *discarding) Write(p []byte) (int, error) {
	d.length += int64(len(p))
	return len(p), nil
}

func (d *discarding) WriteString(s string) (int, error) {
	d.length += int64(len(s))
	return len(s), nil
}

func (d *discarding) ReadFrom(r io.Reader) (int64, error) {
	n := r.(*io.LimitedReader).N
	d.length += n
	return n, nil
}

// The limits are what is allocated today. They are there to be lowered. The one allocation
// of what is in memory is the name with the NUL that the system call wants.
func TestAllocations(t *testing.T) {
	dir := testkit.Tree(t, map[string]string{
		"small.txt":         realText(t, 1024),
		"one/two/three.txt": realText(t, 1024),
		"limit.txt":         realText(t, 16<<10),
		"medium.txt":        realText(t, 64<<10),
		"large.txt":         realText(t, 8<<20),
	})
	handler := servery.FileServer(openDir(t, dir), nil)
	for _, tt := range []struct {
		method, target, field, value string
		status                       int
		length                       int64 // negative for any
		limit                        float64
		reason                       string
	}{
		{"GET", "/small.txt", "", "", 200, 1024, 1, "in memory"},
		{"GET", "/one/two/three.txt", "", "", 200, 1024, 1, "no more for folders"},
		{"GET", "/limit.txt", "", "", 200, 16 << 10, 1, "no more for the largest that is in memory"},
		{"GET", "/small.txt", "If-None-Match", contentTag(realText(t, 1024)), 304, 0, 1, "not modified"},
		{"HEAD", "/small.txt", "", "", 200, 0, 1, "no body"},
		{"GET", "/medium.txt", "", "", 200, 64 << 10, 10, "sent by sendfile, tagged by content"},
		{"GET", "/medium.txt", "Accept-Encoding", "gzip", 200, -1, 1, "coded and kept"},
		{"GET", "/large.txt", "", "", 200, 8 << 20, 13, "sent by sendfile, tagged by size and date"},
		{"GET", "/large.txt", "Range", "bytes=5-9", 206, 5, 16, "a part"},
		{"GET", "/missing.txt", "", "", 404, 14, 6, "not there"},
	} {
		r := httptest.NewRequest(tt.method, tt.target, nil)
		if tt.field != "" {
			r.Header.Set(tt.field, tt.value)
		}
		w := &discarding{header: make(http.Header)}
		got := testing.AllocsPerRun(500, func() {
			clear(w.header)
			w.status, w.length = 0, 0
			handler.ServeHTTP(w, r)
		})
		if w.status != tt.status || tt.length >= 0 && w.length != tt.length {
			t.Errorf("%s %s: status %d with %d bytes, want %d with %d", tt.method, tt.target, w.status, w.length, tt.status, tt.length)
		}
		if got > tt.limit {
			t.Errorf("%s %s %s, %s: %v allocations, want %v at most", tt.method, tt.target, tt.value, tt.reason, got, tt.limit)
		}
	}
}
