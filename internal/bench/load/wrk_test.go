package load

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"servery/internal/testkit"
)

// The files of testdata are what wrk 4.1.0 printed against servers that were
// sound, sound but slow, answered 404, or closed connections in the middle of a body.
func TestParseWrk(t *testing.T) {
	tests := []struct {
		file   string
		want   Result
		reason string
	}{
		{"wrk-sound.txt", Result{
			Requests: 1565, Bytes: 1918894, Elapsed: time.Second, PerSecond: 1563.65,
			P50: 2360 * time.Microsecond, P99: 12260 * time.Microsecond,
		}, "no line of errors means none"},
		{"wrk-slow.txt", Result{
			Requests: 11, Bytes: 314216284, Elapsed: 1150 * time.Millisecond, PerSecond: 9.57,
			P50: 485700 * time.Microsecond, P99: 1150 * time.Millisecond,
		}, "seconds are followed by a blank"},
		{"wrk-404.txt", Result{
			Requests: 1698, Bytes: 883148, Elapsed: time.Second, PerSecond: 1696.15,
			P50: 2170 * time.Microsecond, P99: 5340 * time.Microsecond,
			Errors: 1698, Failure: "Non-2xx or 3xx responses: 1698",
		}, "a wrong status is an error"},
		{"wrk-socket-errors.txt", Result{
			Requests: 10819, Bytes: 584171, Elapsed: 1100 * time.Millisecond, PerSecond: 9841.41,
			P50: 221 * time.Microsecond, P99: 990 * time.Microsecond,
			Errors: 3605, Failure: "Socket errors: connect 0, read 3605, write 0, timeout 0",
		}, "a lost connection is an error"},
	}
	for _, test := range tests {
		stdout, err := os.ReadFile(filepath.Join("testdata", test.file))
		if err != nil {
			t.Fatal(err)
		}
		got, err := ParseWrk(stdout)
		if err != nil || got != test.want {
			t.Errorf("%s: got %+v, %v\nwant %+v: %s", test.file, got, err, test.want, test.reason)
		}
	}
}

func TestParseWrkNeedsEveryLine(t *testing.T) {
	stdout, err := os.ReadFile(filepath.Join("testdata", "wrk-sound.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"requests in", "Requests/sec", "50%", "99%"} {
		kept := slices.DeleteFunc(strings.Split(string(stdout), "\n"), func(l string) bool {
			return strings.Contains(l, line)
		})
		if got, err := ParseWrk([]byte(strings.Join(kept, "\n"))); err == nil {
			t.Errorf("without %q: got %+v and no error", line, got)
		}
	}
}

func TestWrkCommand(t *testing.T) {
	r := Request{URL: "http://h/x", Header: `If-None-Match: "a"`, Connections: 8, Duration: 200 * time.Millisecond}
	argv, err := Wrk("wrk", t.TempDir()).Command(r)
	got := strings.Join(argv, " ")
	want := `wrk -t 1 -c 8 -d 1s --latency --timeout 60s -H If-None-Match: "a" http://h/x`
	if got != want || err != nil {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
}

// TestWrkTakesTurns runs wrk where there is one: only it knows what a script means.
func TestWrkTakesTurns(t *testing.T) {
	path := testkit.Tool(t, "wrk")
	server, asked := countingServer(t)
	r := Request{URL: server.URL + "/dir/*.txt", Files: 3, Header: "Accept-Encoding: gzip", Connections: 2, Duration: time.Second}
	client := Wrk(path, t.TempDir())
	argv, err := client.Command(r)
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := exec.Command(argv[0], argv[1:]...).Output()
	if err != nil {
		t.Fatal(err)
	}
	result, err := client.Parse(stdout)
	if err != nil || result.Err(len("gzip")) != nil {
		t.Errorf("got %+v, %v", result, err)
	}
	checkTurns(t, asked(), []string{"/dir/0.txt", "/dir/1.txt", "/dir/2.txt"})
}

func TestResultErr(t *testing.T) {
	tests := []struct {
		result Result
		size   int
		sound  bool
		reason string
	}{
		{Result{Requests: 10, Bytes: 12000}, 1000, true, "body and head"},
		{Result{Requests: 10, Bytes: 9950}, 1000, true, "wrk rounds the total"},
		{Result{Requests: 10, Bytes: 2000}, 0, true, "heads alone are what a 304 has"},
		{Result{Requests: 10, Bytes: 12000, Errors: 1}, 1000, false, "a single error spoils all"},
		{Result{}, 1000, false, "nothing was answered"},
		{Result{Requests: 10, Bytes: 9800}, 1000, false, "bodies were cut short"},
		{Result{Requests: 10, Bytes: 12000}, 0, false, "bodies came where 304 was meant"},
	}
	for _, test := range tests {
		if err := test.result.Err(test.size); (err == nil) != test.sound {
			t.Errorf("%+v, body of %d: %v: %s", test.result, test.size, err, test.reason)
		}
		if err := test.result.Failed(); (err != nil) != (test.result.Errors > 0) {
			t.Errorf("%+v: failed with %v", test.result, err)
		}
	}
}
