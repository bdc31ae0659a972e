package protocols

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"servery/internal/testkit"
)

// run runs a program and returns its standard output.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, testkit.Tool(t, name), args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s%s", name, args, err, &stderr, out)
	}
	return string(out)
}

// curl over all the versions that it speaks: as they are, coded, conditional, in ranges,
// and completed.
func TestCurl(t *testing.T) {
	t.Parallel() // it waits for others most of the time
	handler := both(t)
	for _, tt := range []struct{ option, version, protocol string }{
		{"--http1.0", "1", "HTTP/1.1"},
		{"--http1.1", "1.1", "HTTP/1.1"},
		{"--http2", "2", "HTTP/2.0"},
		{"--http1.1", "1.1", "HTTP/2.0"}, // over TLS, where HTTP/2 is on offer
		{"--http2-prior-knowledge", "2", "h2c"},
	} {
		c := curl{t, serve(t, tt.protocol, handler).url, []string{tt.option}, tt.version, t.TempDir()}
		for target, plain := range map[string]string{
			"/files/small.txt": tree["small.txt"], "/files/large.txt": tree["large.txt"],
			"/content": text(50_000), "/large": text(1 << 20),
		} {
			c.gets(target, "200", plain)
			c.gets(target, "200", plain, "--compressed")
			if target == "/large" {
				continue // knows neither conditions nor ranges
			}
			c.gets(target, "206", plain[100:300], "--range", "100-299")
			c.gets(target, "206", plain[100:300], "--range", "100-299", "--compressed")
			c.gets(target, "206", plain[len(plain)-70:], "--range", "-70")

			tag := filepath.Join(c.dir, "tag")
			for _, compressed := range [][]string{nil, {"--compressed"}} {
				c.gets(target, "200", plain, append(compressed, "--etag-save", tag)...)
				c.gets(target, "304", "", append(compressed, "--etag-compare", tag)...)
			}
			c.holds(plain[:200])
			c.fetch(target, "206", "--continue-at", "-")
			c.has(target, plain)
		}
		c.fetch("/files/large.txt", "200", "--head")
	}
}

// curl is the program with what all of its runs have in common.
type curl struct {
	t       *testing.T
	url     string
	options []string
	version string // that it has to come to speak
	dir     string
}

func (c curl) body() string { return filepath.Join(c.dir, "body") }

// holds puts a file where the body will be written.
func (c curl) holds(content string) {
	c.t.Helper()
	if err := os.WriteFile(c.body(), []byte(content), 0o644); err != nil {
		c.t.Fatal(err)
	}
}

// fetch writes the body to its file.
func (c curl) fetch(target, status string, args ...string) {
	c.t.Helper()
	args = append([]string{"-q", "--silent", "--show-error", "--insecure", "--noproxy", "*", "--output", c.body(),
		"--write-out", "\n%{http_code} %{http_version}"}, append(c.options, args...)...)
	out := run(c.t, "curl", append(args, c.url+target)...)
	if got, want := out[strings.LastIndex(out, "\n")+1:], status+" "+c.version; got != want {
		c.t.Errorf("%s %q: status and version %s, want %s", target, args, got, want)
	}
}

func (c curl) gets(target, status, body string, args ...string) {
	c.t.Helper()
	c.holds("")
	c.fetch(target, status, args...)
	c.has(target, body)
}

func (c curl) has(target, body string) {
	c.t.Helper()
	if got, err := os.ReadFile(c.body()); err != nil || string(got) != body {
		c.t.Errorf("%s, %s: %d bytes (%v), want %d", c.version, target, len(got), err, len(body))
	}
}

var (
	h2loadDone     = regexp.MustCompile(`(?m)^requests: (\d+) total, \d+ started, (\d+) done, (\d+) succeeded, 0 failed, 0 errored, 0 timeout$`)
	h2loadStatuses = regexp.MustCompile(`(?m)^status codes: (\d+) 2xx, 0 3xx, 0 4xx, 0 5xx$`)
)

// Many streams at once on a few connections, over TLS and without: all answers are there.
func TestH2Load(t *testing.T) {
	t.Parallel() // it waits for others most of the time
	const requests = "400"
	for _, protocol := range []string{"HTTP/2.0", "h2c"} {
		s := serve(t, protocol, both(t))
		for _, target := range []string{"/files/small.txt", "/files/medium.txt", "/medium", "/content"} {
			for _, accept := range []string{"identity", "gzip", "zstd"} {
				out := run(t, "h2load", "--requests="+requests, "--clients=4", "--max-concurrent-streams=25", "--threads=1",
					"--header=accept-encoding: "+accept, s.url+target)
				done, statuses := h2loadDone.FindStringSubmatch(out), h2loadStatuses.FindStringSubmatch(out)
				if done == nil || done[3] != requests || statuses == nil || statuses[1] != requests {
					t.Errorf("%s %s, %s: got\n%s", protocol, target, accept, out)
				}
			}
		}
	}
}
