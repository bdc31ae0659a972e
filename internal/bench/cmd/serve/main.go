// Command serve runs one of the compared Go servers by its name.
package main

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"os"
	"os/signal"
	"runtime/pprof"
	"syscall"

	"servery/internal/bench/inputs"
	"servery/internal/bench/peers"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("serve: ")
	name := flag.String("name", "", "which `peer` to run")
	var site peers.Site
	flag.StringVar(&site.Dir, "dir", ".", "the `directory` whose files are served")
	flag.StringVar(&site.Scratch, "scratch", "", "the `directory` for the server's own files (default a new one, which stays)")
	flag.IntVar(&site.Level, "level", inputs.DefaultLevel, "of gzip, for the peers that encode on request")
	flag.IntVar(&site.Streams, "streams", 0, "how many responses servery's middleware may encode at once (0 for its default)")
	addr := flag.String("addr", "127.0.0.1:8080", "the `address` to listen on")
	cert := flag.String("cert", "", "the `file` of a certificate in PEM, to serve HTTP/2 and HTTP/1.1 over TLS")
	key := flag.String("key", "", "the `file` of its key")
	profile := flag.String("cpuprofile", "", "write where the processor's time went to this `file` when the process is told to end")
	list := flag.Bool("list", false, "print the names and versions of all peers, tab-separated, and exit")
	flag.Parse()
	if *list {
		for _, p := range peers.All() {
			fmt.Printf("%s\t%s\n", p.Name, p.Version)
		}
		return
	}
	if *name == "" {
		log.Fatal("-name is missing; -list prints the names")
	}
	if *profile != "" {
		if err := profileUntilTold(*profile); err != nil {
			log.Fatal(err)
		}
	}
	l, err := listen(*addr, *cert, *key)
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(run(*name, l, site))
}

// profileUntilTold writes the profile, and ends the process, when that is interrupted.
func profileUntilTold(name string) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return errors.Join(err, file.Close())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() {
		stop()
		pprof.StopCPUProfile()
		if err := file.Close(); err != nil {
			log.Fatal(err)
		}
		os.Exit(0)
	})
	return nil
}

// run returns only on failure: the server ends with its process.
func run(name string, l net.Listener, site peers.Site) error {
	peer, err := peers.ByName(name)
	if err != nil {
		return err
	}
	if site.Scratch == "" {
		if site.Scratch, err = os.MkdirTemp("", "servery-serve-"); err != nil {
			return err
		}
	}
	return peer.Serve(l, site)
}

// listen accepts no TLS before 1.3, so that all servers encrypt alike.
func listen(addr, cert, key string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil || cert == "" {
		return l, err
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return tls.NewListener(l, &tls.Config{
		Certificates: []tls.Certificate{pair}, NextProtos: []string{"h2", "http/1.1"}, MinVersion: tls.VersionTLS13,
	}), nil
}
