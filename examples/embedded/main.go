// Embedded serves a site that is part of the program.
//
//	go build -o site ./examples/embedded && ./site -addr 127.0.0.1:8080
package main

import (
	"context"
	"embed"
	"io"
	"io/fs"

	"servery"
	"servery/examples/internal/program"
)

// Files within a program have no date. Their entity-tags are made of the content, and
// so a browser that has a file of the last release asks, and is told 304 if that is the
// same in this one.
//
//go:embed site
var files embed.FS

func main() { program.Main(run) }

const about = `Embedded serves a site that is part of the program, and needs no file beside it.`

func run(ctx context.Context, args []string, output io.Writer) error {
	flags := program.Flags(output, "embedded", about)
	addr := flags.String("addr", "127.0.0.1:8080", "the `address` to listen on")
	if err := program.Parse(flags, args); err != nil {
		return err
	}
	site, err := fs.Sub(files, "site") // or else the URLs begin with /site/
	if err != nil {
		return err
	}
	handler := servery.FileServer(site, &servery.FileServerOptions{
		// The names beneath assets/ hold a hash of their content, as build tools make
		// them: what has such a name never changes, and is not asked for again.
		CacheControl: servery.Immutable("assets/"),
	})
	return program.Serve(ctx, output, program.Site{Name: "the site", Addr: *addr, Handler: handler})
}
