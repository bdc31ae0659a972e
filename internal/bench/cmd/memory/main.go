// Command memory compares how much memory servers take for many large responses at
// once, half of which nobody reads. README.md says how to read its table.
package main

import (
	"context"
	"flag"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	"servery/internal/bench/drive"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("memory: ")
	config := drive.Config{Rounds: 1, Client: "own", Progress: os.Stderr}
	flag.IntVar(&config.Connections, "clients", 50, "how many ask at once")
	flag.IntVar(&config.Streams, "streams", 0, "how many responses servery's middleware may encode at once (0 for its default)")
	flag.StringVar(&config.Scenarios, "scenarios", "compress-behind-1-write-default", "comma-separated `names` of scenarios with large files")
	flag.StringVar(&config.Peers, "peers", "", "comma-separated `names` (default all)")
	flag.IntVar(&config.Procs, "procs", 1, "GOMAXPROCS and cores of a server")
	flag.DurationVar(&config.Duration, "patience", 5*time.Minute, "how long a server may take")
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatalf("unexpected argument %q", flag.Arg(0))
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	if err := drive.Memory(ctx, config, os.Stdout); err != nil {
		cancel()
		log.Fatal(err)
	}
}
