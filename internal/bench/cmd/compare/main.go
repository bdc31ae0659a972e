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
	flag.StringVar(&config.Client, "client", "auto", "the load generator: wrk, own or auto; for HTTP/2 it is h2load")
	var files paths
	flag.StringVar(&files.json, "json", "", "write the raw figures to this `file`")
	flag.StringVar(&files.svg, "svg", "", "draw a figure of each scenario in this `directory`")
	flag.StringVar(&files.from, "from", "", "measure nothing: take the raw figures from this `file`, as -json writes them")
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatalf("unexpected argument %q", flag.Arg(0))
	}
	if err := run(config, files); err != nil {
		log.Fatal(err)
	}
}

// paths says where a report goes to and comes from. Each may be empty.
type paths struct {
	json string
	svg  string
	from string
}

func run(config drive.Config, files paths) error {
	if files.from != "" && files.json != "" {
		return errors.New("-from and -json are of no use together")
	}
	if files.svg != "" {
		// A wrong name should not show after a quarter of an hour.
		if err := os.MkdirAll(files.svg, 0o755); err != nil {
			return err
		}
	}
	report, err := obtain(config, files)
	if err != nil || files.svg == "" {
		return err
	}
	return report.WriteFigures(files.svg)
}

// obtain prints the tables of the report that it returns.
func obtain(config drive.Config, files paths) (*drive.Report, error) {
	if files.from == "" {
		return measure(config, files.json)
	}
	report, err := drive.ReadReport(files.from)
	if err != nil {
		return nil, err
	}
	return report, report.Write(os.Stdout)
}

// measure stops the server it has started when it is interrupted. The file is made
// first, for the same reason as the directory of the figures.
func measure(config drive.Config, jsonFile string) (*drive.Report, error) {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	if jsonFile == "" {
		return drive.Run(ctx, config, os.Stdout)
	}
	file, err := os.Create(jsonFile)
	if err != nil {
		return nil, err
	}
	report, err := drive.Run(ctx, config, os.Stdout)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	encoder := json.NewEncoder(file)
	encoder.SetIndent("", "\t")
	return report, errors.Join(encoder.Encode(report), file.Close())
}
