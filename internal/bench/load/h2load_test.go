package load

import (
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"servery/internal/testkit"
)

// The files of testdata are what h2load 1.52.0 printed against a server that was sound,
// and that answered 404.
func TestParseH2Load(t *testing.T) {
	const log = "1796050206016958\t200\t440\n1796050206016959\t200\t511\n1796050206016959\t200\t499\n"
	tests := []struct {
		file   string
		want   Result
		reason string
	}{
		{"h2load-sound.txt", Result{
			Requests: 2210, Bytes: 2541892, Elapsed: 302360 * time.Microsecond, PerSecond: 7366.67,
			P50: 499 * time.Microsecond, P99: 511 * time.Microsecond,
		}, "what is under way at the end is no error"},
		{"h2load-404.txt", Result{
			Requests: 7847, Bytes: 1734579, Elapsed: 201860 * time.Microsecond, PerSecond: 39235,
			P50: 499 * time.Microsecond, P99: 511 * time.Microsecond, Errors: 7847,
			Failure: "requests: 7847 total, 7911 started, 7847 done, 0 succeeded, 7847 failed, 0 errored, 0 timeout; " +
				"status codes: 0 2xx, 0 3xx, 7847 4xx, 0 5xx",
		}, "a wrong status is an error"},
	}
	for _, test := range tests {
		stdout, err := os.ReadFile(filepath.Join("testdata", test.file))
		if err != nil {
			t.Fatal(err)
		}
		got, err := ParseH2Load(stdout, []byte(log))
		if err != nil || got != test.want {
			t.Errorf("%s: got %+v, %v\nwant %+v: %s", test.file, got, err, test.want, test.reason)
		}
	}
}

func TestParseH2LoadNeedsAll(t *testing.T) {
	content, err := os.ReadFile(filepath.Join("testdata", "h2load-sound.txt"))
	if err != nil {
		t.Fatal(err)
	}
	sound := string(content)
	for _, begin := range []string{"finished in", "requests:", "status codes:", "traffic:"} {
		if got, err := ParseH2Load([]byte(strings.Replace(sound, begin, "other", 1)), nil); err == nil {
			t.Errorf("without %q: got %+v and no error", begin, got)
		}
	}
	for _, log := range []string{"1\t200\n", "1\t200\tlong\n"} {
		if got, err := ParseH2Load(content, []byte(log)); err == nil {
			t.Errorf("with the log %q: got %+v and no error", log, got)
		}
	}
	old := strings.Replace(sound, "protocol: h2", "protocol: http/1.1", 1)
	if got, err := ParseH2Load([]byte(old), nil); err != nil || got.Errors == 0 || !strings.Contains(got.Failure, "HTTP/2") {
		t.Errorf("by HTTP/1.1: got %+v, %v, want all to be errors", got, err)
	}
}

func TestH2LoadCommand(t *testing.T) {
	scratch := t.TempDir()
	log := filepath.Join(scratch, "h2load.log")
	if err := os.WriteFile(log, []byte("of the run before"), 0o644); err != nil {
		t.Fatal(err)
	}
	client := H2Load("h2load", scratch)
	r := Request{URL: "https://h/x", Header: "Accept-Encoding: gzip", Connections: 64, Duration: 300 * time.Millisecond}
	argv, err := client.Command(r)
	want := "h2load --threads=1 --clients=8 --max-concurrent-streams=8 --duration=300ms --log-file=" + log +
		" --header=Accept-Encoding: gzip https://h/x"
	if got := strings.Join(argv, " "); got != want || err != nil {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
	if _, err := os.Stat(log); !os.IsNotExist(err) {
		t.Errorf("the log of the run before: %v, want it to be gone", err)
	}
	for _, wrong := range []Request{{Files: 1}, {Churn: true}, {Behind: 1}} {
		if argv, err := client.Command(wrong); err == nil {
			t.Errorf("%+v becomes %q", wrong, argv)
		}
	}
}

// TestH2LoadSpeaksHTTP2 runs h2load where there is one.
func TestH2LoadSpeaksHTTP2(t *testing.T) {
	path := testkit.Tool(t, "h2load")
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		io.WriteString(w, r.Header.Get("Accept-Encoding"))
	}))
	server.EnableHTTP2 = true
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS13}
	server.StartTLS()
	defer server.Close()
	client := H2Load(path, t.TempDir())
	r := Request{URL: server.URL, Header: "Accept-Encoding: gzip", Connections: 8, Duration: 100 * time.Millisecond}
	argv, err := client.Command(r)
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := exec.Command(argv[0], argv[1:]...).Output()
	if err != nil {
		t.Fatal(err)
	}
	result, err := client.Parse(stdout)
	if err != nil || result.Err(len("gzip")) != nil || result.P50 <= 0 || result.P99 < result.P50 {
		t.Errorf("got %+v, %v", result, err)
	}
}
