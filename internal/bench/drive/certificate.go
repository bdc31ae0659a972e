package drive

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"servery/internal/bench/inputs"
)

// A certificate is what the servers show that speak TLS. It is made for one run and
// signed by itself. Its zero value is none.
type certificate struct {
	certFile, keyFile string // in PEM
	trusted           *x509.CertPool
}

// newCertificate writes the files to the directory. The key is of the kind for which a
// handshake is the cheapest for the server.
func newCertificate(dir string) (certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return certificate{}, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "servery benchmark"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(7 * 24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage:    x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return certificate{}, err
	}
	coded, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return certificate{}, err
	}
	c := certificate{
		certFile: filepath.Join(dir, "cert.pem"), keyFile: filepath.Join(dir, "key.pem"), trusted: x509.NewCertPool(),
	}
	chain := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})
	c.trusted.AppendCertsFromPEM(chain)
	return c, errors.Join(
		os.WriteFile(c.certFile, chain, 0o644),
		os.WriteFile(c.keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: coded}), 0o600),
	)
}

// newTransport returns one that speaks the protocol and no other. It does not ask for
// gzip of its own accord: no load generator does.
func (c certificate) newTransport(protocol inputs.Protocol) *http.Transport {
	t := &http.Transport{DisableCompression: true, Protocols: new(http.Protocols)}
	t.Protocols.SetHTTP1(protocol != inputs.HTTP2)
	t.Protocols.SetHTTP2(protocol == inputs.HTTP2)
	if protocol.Encrypted() {
		t.TLSClientConfig = &tls.Config{RootCAs: c.trusted}
	}
	return t
}
