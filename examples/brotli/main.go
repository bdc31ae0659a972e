// Brotli serves a directory over HTTP and compresses with brotli, which servery does
// not bring along, besides zstd and gzip.
//
//	go run -C examples/brotli . -dir ../../testdata/site -addr 127.0.0.1:8080
package main

import (
	"flag"
	"log"
	"net/http"
	"time"

	"servery"
)

func main() {
	path := flag.String("dir", ".", "the `directory` to serve")
	addr := flag.String("addr", "127.0.0.1:8080", "the `address` to listen on")
	flag.Parse()
	dir, err := servery.OpenDir(*path)
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{
		Addr:              *addr,
		Handler:           servery.FileServer(dir, options()),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
	}
	log.Fatal(server.ListenAndServe())
}

// options put brotli first among the codings that a client wants equally, and send a
// name.br, name.zst or name.gz that lies beside a file in its place.
func options() *servery.FileServerOptions {
	return &servery.FileServerOptions{
		Encoders: append([]servery.Encoder{Brotli(5)}, servery.DefaultEncoders()...),
		Sidecars: []string{"br", "zstd", "gzip"},
	}
}
