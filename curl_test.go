//go:build unix

package servery_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"servery"
	"servery/internal/testkit"
)

// curl runs the program with a configuration on its standard input, and returns
// what it wrote and its exit code.
func curl(tb testing.TB, config string, args ...string) (string, int) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	always := []string{"-q", "--silent", "--show-error", "--noproxy", "*", "--globoff", "--path-as-is", "--config", "-"}
	cmd := exec.CommandContext(ctx, testkit.Tool(tb, "curl"), append(always, args...)...)
	cmd.Stdin = strings.NewReader(config)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && ctx.Err() == nil:
		tb.Logf("curl %q: exit %d: %s", args, exit.ExitCode(), &stderr)
		return stdout.String(), exit.ExitCode()
	case err != nil:
		tb.Fatalf("curl %q: %v", args, err)
	}
	return stdout.String(), 0
}

// curlOK is curl that must succeed.
func curlOK(tb testing.TB, args ...string) string {
	tb.Helper()
	stdout, code := curl(tb, "", args...)
	if code != 0 {
		tb.Errorf("curl %q: exit %d", args, code)
	}
	return stdout
}

func TestCurlConditional(t *testing.T) {
	server, path := serveTree(t, map[string]string{"file.txt": "first"}, nil)
	url := "http://" + server.Addr + "/file.txt"
	dir := t.TempDir()
	body, tag := filepath.Join(dir, "body"), filepath.Join(dir, "tag")
	status := func(args ...string) string {
		t.Helper()
		return curlOK(t, append(args, "--fail", "--write-out", "%{http_code}", "--output", body, url)...)
	}
	check := func(got, want, content string) {
		t.Helper()
		if data, err := os.ReadFile(body); got != want || string(data) != content {
			t.Errorf("status %s, then %q on disk (%v), want %s, %q", got, data, err, want, content)
		}
	}
	check(status("--remote-time", "--etag-save", tag), "200", "first")
	check(status("--time-cond", body), "304", "first")
	check(status("--etag-compare", tag), "304", "first")

	testkit.Write(t, filepath.Join(path, "file.txt"), "other") // same size, same date
	testkit.Settle()
	check(status("--time-cond", body), "304", "first") // a date cannot tell
	date := "If-Modified-Since: " + testkit.Past.Format(http.TimeFormat)
	check(status("--etag-compare", tag, "--header", date), "200", "other")
	check(status("--time-cond", "1 Jan 2020"), "200", "other")
}

// --compressed asks for every coding that curl knows and undoes what it gets.
func TestCurlCompressed(t *testing.T) {
	text := realText(t, 100_000)
	server, _ := serveTree(t, map[string]string{"a.js": text}, nil)
	got := curlOK(t, "--compressed", "--fail", "--dump-header", "-", "http://"+server.Addr+"/a.js")
	head, body, _ := strings.Cut(got, "\r\n\r\n")
	if body != text {
		t.Errorf("%d bytes that are not the file's %d", len(body), len(text))
	}
	if !strings.Contains(head, "\r\nVary: Accept-Encoding") || !strings.Contains(head, "\r\nContent-Encoding: ") {
		t.Errorf("got the head\n%s\nwant Vary and a coding", head)
	}
}

// A client of HTTP/1.0 has each answer whole, and the connection ends after it
// unless the client asked for more.
func TestCurlHTTP10(t *testing.T) {
	text := realText(t, 100_000)
	server, _ := serveTree(t, map[string]string{"a.txt": text, "b.txt": text}, nil)
	base := "http://" + server.Addr
	for _, tt := range []struct {
		args     []string
		connects string // status, and whether a new connection was made
	}{
		{[]string{"--http1.0"}, "200 1\n200 1\n"},
		{[]string{"--http1.0", "--header", "Connection: keep-alive"}, "200 1\n200 0\n"},
	} {
		dir := t.TempDir()
		got := curlOK(t, append(tt.args, "--fail", "--write-out", `%{http_code} %{num_connects}\n`,
			"--output-dir", dir, "--remote-name-all", base+"/a.txt", base+"/b.txt")...)
		if got != tt.connects {
			t.Errorf("%q: got %q, want %q", tt.args, got, tt.connects)
		}
		for _, name := range []string{"a.txt", "b.txt"} {
			if data, err := os.ReadFile(filepath.Join(dir, name)); string(data) != text {
				t.Errorf("%q: %s has %d bytes that are not the file's %d (%v)", tt.args, name, len(data), len(text), err)
			}
		}
	}
}

// Redirects lead where they should although the server knows nothing of the
// prefix that was taken off.
func TestCurlRedirect(t *testing.T) {
	const name = `100% "odd" #?&;+é`
	files := map[string]string{name + "/index.html": "index", "a:b/index.html": "colon", "file.txt": "file"}
	inner := servery.FileServer(openDir(t, testkit.Tree(t, files)), nil)
	server := testkit.Serve(t, http.StripPrefix("/pre/fix", inner))
	base, odd := "http://"+server.Addr+"/pre/fix", pathEncodings[2].encode(name)
	for _, tt := range []struct{ target, body, redirects string }{
		{"/" + odd, "index", "1"},
		{"/" + odd + "/", "index", "0"},
		{"/" + odd + "?q=%20&r", "index", "1"},
		{"//" + odd, "index", "1"},
		{"/x/../" + odd, "index", "1"},
		{"/a:b", "colon", "1"},
		{"/file.txt/", "file", "1"},
	} {
		got := curlOK(t, "--location", "--fail", "--write-out", "\n%{num_redirects}", base+tt.target)
		if got != tt.body+"\n"+tt.redirects {
			t.Errorf("%s: got %q, want %q after %s redirects", tt.target, got, tt.body, tt.redirects)
		}
	}
}
