package main

import (
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"servery/internal/testkit"
)

func TestMain(m *testing.M) { os.Exit(testkit.Main(m)) }

// get asks for gzip, which it undoes.
func get(t *testing.T, url string) string {
	t.Helper()
	transport := new(http.Transport)
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport, Timeout: testkit.Patience}).Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestMetrics(t *testing.T) {
	text := strings.Repeat("what the metrics are about\n", 1000)
	dir := testkit.Tree(t, map[string]string{"text.txt": text, "small.txt": "small"})
	urls := testkit.Start(t, 2, run, "-dir", dir, "-addr", "127.0.0.1:0", "-metrics", "127.0.0.1:0").URLs
	// Each answer fits into the 4 KiB of the server's buffer, and so is counted before it
	// is sent.
	for _, target := range []string{"/text.txt", "/text.txt", "/small.txt", "/missing", "/api/squares", "/metrics"} {
		get(t, urls[0]+target)
	}
	lines := strings.Split(get(t, urls[1]+"/metrics"), "\n")
	for _, want := range []string{
		`servery_responses_total{body="computed",coding="gzip",handler="files",status="2xx",uncoded=""} 1`,
		`servery_responses_total{body="hit",coding="gzip",handler="files",status="2xx",uncoded=""} 1`,
		`servery_responses_total{body="",coding="",handler="files",status="2xx",uncoded="small"} 1`,
		`servery_responses_total{body="",coding="",handler="files",status="4xx",uncoded="status"} 2`, // /metrics is one
		`servery_responses_total{body="",coding="gzip",handler="api",status="2xx",uncoded=""} 1`,
		`servery_plain_bytes_total{coding="gzip",handler="files"} 54000`,
		`servery_encoding_seconds_count{handler="files"} 1`,
		`servery_cache_hits_total 1`,
		`servery_cache_misses_total 1`,
		`servery_cache_entries 1`,
		`servery_limiter_completed_total 2`,
		`servery_limiter_rejected_total 0`,
		`# TYPE servery_cache_bytes gauge`,
		`# TYPE servery_cache_hits_total counter`,
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("/metrics has no line %s", want)
		}
	}
	if t.Failed() {
		t.Log(strings.Join(lines, "\n"))
	}
}
