package drive

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"servery/internal/bench/inputs"
	"servery/internal/bench/peers"
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
}

func TestAbsence(t *testing.T) {
	lacking := []inputs.Protocol{inputs.HTTP2}
	all := []peer{{PeerInfo: PeerInfo{Name: "a"}}, {PeerInfo: PeerInfo{Name: "b", Absent: "gone"}}, {PeerInfo: PeerInfo{Name: "c", Lacks: lacking}}}
	for _, test := range []struct {
		protocol inputs.Protocol
		want     string
		notes    []string
		reason   string
	}{
		{inputs.HTTP1, "a c", []string{"", "absent: gone", ""}, "what is lacking is not asked for"},
		{inputs.HTTP1TLS, "a c", []string{"", "absent: gone", ""}, "TLS is not HTTP/2"},
		{inputs.HTTP2, "a", []string{"", "absent: gone", "absent: built without HTTP/2"}, "c cannot do it"},
	} {
		notes := collect(all, func(p peer) string { return p.absence(test.protocol) })
		if got := namesOf(presentOf(all, test.protocol)); got != test.want || !slices.Equal(notes, test.notes) {
			t.Errorf("%q: present are %s with %q, want %s with %q: %s", test.protocol, got, notes, test.want, test.notes, test.reason)
		}
	}
}

func TestAnswer(t *testing.T) {
	for _, test := range []struct {
		name         string
		size         int
		coding, some string // a field that the answer has to have
		not          string // one that it must not have; "" for none
		reason       string
	}{
		{"servery", 200, "", "Last-Modified", "", "a small file, whose head has no Vary"},
		{"servery", 1024, "gzip", "Etag", "Accept-Ranges", "a large one"},
		{"servery-compress", 200, "", "Content-Type", "Vary", "a small answer passes as it is"},
		{"servery-compress", 1024, "gzip", "Vary", "Etag", "a large one has what its coding needs"},
		{"gzhttp-compress", 200, "", "Content-Type", "", "it need not be what servery sends"},
		{"chi", 200, "gzip", "Vary", "", "nothing is too small"},
	} {
		got := goPeer(PeerInfo{Name: test.name}, "serve").answer("gzip", test.size)
		if got.accept != "gzip" || got.coding != test.coding || !slices.Contains(got.head.fields, test.some) {
			t.Errorf("%s of %d bytes: got %+v, want it in %q with %s: %s", test.name, test.size, got, test.coding, test.some, test.reason)
		}
		if slices.Contains(got.head.fields, test.not) || got.head.exact != (test.not != "") {
			t.Errorf("%s of %d bytes: got %+v, want it without %q: %s", test.name, test.size, got, test.not, test.reason)
		}
	}
}

func TestExternalPeersAreNeverLeftOut(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	all := external(t.Context())
	if got, want := namesOf(all), "nginx nginx-ofc nginx-gzip nginx-static caddy caddy-gzip"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, p := range all {
		if p.Absent == "" {
			t.Errorf("%s is not absent although it is on no PATH", p.Name)
		}
	}
}

