// Command soak puts a server under everything at once and fails unless it does well:
// every answer right, memory flat, progress in every second, small answers quick beside
// the load, and nothing held when all clients have left.
package main

import (
	"context"
	"flag"
	"log"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"servery/internal/bench/soak"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("soak: ")
	config := soak.Config{Sips: 5 * time.Second, Cold: 4000, Text: 24 << 20, Probes: 400}
	flag.DurationVar(&config.Duration, "duration", 30*time.Minute, "for how long")
	flag.DurationVar(&config.Every, "every", 10*time.Second, "how often to print a line")
	flag.BoolVar(&config.Race, "race", false, "build the server with the race detector, and do not judge how fast it is")
	flag.IntVar(&config.Clients, "clients", 64, "that ask as fast as they can")
	flag.IntVar(&config.Slow, "slow", 16, "clients that read a few bytes at a time")
	flag.DurationVar(&config.Slack, "slack", 10*time.Millisecond, "by how much the p99 of small answers may be later beside the load, beyond twice that without it")
	flag.Uint64Var(&config.Seed, "seed", 1, "what the requests and the files depend on")
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatalf("unexpected argument %q", flag.Arg(0))
	}
	config.Timing = !config.Race
	// The clients verify all they get, which takes longer than to send it: with every
	// processor they would leave the server none.
	runtime.GOMAXPROCS(max(1, runtime.NumCPU()/2))
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	if err := soak.Run(ctx, config, os.Stdout); err != nil {
		cancel()
		log.Fatal(err)
	}
	log.Print("all is well")
}
