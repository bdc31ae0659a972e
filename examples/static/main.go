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
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	switch err := run(ctx, os.Args[1:], os.Stderr); err {
	case nil:
	case errUsage:
		os.Exit(2)
	default:
		log.Fatal(err)
	}
}

// errUsage says that the arguments are wrong, and that the user knows already.
var errUsage = errors.New("usage")

// run serves until ctx ends and the answers that have begun are complete.
func run(ctx context.Context, args []string, output io.Writer) error {
	flags := flag.NewFlagSet("static", flag.ContinueOnError)
	flags.SetOutput(output)
	path := flags.String("dir", ".", "the `directory` to serve")
	addr := flags.String("addr", "127.0.0.1:8080", "the `address` to listen on")
	if err := flags.Parse(args); err != nil {
		return errUsage // flags has said what is wrong
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(output, "unexpected argument %q\n", flags.Arg(0))
		return errUsage
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
	return serve(ctx, listener, servery.FileServer(dir, nil), output)
}

// grace is how long answers that have begun may take after the server was told to
// end.
const grace = 10 * time.Second

func serve(ctx context.Context, listener net.Listener, handler http.Handler, output io.Writer) error {
	// There is no WriteTimeout: it would cut long downloads off. So a client that
	// stops reading keeps its connection until the network gives up.
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
	fmt.Fprintf(output, "ending, in %s at the latest\n", grace)
	limit, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if err := server.Shutdown(limit); err != nil {
		server.Close()
		return fmt.Errorf("answers were cut off: %w", err)
	}
	return nil
}
