// Package peers holds the Go servers that are compared, each by its name and
// each serving the files of one site: from the directory, or as the answers of an
// application with middleware around it.
package peers

import (
	"fmt"
	"net"
	"net/http"
	"runtime"
	"runtime/debug"
)

// A Site is what a server is told when it starts.
type Site struct {
	Dir     string // whose files are served; nothing may be written there
	Scratch string // a directory for the server's own files
	Level   int    // of gzip, for the servers that encode on request
	Streams int    // that servery's middleware encodes at once; 0 is its default
}

// A Peer is one server. Exactly one of handler and serve is set.
type Peer struct {
	Name    string
	Version string

	handler func(Site) (http.Handler, error)
	serve   func(net.Listener, Site) error // for what is not built on net/http
}

// All lists the peers in the order of the tables: those that serve a directory, then
// middleware around an application, each after its ceiling.
func All() []Peer {
	return []Peer{
		{Name: "ceiling", Version: "net/http of " + runtime.Version(), handler: newCeiling},
		{Name: "servery", Version: moduleVersion("servery"), handler: newServery},
		{Name: "servery-0", Version: moduleVersion("servery"), handler: newServeryWithoutRetention},
		{Name: "servery-hot", Version: moduleVersion("servery"), handler: serveryInTheWay(fromMemory)},
		{Name: "servery-read", Version: moduleVersion("servery"), handler: serveryInTheWay(byReading)},
		{Name: "servery-sendfile", Version: moduleVersion("servery"), handler: serveryInTheWay(bySendfile)},
		{Name: "nethttp", Version: "net/http of " + runtime.Version(), handler: newFileServer},
		{Name: "gzhttp", Version: moduleVersion("github.com/klauspost/compress"), handler: newGzhttp},
		{Name: "statigz", Version: moduleVersion("github.com/vearutop/statigz"), handler: newStatigz},
		{Name: "fasthttp", Version: moduleVersion("github.com/valyala/fasthttp"), serve: serveFastHTTP},
		{Name: "fasthttp-gzip", Version: moduleVersion("github.com/valyala/fasthttp"), serve: serveFastHTTPGzip},
		{Name: "ceiling-compress", Version: "net/http of " + runtime.Version(), handler: newCompressCeiling},
		{Name: "servery-compress", Version: moduleVersion("servery"), handler: around(serveryCompress)},
		{Name: "gzhttp-compress", Version: moduleVersion("github.com/klauspost/compress"), handler: around(gzhttpCompress)},
		{Name: "httpcompression", Version: moduleVersion("github.com/CAFxX/httpcompression"), handler: around(httpCompression)},
		{Name: "chi", Version: moduleVersion("github.com/go-chi/chi/v5"), handler: around(chiCompress)},
	}
}

// ByName returns the peer of that name.
func ByName(name string) (Peer, error) {
	for _, p := range All() {
		if p.Name == name {
			return p, nil
		}
	}
	return Peer{}, fmt.Errorf("no peer is called %q", name)
}

// IsHandler reports whether the peer is built on net/http.
func (p Peer) IsHandler() bool { return p.handler != nil }

// Handler returns a handler for the files of the site. It is an error for a peer
// that is not built on net/http.
func (p Peer) Handler(s Site) (http.Handler, error) {
	if !p.IsHandler() {
		return nil, fmt.Errorf("peer %s is no http.Handler", p.Name)
	}
	return p.handler(s)
}

// Serve serves the files of the site until the listener fails. No timeouts are
// set: a deadline costs a timer per request, which not every peer would pay. With a
// listener of TLS that offers HTTP/2, the peers that are built on net/http speak it.
func (p Peer) Serve(l net.Listener, s Site) error {
	if p.serve != nil {
		return p.serve(l, s)
	}
	handler, err := p.handler(s)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler}
	return server.Serve(l)
}

func newFileServer(s Site) (http.Handler, error) {
	return http.FileServer(http.Dir(s.Dir)), nil
}

// moduleVersion tells which version of a module this binary was built with.
// Test binaries do not always know.
func moduleVersion(path string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, dep := range info.Deps {
		if dep.Path != path {
			continue
		}
		if dep.Replace != nil {
			return "this working tree"
		}
		return dep.Version
	}
	return "unknown"
}
