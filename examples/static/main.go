// Static serves a directory over HTTP, or over HTTPS with HTTP/2.
//
//	go run ./examples/static -dir public -addr 127.0.0.1:8080
package main

import (
	"context"
	"crypto/tls"
	"errors"
	"io"

	"servery"
	"servery/examples/internal/program"
)

func main() { program.Main(run) }

const about = `Static serves the files of a directory, compressed for those who accept that.
It ends by an interrupt, once the answers that have begun are complete.`

// run serves until ctx ends and the answers that have begun are complete.
func run(ctx context.Context, args []string, output io.Writer) error {
	flags := program.Flags(output, "static", about)
	path := flags.String("dir", ".", "the `directory` to serve")
	addr := flags.String("addr", "127.0.0.1:8080", "the `address` to listen on")
	certificate := flags.String("tls-cert", "", "a PEM `file` with the certificate and its chain, for HTTPS; needs -tls-key")
	key := flags.String("tls-key", "", "a PEM `file` with the private key of -tls-cert")
	hidden := flags.Bool("hidden", false, "serve names that begin with a dot as well")
	list := flags.Bool("list", false, "list directories that have no index")
	cache := flags.Int64("cache", 32, "hold up to this many `MiB` of compressed files in memory")
	if err := program.Parse(flags, args); err != nil {
		return err
	}
	if *cache < 0 || *cache > 1<<20 {
		return errors.New("-cache must be from 0 to 1048576 MiB")
	}
	secure, err := secured(*certificate, *key)
	if err != nil {
		return err
	}
	dir, err := servery.OpenDir(*path)
	if err != nil {
		return err
	}
	defer dir.Close()
	files := servery.FileServer(dir, &servery.FileServerOptions{
		ShowHidden: *hidden,
		Listing:    *list,
		Cache:      servery.NewCompressionCache(*cache << 20),
	})
	return program.Serve(ctx, output, program.Site{Name: *path, Addr: *addr, Handler: files, TLS: secure})
}

// secured returns nil where neither file is named.
func secured(certificate, key string) (*tls.Config, error) {
	switch {
	case certificate == "" && key == "":
		return nil, nil
	case certificate == "" || key == "":
		return nil, errors.New("-tls-cert and -tls-key need each other")
	}
	pair, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		return nil, err
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}}, nil
}
