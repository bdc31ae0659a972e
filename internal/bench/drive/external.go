package drive

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"servery/internal/bench/inputs"
)

// nginxConfig has the settings that nginx's own tuning advice gives for static
// files. The client never reaches the limit of requests on a connection, since
// reconnecting is not what is measured.
const nginxConfig = `daemon off;
%s
worker_processes %d;
worker_rlimit_nofile 16384;
pid nginx.pid;
error_log stderr error;
events { worker_connections 4096; }
http {
	types { text/plain txt; }
	access_log off;
	sendfile on;
	tcp_nopush on;
	keepalive_requests 1000000000;
	client_body_temp_path client_body;
	proxy_temp_path proxy;
	fastcgi_temp_path fastcgi;
	uwsgi_temp_path uwsgi;
	scgi_temp_path scgi;
	%s
	server {
		listen %s%s;
		root %q;
	}
}
`

// openFileCache lets nginx keep the files of any scenario open without looking at them
// again for as long as a measurement takes.
const openFileCache = "open_file_cache max=12000 inactive=60s;\n\topen_file_cache_valid 60s;"

func nginxCommand(path, directives string) func(site) ([]string, error) {
	return func(s site) ([]string, error) { return nginxWith(path, directives, s) }
}

func nginxWith(path, directives string, s site) ([]string, error) {
	user := ""
	if os.Geteuid() == 0 {
		// Otherwise the worker becomes "nobody", who may not enter a
		// temporary directory of root's.
		user = "user root;"
	}
	listen, more := nginxProtocol(s)
	config := fmt.Sprintf(nginxConfig, user, s.procs, directives+more, s.addr, listen, s.dir)
	name := filepath.Join(s.scratch, "nginx.conf")
	if err := os.WriteFile(name, []byte(config), 0o644); err != nil {
		return nil, err
	}
	return []string{path, "-p", s.scratch, "-e", "stderr", "-c", name}, nil
}

// nginxProtocol returns what to say where it listens, and the directives for it. They
// fix what the Go servers would choose, so that all encrypt alike.
func nginxProtocol(s site) (listen, directives string) {
	switch s.over {
	case inputs.HTTP1TLS:
		listen = " ssl"
	case inputs.HTTP2:
		listen = " ssl http2"
	default:
		return "", ""
	}
	return listen, fmt.Sprintf("\n\tssl_certificate %q;\n\tssl_certificate_key %q;\n\t"+
		"ssl_protocols TLSv1.3;\n\tssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;", s.shows.certFile, s.shows.keyFile)
}

// nginxLacks tells what the program at the path, if there is one, was built without.
func nginxLacks(ctx context.Context, path string) []inputs.Protocol {
	if path == "" {
		return nil
	}
	// A program that does not tell what it was built with is taken to have nothing.
	built, _ := exec.CommandContext(ctx, path, "-V").CombinedOutput()
	switch tls := bytes.Contains(built, []byte("http_ssl_module")); {
	case !tls:
		return []inputs.Protocol{inputs.HTTP1TLS, inputs.HTTP2}
	case !bytes.Contains(built, []byte("http_v2_module")):
		return []inputs.Protocol{inputs.HTTP2}
	}
	return nil
}

// nginxGzipCommand compresses each response anew, at the level of the others.
func nginxGzipCommand(path string) func(site) ([]string, error) {
	return func(s site) ([]string, error) {
		const directives = "gzip on;\n\tgzip_comp_level %d;\n\tgzip_types text/plain;\n\tgzip_min_length 1024;\n\tgzip_vary on;"
		return nginxWith(path, fmt.Sprintf(directives, s.level), s)
	}
}

// nginxStaticCommand sends files that were compressed before. They are in a tree of
// their own: beside the originals they would be served by others, too.
func nginxStaticCommand(path string) func(site) ([]string, error) {
	return func(s site) ([]string, error) {
		own := filepath.Join(s.scratch, "files")
		if err := precompress(own, s.dir, s.level); err != nil {
			return nil, err
		}
		s.dir = own
		return nginxWith(path, "gzip_static on;\n\tgzip_vary on;", s)
	}
}

func caddyCommand(path string, compress bool) func(site) ([]string, error) {
	return func(s site) ([]string, error) {
		config, err := json.Marshal(caddyConfig(s, compress))
		if err != nil {
			return nil, err
		}
		name := filepath.Join(s.scratch, "caddy.json")
		if err := os.WriteFile(name, config, 0o644); err != nil {
			return nil, err
		}
		return []string{path, "run", "--config", name}, nil
	}
}

// caddyConfig is a plain file server without certificates and without the
// endpoint that could change it while it runs.
func caddyConfig(s site, compress bool) any {
	type object = map[string]any
	handlers := []object{{"handler": "file_server", "root": s.dir}}
	if compress {
		encodings := object{"gzip": object{"level": s.level}}
		handlers = slices.Insert(handlers, 0, object{"handler": "encode", "encodings": encodings})
	}
	server := object{
		"listen":          []string{s.addr},
		"automatic_https": object{"disable": true},
		"routes":          []object{{"handle": handlers}},
	}
	return object{
		"admin":   object{"disabled": true, "config": object{"persist": false}},
		"logging": object{"logs": object{"default": object{"level": "ERROR"}}},
		"apps":    object{"http": object{"servers": object{"files": server}}},
	}
}
