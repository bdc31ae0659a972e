// Static serves a directory over HTTP.
//
//	go run ./examples/static -dir public -addr 127.0.0.1:8080
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"servery"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		log.Fatal(err)
	}
}

// run serves until ctx ends and the answers that have begun are complete.
func run(ctx context.Context, args []string, output io.Writer) error {
	flags := flag.NewFlagSet("static", flag.ContinueOnError)
	flags.SetOutput(output)
	path := flags.String("dir", ".", "the `directory` to serve")
	addr := flags.String("addr", "127.0.0.1:8080", "the `address` to listen on")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dir, err := servery.OpenDir(*path)
	if err != nil {
		return err
	}
	defer dir.Close()
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(output, "serving %s on http://%s/\n", *path, listener.Addr())
	return serve(ctx, listener, servery.FileServer(dir, nil))
}

func serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	// There is no WriteTimeout: it would cut long downloads off. A client that
	// does not read is bounded by what the system keeps for its connection.
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return server.Shutdown(grace)
}
