package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"servery/internal/testkit"
)

func TestMain(m *testing.M) { os.Exit(testkit.Main(m)) }

func TestRun(t *testing.T) {
	const (
		page, script, styled = "<!doctype html><title>app</title>", "console.log('app')", "body { margin: 0 }"
		// What a browser says when it goes to a page, and when a page asks for anything else.
		navigation, fetch = "Accept: text/html,application/xhtml+xml,*/*;q=0.8", "Accept: */*"
		always, year      = "no-cache", "public, max-age=31536000, immutable"
	)
	dir := testkit.Tree(t, map[string]string{
		"index.html": page, "assets/app-BvQ3x1a9.js": script, "assets/app-Dk20sPqz.css": styled,
	})
	p := testkit.Start(t, 1, run, "-dir", dir, "-addr", "127.0.0.1:0")
	conn := testkit.Connect(t, strings.TrimPrefix(p.URLs[0], "http://")).Dial()
	for _, tt := range []struct {
		target, accept string
		status         int
		body           string // "" for any
		cacheControl   string
		reason         string
	}{
		{"/", navigation, 200, page, always, "the page itself"},
		{"/users/7", navigation, 200, page, always, "a route of the page"},
		{"/assets/7", navigation, 200, page, always, "the page is not kept, whatever its route"},
		{"/users/7", fetch, 404, "", "", "no file, and nobody goes to a page"},
		{"/assets/app-BvQ3x1a9.js", fetch, 200, script, year, "a name with a hash"},
		{"/assets/app-Dk20sPqz.css", fetch, 200, styled, year, "a name with a hash"},
		{"/assets/app-OfBefore.js", fetch, 404, "", "", "a script of an older release"},
		{"/assets/app-OfBefore.js", navigation, 404, "", "", "whoever asks for it"},
	} {
		got := conn.Do("GET", tt.target, tt.accept)
		if got.Err != nil || got.Status != tt.status || tt.body != "" && string(got.Body) != tt.body {
			t.Errorf("%s, %s: status %d, %q, error %v, want %d, %q: %s",
				tt.target, tt.accept, got.Status, got.Body, got.Err, tt.status, tt.body, tt.reason)
		}
		if value := got.Header.Get("Cache-Control"); value != tt.cacheControl {
			t.Errorf("%s, %s: Cache-Control %q, want %q: %s", tt.target, tt.accept, value, tt.cacheControl, tt.reason)
		}
	}

	var now time.Time
	conn.Send("GET", "/api/time", navigation)
	if got := conn.Read("GET"); got.Status != 200 || json.Unmarshal(got.Body, &now) != nil || now.IsZero() {
		t.Errorf("/api/time: status %d, %q", got.Status, got.Body)
	}
	conn.Send("GET", "/api/users/7", navigation)
	if got := conn.Read("GET"); got.Status != 404 || strings.Contains(string(got.Body), page) {
		t.Errorf("/api/users/7: status %d, %q, want 404, which is the API's own", got.Status, got.Body)
	}
}
