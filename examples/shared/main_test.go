package main

import (
	"encoding/json"
	"expvar"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servery"
	"servery/internal/testkit"
)

func TestMain(m *testing.M) { os.Exit(testkit.Main(m)) }

// get asks for gzip, which it undoes.
func get(t *testing.T, url string) (response *http.Response, body string) {
	t.Helper()
	transport := new(http.Transport)
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport, Timeout: testkit.Patience}).Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(read)
}

// figures are those of servery among what /debug/vars tells.
type figures struct {
	Servery struct {
		Cache    servery.CompressionCacheStats
		Limiter  servery.LimiterStats
		Outcomes map[string]int
	}
}

func TestRun(t *testing.T) {
	text := func(of string) string { return strings.Repeat("the text of "+of+"\n", 1000) }
	a := testkit.Tree(t, map[string]string{"text.txt": text("a"), "small.txt": "small"})
	b := testkit.Tree(t, map[string]string{"text.txt": text("b")})
	p := testkit.Start(t, 2, run, "-a", a, "-b", b, "-addr", "127.0.0.1:0", "-admin", "127.0.0.1:0")
	public, admin := p.URLs[0], p.URLs[1]
	// Each answer fits into the 4 KiB of the server's buffer, and so is counted before it
	// is sent.
	for _, tt := range []struct {
		target string
		want   string // or its beginning
		coded  bool
		reason string
	}{
		{"/a/text.txt", text("a"), true, "it is compressed"},
		{"/a/text.txt", text("a"), true, "it is held"},
		{"/b/text.txt", text("b"), true, "the same name in the other directory is another file"},
		{"/a/small.txt", "small", false, "it is not worth a coding"},
		{"/api/squares", "[0,1,4,9,", true, "by Compress"},
	} {
		response, body := get(t, public+tt.target)
		if response.StatusCode != 200 || !strings.HasPrefix(body, tt.want) || response.Uncompressed != tt.coded {
			t.Errorf("%s: status %d, %d bytes %.40q, header %v: %s", tt.target, response.StatusCode, len(body), body, response.Header, tt.reason)
		}
	}

	_, told := get(t, admin+"/debug/vars")
	var got figures
	if err := json.Unmarshal([]byte(told), &got); err != nil {
		t.Fatal(err)
	}
	if cache := got.Servery.Cache; cache.Hits != 1 || cache.Misses != 2 || cache.Entries != 2 {
		t.Errorf("cache %+v, want one hit, and a miss for each directory", cache)
	}
	if limiter := got.Servery.Limiter; limiter.Completed != 3 || limiter.Rejected != 0 {
		t.Errorf("limiter %+v, want three completed, two of files and one of the API", limiter)
	}
	want := map[string]int{
		"/a/ 200 gzip, computed": 1,
		"/a/ 200 gzip, hit":      1,
		"/a/ 200 uncoded: small": 1,
		"/b/ 200 gzip, computed": 1,
		"/api/ 200 gzip":         1,
	}
	if diff := cmp.Diff(want, got.Servery.Outcomes); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	if response, _ := get(t, public+"/debug/vars"); response.StatusCode != 404 {
		t.Errorf("status %d for figures asked for in public, want 404", response.StatusCode)
	}

	p.End()
	cache := stats.Get("cache").(expvar.Func).Value().(servery.CompressionCacheStats)
	if cache.Entries != 0 || cache.Flights != 0 {
		t.Errorf("cache %+v after the end, want that it was shut down", cache)
	}
}
