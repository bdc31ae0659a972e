package servery_test

import (
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"servery/internal/testkit"
)

func nginxConfiguration(dir, socket, origin string) string {
	return fmt.Sprintf(`daemon off;
user root;
worker_processes 1;
pid %[1]s/pid;
error_log stderr warn;
events { worker_connections 64; }
http {
	access_log off;
	client_body_temp_path %[1]s/body;
	proxy_temp_path %[1]s/proxy;
	fastcgi_temp_path %[1]s/fastcgi;
	uwsgi_temp_path %[1]s/uwsgi;
	scgi_temp_path %[1]s/scgi;
	proxy_cache_path %[1]s/cache keys_zone=all:1m;
	server {
		listen unix:%[2]s;
		location / {
			proxy_pass http://%[3]s;
			proxy_http_version 1.1;
			proxy_set_header Connection "";
			proxy_cache all;
			proxy_cache_revalidate on;
			add_header X-Cache $upstream_cache_status always;
		}
	}
}
`, dir, socket, origin)
}

// With nginx in front each client gets one version in a coding that it accepts, and what has grown stale is revalidated.
func TestNginxCache(t *testing.T) {
	leaveToPlain(t)
	t.Parallel()
	testkit.Tool(t, "nginx")
	origin, dir := newRealOrigin(t), t.TempDir()
	socket, configuration := filepath.Join(dir, "socket"), filepath.Join(dir, "nginx.conf")
	testkit.Write(t, configuration, nginxConfiguration(dir, socket, origin.addr))
	daemon(t, socket, "nginx", "-e", "stderr", "-p", dir, "-c", configuration)
	run := &realRun{realOrigin: origin, socket: socket, fate: func(r testkit.Response) string { return r.Header.Get("X-Cache") }}
	run.run(t, "HIT 200", "HIT 206", "HIT 304", "REVALIDATED", "EXPIRED", "MISS", "HIT gzip", "HIT zstd", "HIT resumed")
}

// With Varnish in front and its default VCL likewise, whether it does gzip itself or leaves that to the origin.
func TestVarnishCache(t *testing.T) {
	leaveToPlain(t)
	t.Parallel()
	for _, tt := range []struct {
		gzip string
		want []string
	}{
		{"on", []string{"hit 200", "hit 206", "hit 304", "hit gzip", "hit part of gzip", "hit weak", "hit resumed"}},
		{"off", []string{"hit 200", "hit 206", "hit 304", "hit gzip", "hit zstd", "hit part of zstd", "hit resumed"}},
	} {
		t.Run("gzip "+tt.gzip, func(t *testing.T) {
			t.Parallel()
			testkit.Tool(t, "varnishd")
			origin, dir := newRealOrigin(t), t.TempDir()
			socket := filepath.Join(dir, "socket")
			daemon(t, socket, "varnishd", "-F", "-j", "none", "-n", filepath.Join(dir, "v"), "-a", socket, "-b", origin.addr, "-T", "none",
				"-s", "malloc,32m", "-p", "default_grace=0", "-p", "default_keep=60", "-p", "http_gzip_support="+tt.gzip)
			run := &realRun{realOrigin: origin, socket: socket, fate: func(r testkit.Response) string {
				if strings.Contains(r.Header.Get("X-Varnish"), " ") { // the request's number, and that of who fetched it
					return "hit"
				}
				return "fetched"
			}}
			run.run(t, tt.want...)
		})
	}
}

// daemon starts a program that listens on a socket, and ends it with the test. It returns when the program takes
// connections, which nothing announces.
func daemon(t *testing.T, socket, name string, args ...string) {
	t.Helper()
	var output lockedText
	cmd := exec.Command(testkit.Tool(t, name), args...)
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.WaitDelay = testkit.Patience
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		cmd.Wait()
	}()
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(testkit.Patience):
			cmd.Process.Kill()
			<-ended
		}
		if t.Failed() {
			t.Logf("%s wrote:\n%s", name, output.String())
		}
	})
	for start := time.Now(); ; {
		if conn, err := net.Dial("unix", socket); err == nil {
			conn.Close()
			return
		}
		select {
		case <-ended:
			t.Fatalf("%s has ended:\n%s", name, output.String())
		case <-time.After(10 * time.Millisecond):
		}
		if time.Since(start) > testkit.Patience {
			t.Fatalf("%s does not listen:\n%s", name, output.String())
		}
	}
}

// lockedText is what a program writes.
type lockedText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
