package drive

import (
	"bufio"
	"crypto/sha256"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"servery/internal/bench/inputs"
)

// served answers over TLS with the certificate, by HTTP/2 if it may.
func served(t *testing.T, shown certificate, http2 bool) *httptest.Server {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(shown.certFile, shown.keyFile)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(sound))
	server.EnableHTTP2 = http2
	server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

func newShown(t *testing.T) certificate {
	t.Helper()
	shown, err := newCertificate(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return shown
}

func TestVerifyProtocol(t *testing.T) {
	own, other := newShown(t), newShown(t)
	both, old := served(t, own, true).URL, served(t, own, false).URL
	plain := httptest.NewServer(http.HandlerFunc(sound))
	defer plain.Close()
	for _, test := range []struct {
		url      string
		trusting certificate
		protocol inputs.Protocol
		major    int
		closes   bool
		want     string // part of the error, empty for none
		reason   string
	}{
		{plain.URL, own, inputs.HTTP1, 1, false, "", "nothing is encrypted"},
		{plain.URL, own, inputs.HTTP1, 1, true, "", "the server closes when it is asked to"},
		{both, own, inputs.HTTP1TLS, 1, false, "", "the server is not asked for HTTP/2"},
		{both, own, inputs.HTTP2, 2, false, "", "it is"},
		{both, own, inputs.HTTP1TLS, 2, false, "HTTP/1.1", "what is wanted is not what is spoken"},
		{old, own, inputs.HTTP2, 2, false, "protocol", "the server cannot"},
		{both, other, inputs.HTTP2, 2, false, "certificate", "another server has the port"},
	} {
		transport := test.trusting.newTransport(test.protocol)
		want := expectation{
			size: int64(len(verifiedBody)), sum: sha256.Sum256([]byte(verifiedBody)), major: test.major, closes: test.closes,
			head: head{exact: true, fields: []string{"Content-Length", "Content-Type", "Etag"}},
		}
		_, _, err := verifyFull(t.Context(), transport, test.url, want)
		transport.CloseIdleConnections()
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%q: %v: %s", test.protocol, err, test.reason)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%q: error %v, want %q: %s", test.protocol, err, test.want, test.reason)
		}
	}
}

// TestVerifyChurn: a server that does not close would be measured without the work of
// the next connection.
func TestVerifyChurn(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
			io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		}
	}()
	transport := certificate{}.newTransport(inputs.HTTP1)
	_, _, err = verifyFull(t.Context(), transport, "http://"+l.Addr().String(), expectation{major: 1, closes: true})
	if err == nil || !strings.Contains(err.Error(), "closes the connection: false") {
		t.Errorf("error %v, want one about the connection", err)
	}
}
