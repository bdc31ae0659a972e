package peers

import (
	"net"

	"github.com/valyala/fasthttp"
)

// serveFastHTTP runs fasthttp's file server with its defaults, apart from byte
// ranges, which every other peer offers. It keeps open files for ten seconds
// without looking at them again and sends no ETag.
func serveFastHTTP(l net.Listener, dir string) error {
	files := &fasthttp.FS{Root: dir, AcceptByteRange: true}
	server := &fasthttp.Server{Handler: files.NewRequestHandler()}
	return server.Serve(l)
}
