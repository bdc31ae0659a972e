// Command serve runs one of the compared Go servers by its name.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"os"

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
	list := flag.Bool("list", false, "print the names and versions of all peers, tab-separated, and exit")
	flag.Parse()
	if *list {
		for _, p := range peers.All() {
			fmt.Printf("%s\t%s\n", p.Name, p.Version)
		}
		return
	}
	log.Fatal(run(*name, *addr, site))
}

// run returns only on failure: the server ends with its process.
func run(name, addr string, site peers.Site) error {
	if name == "" {
		return errors.New("-name is missing; -list prints the names")
	}
	peer, err := peers.ByName(name)
	if err != nil {
		return err
	}
	if site.Scratch == "" {
		if site.Scratch, err = os.MkdirTemp("", "servery-serve-"); err != nil {
			return err
		}
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	return peer.Serve(l, site)
}
