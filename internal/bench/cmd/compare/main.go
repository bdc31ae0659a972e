// Command compare measures servery beside its peers and prints a table for each
// scenario. README.md says how to read them.
package main

import (
	"context"
	"encoding/json"
	"errors"
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
	log.SetPrefix("compare: ")
	config := drive.Config{Progress: os.Stderr}
	flag.IntVar(&config.Rounds, "rounds", 5, "how often every peer is started and measured")
	flag.DurationVar(&config.Duration, "duration", 3*time.Second, "of one measurement")
	flag.IntVar(&config.Connections, "connections", 64, "connections kept open by the load generator")
	flag.StringVar(&config.Scenarios, "scenarios", "", "comma-separated `names` or regular expressions (default all)")
	flag.StringVar(&config.Peers, "peers", "", "comma-separated `names` (default all)")
	flag.IntVar(&config.Procs, "procs", 1, "GOMAXPROCS, worker processes and cores of a server")
	flag.StringVar(&config.Client, "client", "auto", "the load generator: wrk, own or auto")
	jsonFile := flag.String("json", "", "write the raw figures to this `file`")
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatalf("unexpected argument %q", flag.Arg(0))
	}
	if err := run(config, *jsonFile); err != nil {
		log.Fatal(err)
	}
}

// run stops the server it has started when it is interrupted. The file is made
// first: a wrong name should not show after a quarter of an hour.
func run(config drive.Config, jsonFile string) error {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	if jsonFile == "" {
		_, err := drive.Run(ctx, config, os.Stdout)
		return err
	}
	file, err := os.Create(jsonFile)
	if err != nil {
		return err
	}
	report, err := drive.Run(ctx, config, os.Stdout)
	if err != nil {
		return errors.Join(err, file.Close())
	}
	encoder := json.NewEncoder(file)
	encoder.SetIndent("", "\t")
	return errors.Join(encoder.Encode(report), file.Close())
}