func TestExternalConfigurations(t *testing.T) {
	files := t.TempDir()
	if err := os.WriteFile(files+"/a.txt", []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	nginx := []string{"worker_processes 2;", "listen 127.0.0.1:1234;"}
	secure := []string{`ssl_certificate "cert.pem";`, `ssl_certificate_key "key.pem";`}
	tests := []struct {
		command func(site) ([]string, error)
		over    inputs.Protocol
		file    string
		want    []string
	}{
		{nginxCommand("nginx", ""), inputs.HTTP1TLS, "nginx.conf", append(secure, "listen 127.0.0.1:1234 ssl;")},
		{nginxGzipCommand("nginx"), inputs.HTTP2, "nginx.conf", append(secure, "listen 127.0.0.1:1234 ssl http2;", "gzip on;")},
		{nginxCommand("nginx", openFileCache), inputs.HTTP1, "nginx.conf", append(nginx, `root "`+files+`";`, "open_file_cache max=12000")},
		{nginxGzipCommand("nginx"), inputs.HTTP1, "nginx.conf", append(nginx, `root "`+files+`";`, "gzip on;", "gzip_comp_level 7;")},
		{nginxStaticCommand("nginx"), inputs.HTTP1, "nginx.conf", append(nginx, `/files";`, "gzip_static on;")},
		{caddyCommand("caddy", false), inputs.HTTP1, "caddy.json", []string{`"listen":["127.0.0.1:1234"]`, `"handle":[{"handler":"file_server"`}},
		{caddyCommand("caddy", true), inputs.HTTP1, "caddy.json", []string{`"handle":[{"encodings":{"gzip":{"level":7}},"handler":"encode"},`}},
	}
	for _, test := range tests {
		s := site{
			dir: files, addr: "127.0.0.1:1234", over: test.over, scratch: t.TempDir(), procs: 2, level: 7,
			shows: certificate{certFile: "cert.pem", keyFile: "key.pem"},
		}
		if _, err := test.command(s); err != nil {
			t.Error(err)
			continue
		}
		config := contentOf(t, s.scratch+"/"+test.file)
		if test.file == "caddy.json" && !json.Valid([]byte(config)) {
			t.Errorf("not JSON: %s", config)
		}
		for _, part := range test.want {
			if !strings.Contains(config, part) {
				t.Errorf("%s lacks %q:\n%s", test.file, part, config)
			}
		}
	}
}

func TestNginxLacks(t *testing.T) {
	for _, test := range []struct {
		built  string
		want   []inputs.Protocol
		reason string
	}{
		{"--with-http_ssl_module --with-http_v2_module", nil, "it has all"},
		{"--with-http_ssl_module", []inputs.Protocol{inputs.HTTP2}, "it has no HTTP/2"},
		{"--with-http_v2_module", []inputs.Protocol{inputs.HTTP1TLS, inputs.HTTP2}, "both need TLS"},
	} {
		name := t.TempDir() + "/nginx"
		script := "#!/bin/sh\n[ \"$1\" = -V ] && echo 'configure arguments: " + test.built + "' >&2\n"
		if err := os.WriteFile(name, []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		if got := nginxLacks(t.Context(), name); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q: %s", test.built, got, test.want, test.reason)
		}
	}
	if got := nginxLacks(t.Context(), ""); got != nil {
		t.Errorf("a program that is not there lacks %q", got)
	}
}

func TestPrecompress(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	if err := errors.Join(os.Mkdir(from+"/dir", 0o755), os.WriteFile(from+"/dir/a.txt", []byte("text"), 0o644),
		os.Chtimes(from+"/dir/a.txt", old, old), precompress(to, from, 6)); err != nil {
		t.Fatal(err)
	}
	coded := contentOf(t, to+"/dir/a.txt.gz")
	plain, err := decode([]byte(coded), "gzip")
	if err != nil || string(plain) != "text" || contentOf(t, to+"/dir/a.txt") != "text" {
		t.Errorf("got %q, %v", plain, err)
	}
	for _, name := range []string{"/dir/a.txt", "/dir/a.txt.gz"} {
		if info, err := os.Stat(to + name); err != nil || !info.ModTime().Equal(old) {
			t.Errorf("%s: %v, %v, want the time of the original, %v", name, info.ModTime(), err, old)
		}
	}
	if entries, err := os.ReadDir(from + "/dir"); err != nil || len(entries) != 1 {
		t.Errorf("the original tree has become %v, %v", entries, err)
	}
}

// TestScenariosNameKnownPeers needs no server to be installed: absent ones are
// listed, too.
func TestScenariosNameKnownPeers(t *testing.T) {
	var known []string
	for _, p := range peers.All() {
		known = append(known, p.Name)
	}
	for _, p := range external(t.Context()) {
		known = append(known, p.Name)
	}
	for _, s := range inputs.Scenarios() {
		for _, name := range s.Peers {
			if !slices.Contains(known, name) {
				t.Errorf("%s: no peer is called %q", s.Name, name)
			}
		}
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
