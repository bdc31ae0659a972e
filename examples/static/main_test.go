package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRun serves a directory until it is told to stop.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte("<p>hello"), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	output, w := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, []string{"-dir", dir, "-addr", "127.0.0.1:0"}, w) }()

	lines := bufio.NewReader(output)
	line, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, lines)
	_, url, _ := strings.Cut(strings.TrimSpace(line), " on ")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil || response.StatusCode != 200 || string(body) != "<p>hello" {
		t.Errorf("GET %s: status %d, body %q, error %v", url, response.StatusCode, body, err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("run returned %v after it was told to stop", err)
	}
	if _, err := client.Get(url); err == nil {
		t.Error("still serving after run returned")
	}
}

func TestRunRefuses(t *testing.T) {
	taken := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(taken, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"-dir", filepath.Join(t.TempDir(), "missing")},
		{"-dir", taken},
		{"-addr", "nowhere:port:port"},
		{"-unknown"},
		{"public"},
	} {
		if err := run(t.Context(), args, io.Discard); err == nil {
			t.Errorf("run(%q) = %v, want an error", args, err)
		}
	}
}
