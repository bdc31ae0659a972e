package peers

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

func TestEveryPeerServesTheFile(t *testing.T) {
	content := bytes.Repeat([]byte("text\n"), 300)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), content, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, p := range All() {
		t.Run(p.Name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			done := make(chan error, 1)
			go func() { done <- p.Serve(l, dir) }()
			url := "http://" + l.Addr().String()
			if status, body := get(t, url+"/a.txt"); status != http.StatusOK || !bytes.Equal(body, content) {
				t.Errorf("status %d and %d bytes, want 200 and %d", status, len(body), len(content))
			}
			if status, _ := get(t, url+"/b.txt"); status != http.StatusNotFound {
				t.Errorf("status %d for a missing file, want 404", status)
			}
			l.Close()
			if err := <-done; err != nil && !errors.Is(err, net.ErrClosed) {
				t.Error(err)
			}
		})
	}
}

func get(t *testing.T, url string) (int, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Left open, the connection would outlive the listener and hold the server.
	req.Close = true
	resp, err := http.DefaultTransport.RoundTrip(req)
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

func TestCeilingRevalidates(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	handler, err := newCeiling(dir)
	if err != nil {
		t.Fatal(err)
	}
	full := httptest.NewRecorder()
	handler.ServeHTTP(full, httptest.NewRequest(http.MethodGet, "/a.txt", nil))
	tag := full.Header().Get("ETag")
	for match, want := range map[string]int{tag: 304, `"other"`: 200} {
		r := httptest.NewRequest(http.MethodGet, "/a.txt", nil)
		r.Header.Set("If-None-Match", match)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != want || w.Header().Get("ETag") != tag || (w.Body.Len() == 0) != (want == 304) {
			t.Errorf("If-None-Match %s: status %d, ETag %s, %d bytes", match, w.Code, w.Header().Get("ETag"), w.Body.Len())
		}
	}
}

func TestByName(t *testing.T) {
	if p, err := ByName("fasthttp"); err != nil || p.Name != "fasthttp" {
		t.Errorf("fasthttp: got %q, %v", p.Name, err)
	} else if _, err := p.Handler("."); err == nil {
		t.Error("fasthttp has an http.Handler")
	}
	if p, err := ByName("absent"); err == nil {
		t.Errorf("an unknown name gives %q", p.Name)
	}
}
