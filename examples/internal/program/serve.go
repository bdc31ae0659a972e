package program

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// Site is what one server serves.
type Site struct {
	Name    string // for those who start the program
	Addr    string // to listen on
	Handler http.Handler
	TLS     *tls.Config // nil for plain HTTP/1.1; with it the server speaks HTTP/2 as well
}

// Grace is how long answers that have begun may take after the program was told to end.
const Grace = 10 * time.Second

// Serve serves the sites until ctx ends or one of them fails, and the answers that have
// begun are complete.
func Serve(ctx context.Context, output io.Writer, sites ...Site) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	listeners := make([]net.Listener, len(sites))
	for i, site := range sites {
		listener, err := net.Listen("tcp", site.Addr)
		if err != nil {
			return err
		}
		defer listener.Close()
		listeners[i] = listener
	}
	ended := make(chan error, len(sites))
	for i, site := range sites {
		fmt.Fprintf(output, "serving %s on %s://%s/\n", site.Name, site.scheme(), listeners[i].Addr())
		go func() {
			ended <- site.serve(ctx, listeners[i])
			stop()
		}()
	}
	<-ctx.Done()
	fmt.Fprintf(output, "ending, in %s at the latest\n", Grace)
	var errs []error
	for range sites {
		errs = append(errs, <-ended)
	}
	return errors.Join(errs...)
}

func (s Site) scheme() string {
	if s.TLS != nil {
		return "https"
	}
	return "http"
}

// server has the limits of time that suit every kind of answer.
//
// ReadTimeout and WriteTimeout are not among them: they count from the beginning of a
// request to the end of its body and of its answer, whatever moves meanwhile, and would
// cut off long uploads, long downloads and event streams. So a client that stops reading
// keeps its connection until the network gives up.
func (s Site) server() *http.Server {
	return &http.Server{
		Handler:   s.Handler,
		TLSConfig: s.TLS,
		// A client that connects and says nothing, or one byte a minute, costs a
		// goroutine and a descriptor. This is for the TLS handshake, too.
		ReadHeaderTimeout: 10 * time.Second,
		// Between requests a connection is worth keeping for the next page that its
		// reader opens, and no longer.
		IdleTimeout: 2 * time.Minute,
	}
}

func (s Site) serve(ctx context.Context, listener net.Listener) error {
	server := s.server()
	ended := make(chan error, 1)
	go func() {
		if s.TLS != nil {
			ended <- server.ServeTLS(listener, "", "")
		} else {
			ended <- server.Serve(listener)
		}
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	limit, cancel := context.WithTimeout(context.Background(), Grace)
	defer cancel()
	if err := server.Shutdown(limit); err != nil {
		server.Close()
		return fmt.Errorf("answers were cut off: %w", err)
	}
	return nil
}
