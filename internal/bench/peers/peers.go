// Package peers holds the Go servers that are compared, each by its name and
// each serving the files of one directory.
package peers

import (
	"fmt"
	"net"
	"net/http"
	"runtime"
	"runtime/debug"
)

// A Peer is one server. Exactly one of handler and serve is set.
type Peer struct {
	Name    string
	Version string

	handler func(dir string) (http.Handler, error)
	serve   func(l net.Listener, dir string) error // for what is not built on net/http
}

// All lists the peers in the order of the tables. The ceiling comes first: every
// ratio is a share of it.
func All() []Peer {
	return []Peer{
		{Name: "ceiling", Version: "net/http of " + runtime.Version(), handler: newCeiling},
		{Name: "servery", Version: moduleVersion("servery"), handler: newServery},
		{Name: "nethttp", Version: "net/http of " + runtime.Version(), handler: newFileServer},
		{Name: "fasthttp", Version: moduleVersion("github.com/valyala/fasthttp"), serve: serveFastHTTP},
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

// Handler returns a handler for the files beneath dir. It is an error for a peer
// that is not built on net/http.
func (p Peer) Handler(dir string) (http.Handler, error) {
	if p.handler == nil {
		return nil, fmt.Errorf("peer %s is no http.Handler", p.Name)
	}
	return p.handler(dir)
}

// Serve serves the files beneath dir until the listener fails. No timeouts are
// set: a deadline costs a timer per request, which not every peer would pay.
func (p Peer) Serve(l net.Listener, dir string) error {
	if p.serve != nil {
		return p.serve(l, dir)
	}
	handler, err := p.handler(dir)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler}
	return server.Serve(l)
}

func newFileServer(dir string) (http.Handler, error) {
	return http.FileServer(http.Dir(dir)), nil
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
