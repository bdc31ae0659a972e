package peers

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"servery/internal/bench/inputs"
)

// TestEveryPeerServesTheFile asks in both ways that the scenarios do.
func TestEveryPeerServesTheFile(t *testing.T) {
	content := bytes.Repeat([]byte("text\n"), 300)
	doNot := []string{"nethttp", "fasthttp"}
	for _, p := range All() {
		t.Run(p.Name, func(t *testing.T) {
			url := start(t, p, siteOf(t, content))
			if status, body := get(t, url+"/a.txt", ""); status != http.StatusOK || !bytes.Equal(body, content) {
				t.Errorf("status %d and %d bytes, want 200 and %d", status, len(body), len(content))
			}
			status, body := get(t, url+"/a.txt", "gzip")
			if plain, err := gunzip(body); !slices.Contains(doNot, p.Name) && (status != http.StatusOK || !bytes.Equal(plain, content)) {
				t.Errorf("gzip: status %d and a body of %d bytes that becomes %d, %v", status, len(body), len(plain), err)
			}
			if status, _ := get(t, url+"/b.txt", ""); status != http.StatusNotFound {
				t.Errorf("status %d for a missing file, want 404", status)
			}
		})
	}
}

// siteOf has one file, a.txt, and fails the test if the server writes beside it.
func siteOf(t *testing.T, content []byte) Site {
	t.Helper()
	s := Site{Dir: t.TempDir(), Scratch: t.TempDir(), Level: inputs.DefaultLevel}
	if err := os.WriteFile(filepath.Join(s.Dir, "a.txt"), content, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if entries, err := os.ReadDir(s.Dir); err != nil || len(entries) != 1 {
			t.Errorf("the directory has become %v, %v", entries, err)
		}
	})
	return s
}

// start returns the URL of a server that ends with the test.
func start(t *testing.T, p Peer, s Site) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- p.Serve(l, s) }()
	t.Cleanup(func() {
		l.Close()
		if err := <-done; err != nil && !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	})
	return "http://" + l.Addr().String()
}

func get(t *testing.T, url, coding string) (int, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if coding != "" {
		req.Header.Set("Accept-Encoding", coding)
	}
	// Left open, the connection would outlive the listener and hold the server.
	req.Close = true
	// The transport must not ask for gzip of its own accord.
	resp, err := (&http.Transport{DisableCompression: true}).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, body
}

func gunzip(coded []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(coded))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

func TestByName(t *testing.T) {
	if p, err := ByName("fasthttp"); err != nil || p.Name != "fasthttp" {
		t.Errorf("fasthttp: got %q, %v", p.Name, err)
	} else if _, err := p.Handler(Site{}); err == nil {
		t.Error("fasthttp has an http.Handler")
	}
	if p, err := ByName("absent"); err == nil {
		t.Errorf("an unknown name gives %q", p.Name)
	}
}
