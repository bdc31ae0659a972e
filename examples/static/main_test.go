package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"flag"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"servery/internal/testkit"
)

func TestMain(m *testing.M) { os.Exit(testkit.Main(m)) }

// get asks by a connection of its own, for gzip, which it undoes.
func get(t *testing.T, transport *http.Transport, url string) (response *http.Response, body string) {
	t.Helper()
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: testkit.Patience}
	response, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		t.Errorf("GET %s: %v", url, err)
	}
	return response, string(read)
}

func TestRun(t *testing.T) {
	page := strings.Repeat("<p>hello", 1000)
	dir := testkit.Tree(t, map[string]string{"index.html": page, ".secret": "hidden"})
	for _, tt := range []struct {
		args   []string
		hidden int
		reason string
	}{
		{nil, 404, "names with a dot are not found"},
		{[]string{"-hidden", "-cache", "0"}, 200, "they are asked for, and nothing has to be held"},
	} {
		p := testkit.Start(t, 1, run, append(tt.args, "-dir", dir, "-addr", "127.0.0.1:0")...)
		response, body := get(t, new(http.Transport), p.URLs[0]+"/")
		if response.StatusCode != 200 || !response.Uncompressed || body != page {
			t.Errorf("%q: status %d, header %v, %d bytes, want the page in gzip", tt.args, response.StatusCode, response.Header, len(body))
		}
		if response, _ := get(t, new(http.Transport), p.URLs[0]+"/.secret"); response.StatusCode != tt.hidden {
			t.Errorf("%q: status %d, want %d: %s", tt.args, response.StatusCode, tt.hidden, tt.reason)
		}
	}
}

func TestRunTLS(t *testing.T) {
	dir := testkit.Tree(t, map[string]string{"index.html": "<p>hello"})
	certFile, keyFile, roots := certificate(t)
	p := testkit.Start(t, 1, run, "-dir", dir, "-addr", "127.0.0.1:0", "-tls-cert", certFile, "-tls-key", keyFile)
	for protocol, http2 := range map[string]bool{"HTTP/2.0": true, "HTTP/1.1": false} {
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: http2}
		response, body := get(t, transport, p.URLs[0])
		if response.Proto != protocol || response.StatusCode != 200 || body != "<p>hello" {
			t.Errorf("%s, status %d, %q, want the page by %s", response.Proto, response.StatusCode, body, protocol)
		}
	}
}

// certificate makes one for the loopback address, which signs itself.
func certificate(t *testing.T) (certFile, keyFile string, roots *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(time.Hour),
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})
	dir := testkit.Tree(t, map[string]string{"cert.pem": string(certPEM), "key.pem": string(keyPEM)})
	roots = x509.NewCertPool()
	roots.AppendCertsFromPEM(certPEM)
	return filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), roots
}

func TestRunRefuses(t *testing.T) {
	dir := testkit.Tree(t, map[string]string{"file": "no directory, and no certificate"})
	file := filepath.Join(dir, "file")
	for _, args := range [][]string{
		{"-dir", filepath.Join(dir, "missing")},
		{"-dir", file},
		{"-addr", "nowhere:port:port"},
		{"-cache", "-1"},
		{"-tls-cert", file},
		{"-tls-key", file},
		{"-tls-cert", file, "-tls-key", file},
		{"-unknown"},
		{"public"},
	} {
		if err := run(t.Context(), args, io.Discard); err == nil {
			t.Errorf("run(%q) = nil, want an error", args)
		}
	}
}

func TestRunHelp(t *testing.T) {
	var output strings.Builder
	if err := run(t.Context(), []string{"-h"}, &output); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("run(-h) = %v, want %v", err, flag.ErrHelp)
	}
	for _, want := range []string{"Static serves", "usage: static", "-dir directory", "-tls-key file", "-cache MiB"} {
		if !strings.Contains(output.String(), want) {
			t.Errorf("-h says nothing of %q:\n%s", want, output.String())
		}
	}
}
