//go:build unix

package servery_test

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"servery"
	"servery/internal/testkit"
)

// leakRounds is how often each kind of request is made: a leak that shows in one
// of many is found as well.
const leakRounds = 1000

func TestNothingIsLeaked(t *testing.T) {
	dir := testkit.Tree(t, map[string]string{
		"small.txt":  "small",
		"medium.txt": realText(t, 100_000),
		"large.txt":  realText(t, 4<<20),
		"folder/":    "",
	})
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	server := testkit.Serve(t, servery.FileServer(openDir(t, dir), nil))
	for _, tt := range []struct {
		method, target string
		fields         []string
		status         int
		reason         string
	}{
		{"GET", "/small.txt", nil, 200, "read into memory"},
		{"GET", "/medium.txt", nil, 200, "sent by sendfile"},
		{"GET", "/small.txt", []string{"If-None-Match: *"}, 304, "opened and not sent"},
		{"GET", "/medium.txt", []string{"If-None-Match: *"}, 304, "opened and not sent"},
		{"HEAD", "/small.txt", nil, 200, "opened and not sent"},
		{"HEAD", "/large.txt", nil, 200, "opened and not sent"},
		{"GET", "/small.txt", []string{`If-Match: "another"`}, 412, "opened and refused"},
		{"GET", "/small.txt", []string{"Range: bytes=9-"}, 416, "opened and refused"},
		{"GET", "/large.txt", []string{"Range: bytes=99999999-"}, 416, "opened and refused"},
		{"GET", "/small.txt", []string{"Accept-Encoding: identity;q=0"}, 406, "opened and refused"},
		{"GET", "/missing.txt", nil, 404, "not there"},
		{"GET", "/small.txt/below", nil, 404, "below a file"},
		{"GET", "/folder/", nil, 404, "opened, and has no index"},
		{"GET", "/fifo", nil, 404, "opened, and is no file"},
		{"GET", "/folder", nil, 301, "opened, and named otherwise"},
		{"GET", "/small.txt/", nil, 301, "opened, and named otherwise"},
		{"GET", "/small.txt", []string{"Range: bytes=1-2"}, 206, "a part"},
		{"GET", "/large.txt", []string{"Range: bytes=1000-2999"}, 206, "a part sent by sendfile"},
		{"GET", "/large.txt", []string{"Range: bytes=1000-2999,5000-5999"}, 206, "parts"},
		{"PUT", "/small.txt", []string{"Content-Length: 0"}, 405, "not opened"},
	} {
		c := server.Dial()
		c.Do(tt.method, tt.target, tt.fields...) // so that the connection is among what is held
		before := testkit.Holding()
		for range scaled(leakRounds) {
			if got := c.Do(tt.method, tt.target, tt.fields...); got.Status != tt.status {
				t.Fatalf("%s %s %q: got\n%s, want %d", tt.method, tt.target, tt.fields, got.Head, tt.status)
			}
		}
		if err := before.Regained(); err != nil {
			t.Errorf("%s %s %q, %s: %v", tt.method, tt.target, tt.fields, tt.reason, err)
		}
	}
}

// Clients that leave take with them all that was held for them.
func TestNothingIsLeakedByClientsThatLeave(t *testing.T) {
	server, _ := serveTree(t, map[string]string{"medium.txt": realText(t, 500_000), "large.txt": realText(t, 8<<20)}, nil)
	for _, tt := range []struct {
		sends, awaits string
		reason        string
	}{
		{"GET /large.txt HTTP/1.1\r\nHost: test\r\n\r\n", "HTTP/1.1 200 OK\r\n", "in the middle of the body"},
		{"GET /medium.txt HTTP/1.1\r\nHost: test\r\n\r\n", "HTTP/1.1 200 OK\r\n", "in the middle of the body, which may be sent by then"},
		{"GET /large.txt HTTP/1.1\r\nHost: test\r\nRange: bytes=0-3000000,4000000-7000000\r\n\r\n", "HTTP/1.1 206 ", "in the middle of the parts"},
		{"GET /large.txt HTTP/1.1\r\nHost: test\r\n\r\n", "", "before the answer"},
		{"GET /large.txt HTTP/1.1\r\nHost:", "", "in the middle of the request"},
		{"", "", "without a request"},
	} {
		server.Get("/large.txt")
		before := testkit.Holding()
		for range scaled(leakRounds) {
			c := server.Dial()
			if _, err := io.WriteString(c, tt.sends); err != nil {
				t.Fatal(err)
			}
			begin := make([]byte, len(tt.awaits))
			if _, err := io.ReadFull(c.Conn, begin); err != nil || string(begin) != tt.awaits {
				t.Fatalf("%q: got %q and %v, want %q", tt.sends, begin, err, tt.awaits)
			}
			c.Close()
		}
		if err := before.Regained(); err != nil {
			t.Errorf("%q, closed %s: %v", tt.sends, tt.reason, err)
		}
	}
	if got := server.Get("/medium.txt"); got.Status != http.StatusOK || got.Err != nil || !strings.HasPrefix(realText(t, 500_000), string(got.Body)) {
		t.Errorf("afterwards: %v, got\n%s", got.Err, got.Head)
	}
}
