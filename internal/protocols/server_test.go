package protocols

import (
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/quic-go/quic-go/http3"

	"servery"
	"servery/internal/testkit"
)

func TestMain(m *testing.M) {
	if url := os.Getenv(h2specURL); url != "" {
		if err := runH2Spec(url, os.Args[1]); err != nil {
			log.Fatal(err)
		}
		return
	}
	os.Setenv("QUIC_GO_DISABLE_RECEIVE_BUFFER_WARNING", "true") // a matter of speed
	os.Exit(testkit.Main(m))
}

// A server speaks one protocol.
type server struct {
	protocol string
	url      string
	client   *http.Client // asks for no coding by itself and undoes none
}

var protocols = []string{"HTTP/1.1", "HTTP/2.0", "h2c", "HTTP/3.0"}

// version is what a response over the protocol has as its Proto.
func version(protocol string) string { return strings.Replace(protocol, "h2c", "HTTP/2.0", 1) }

// serve serves a handler over a protocol until the test ends.
func serve(t *testing.T, protocol string, handler http.Handler) server {
	t.Helper()
	if protocol == "HTTP/3.0" {
		return serve3(t, handler)
	}
	s := httptest.NewUnstartedServer(handler)
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // of clients that speak it badly on purpose
	transport := &http.Transport{DisableCompression: true, Protocols: new(http.Protocols)}
	s.Config.Protocols = new(http.Protocols)
	switch protocol {
	case "HTTP/1.1":
		s.Config.Protocols.SetHTTP1(true)
		transport.Protocols.SetHTTP1(true)
		s.Start()
	case "h2c":
		s.Config.Protocols.SetHTTP1(true)
		s.Config.Protocols.SetUnencryptedHTTP2(true)
		transport.Protocols.SetUnencryptedHTTP2(true)
		s.Start()
	case "HTTP/2.0":
		s.EnableHTTP2 = true
		s.Config.Protocols.SetHTTP1(true)
		s.Config.Protocols.SetHTTP2(true)
		transport.Protocols.SetHTTP2(true)
		s.StartTLS()
		transport.TLSClientConfig = s.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	default:
		t.Fatalf("protocol %q", protocol)
	}
	t.Cleanup(s.Close)
	t.Cleanup(transport.CloseIdleConnections)
	return server{protocol, s.URL, clientOf(transport)}
}

func serve3(t *testing.T, handler http.Handler) server {
	certified := httptest.NewTLSServer(nil) // for its certificate
	certified.Close()
	conn, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	s := &http3.Server{
		Handler: handler, TLSConfig: http3.ConfigureTLSConfig(&tls.Config{Certificates: certified.TLS.Certificates}),
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(conn) }()
	transport := &http3.Transport{
		DisableCompression: true, TLSClientConfig: certified.Client().Transport.(*http.Transport).TLSClientConfig.Clone(),
	}
	t.Cleanup(func() {
		transport.Close()
		s.Close()
		<-ended
		conn.Close()
	})
	return server{"HTTP/3.0", "https://" + conn.LocalAddr().String(), clientOf(transport)}
}

func clientOf(transport http.RoundTripper) *http.Client {
	return &http.Client{Transport: transport, Timeout: testkit.Patience, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
}

// request is one with fields such as "Range: bytes=0-1".
func request(t *testing.T, method, url string, fields ...string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range fields {
		name, value, _ := strings.Cut(field, ": ")
		r.Header.Add(name, value)
	}
	return r
}

// text is what bodies are made of.
func text(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		b.WriteString("It was the best of times, it was the worst of times, ")
		b.WriteString(strings.Repeat("ivx"[i%3:], i%7))
		b.WriteString(".\n")
	}
	return b.String()[:size]
}

// tree is what the FileServer of all tests serves.
var tree = map[string]string{
	"small.txt":  text(500),
	"medium.txt": text(100_000),
	"large.txt":  text(3 << 20),
	"large.bin":  text(12 << 20), // never coded
	"index.html": "<!doctype html>" + text(2000),
	"folder/":    "",
	"empty.txt":  "",
}

func fileServer(t *testing.T) http.Handler {
	t.Helper()
	dir, err := servery.OpenDir(testkit.Tree(t, tree))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dir.Close() })
	return servery.FileServer(dir, nil)
}

// handlers answer in the ways in which handlers do.
func handlers() http.Handler {
	mux := http.NewServeMux()
	says := func(target, contentType string, status int, body string) {
		mux.HandleFunc(target, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.Header().Set("ETag", `"v1"`)
			w.WriteHeader(status)
			for piece := range slices.Chunk([]byte(body), 5000) {
				w.Write(piece)
			}
		})
	}
	says("/small", "application/json", 200, text(500))
	says("/medium", "application/json", 200, text(10_000))
	says("/large", "application/json", 200, text(1<<20))
	says("/picture", "image/png", 200, text(100_000))
	says("/error", "text/plain", 500, text(5000))
	says("/events", "text/event-stream", 200, "data: 1\n\ndata: 2\n\n")
	mux.HandleFunc("/nothing", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) })
	mux.HandleFunc("/content", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"v1"`)
		http.ServeContent(w, r, "content.txt", testkit.Past, strings.NewReader(text(50_000)))
	})
	mux.HandleFunc("/trailers", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Trailer", "Declared")
		io.WriteString(w, text(40_000))
		w.Header().Set("Declared", "yes")
		w.Header().Set(http.TrailerPrefix+"Undeclared", "as well")
	})
	return mux
}
