package drive

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func namesOf(peers []peer) string {
	return strings.Join(collect(peers, func(p peer) string { return p.Name }), " ")
}

func TestSelectPeers(t *testing.T) {
	all := []peer{{PeerInfo: PeerInfo{Name: "a"}}, {PeerInfo: PeerInfo{Name: "b", Absent: "gone"}}, {PeerInfo: PeerInfo{Name: "c"}}}
	tests := []struct{ list, want, reason string }{
		{"", "a b c", "nothing named means all"},
		{"c,a", "a c", "peers keep their own order"},
		{"b", "b", "an absent peer can be named, it is reported"},
	}
	for _, test := range tests {
		got, err := selectPeers(all, test.list)
		if err != nil || namesOf(got) != test.want {
			t.Errorf("%q: got %s, %v, want %s: %s", test.list, namesOf(got), err, test.want, test.reason)
		}
	}
	if got, err := selectPeers(all, "a,z"); err == nil {
		t.Errorf("an unknown name selects %s without an error", namesOf(got))
	}
	if got := namesOf(presentOf(all)); got != "a c" {
		t.Errorf("present are %s, want a c", got)
	}
}

func TestExternalPeersAreNeverLeftOut(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	peers := external(t.Context())
	if got, want := namesOf(peers), "nginx nginx-ofc caddy"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, p := range peers {
		if p.Absent == "" {
			t.Errorf("%s is not absent although it is on no PATH", p.Name)
		}
	}
}

func TestExternalConfigurations(t *testing.T) {
	s := site{dir: "/files", addr: "127.0.0.1:1234", scratch: t.TempDir(), procs: 2}
	if _, err := nginxCommand("nginx", openFileCache)(s); err != nil {
		t.Fatal(err)
	}
	if _, err := caddyCommand("caddy")(s); err != nil {
		t.Fatal(err)
	}
	nginx := contentOf(t, s.scratch+"/nginx.conf")
	for _, line := range []string{"worker_processes 2;", "listen 127.0.0.1:1234;", `root "/files";`, "open_file_cache max=1000"} {
		if !strings.Contains(nginx, line) {
			t.Errorf("nginx.conf lacks %q:\n%s", line, nginx)
		}
	}
	caddy := contentOf(t, s.scratch+"/caddy.json")
	if !json.Valid([]byte(caddy)) || !strings.Contains(caddy, `"listen":["127.0.0.1:1234"]`) {
		t.Errorf("caddy.json is %s", caddy)
	}
}

func contentOf(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
