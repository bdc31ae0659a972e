package drive

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestClient(t *testing.T) {
	with, without := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(with, "wrk"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	const short = 200 * time.Millisecond
	tests := []struct {
		path     string
		client   string
		duration time.Duration
		want     string // empty for an error
		reason   string
	}{
		{with, "auto", time.Second, "wrk", "it is there"},
		{with, "auto", short, "cmd/load", "wrk would round to a second"},
		{without, "auto", time.Second, "cmd/load", "there is no wrk"},
		{with, "own", time.Second, "cmd/load", "asked for"},
		{without, "wrk", time.Second, "", "asked for and not there"},
		{with, "wrk", short, "", "a duration that wrk does not know"},
		{with, "ab", time.Second, "", "an unknown one"},
	}
	for _, test := range tests {
		t.Setenv("PATH", test.path)
		got, err := Config{Client: test.client, Duration: test.duration}.client("load", t.TempDir())
		if got.Name != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%s for %v: got %q, %v, want %q: %s", test.client, test.duration, got.Name, err, test.want, test.reason)
		}
	}
}

func TestValidate(t *testing.T) {
	good := Config{Rounds: 1, Duration: 1, Connections: 1, Procs: 1}
	if err := good.validate(); err != nil {
		t.Errorf("%+v: %v", good, err)
	}
	for _, spoil := range []func(*Config){
		func(c *Config) { c.Rounds = 0 },
		func(c *Config) { c.Duration = 0 },
		func(c *Config) { c.Connections = 0 },
		func(c *Config) { c.Procs = 0 },
	} {
		bad := good
		spoil(&bad)
		if bad.validate() == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}
