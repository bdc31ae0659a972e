package peers

import (
	"net"

	"github.com/valyala/fasthttp"
)

// serveFastHTTP runs fasthttp's file server with its defaults, apart from byte
// ranges, which every other peer offers. It keeps open files for ten seconds
// without looking at them again and sends no ETag.
func serveFastHTTP(l net.Listener, s Site) error {
	return serveFiles(l, &fasthttp.FS{Root: s.Dir, AcceptByteRange: true})
}

// serveFastHTTPGzip keeps what it has compressed as files. They go to a tree of
// their own: beside the originals they would be served by the others, too.
func serveFastHTTPGzip(l net.Listener, s Site) error {
	return serveFiles(l, &fasthttp.FS{Root: s.Dir, AcceptByteRange: true, Compress: true, CompressRoot: s.Scratch})
}

func serveFiles(l net.Listener, files *fasthttp.FS) error {
	server := &fasthttp.Server{Handler: files.NewRequestHandler()}
	return server.Serve(l)
}
