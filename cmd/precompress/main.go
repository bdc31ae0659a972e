// Precompress writes the sidecars of directories: name.zst and name.gz beside each
// file that is worth it, for servery's FileServer to send in its place.
//
//	//go:generate go run servery/cmd/precompress public
//
// It renews and removes what it has made before, and touches no other file. What
// cannot be done is said, the rest goes on, and the exit status is 1; it is 2 for wrong
// arguments. SIGINT and SIGTERM end it without leaving an unfinished file.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"servery"
	"servery/precompress"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	c := command{stdout: os.Stdout, stderr: os.Stderr, terminal: isTerminal(os.Stderr)}
	status := c.run(ctx, os.Args[1:])
	stop()
	os.Exit(status)
}

// isTerminal reports whether somebody is likely to look at a file while it is written
// to. The null device passes for one, and does not mind.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

type command struct {
	stdout, stderr io.Writer
	terminal       bool // whether stderr is one
	verbose        bool
	options        precompress.Options
}

// run returns the exit status.
func (c *command) run(ctx context.Context, args []string) int {
	directories, err := c.parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintf(c.stderr, "precompress: %s\n", strings.TrimPrefix(err.Error(), "precompress: "))
		return 2
	}
	status := 0
	for _, directory := range directories {
		p := &progress{command: c, directory: directory}
		c.options.Progress = p.tell
		stats, err := precompress.Run(ctx, directory, &c.options)
		p.clear()
		fmt.Fprintln(c.stdout, summary(directory, stats, c.options.DryRun))
		if err == nil {
			continue
		}
		status = 1
		if ctx.Err() != nil {
			fmt.Fprintf(c.stderr, "precompress: %q: %v\n", directory, err)
			break
		}
		if stats.Failed == 0 { // else each has been named
			fmt.Fprintln(c.stderr, err) // which says who and where
		}
	}
	return status
}

func (c *command) parse(args []string) ([]string, error) {
	flags := flag.NewFlagSet("precompress", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	codings := flags.String("codings", "zstd,gzip", "the `codings` to write, of zstd and gzip")
	flags.Int64Var(&c.options.MinSize, "min", 1024, "the size in `bytes` from which files have sidecars")
	flags.BoolVar(&c.options.DryRun, "n", false, "write nothing, and say what would be written")
	flags.BoolVar(&c.verbose, "v", false, "name each sidecar, and each file that has none")
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(c.stdout, "usage: precompress [flags] directory...")
		flags.SetOutput(c.stdout)
		flags.PrintDefaults()
	}
	if err != nil {
		return nil, err
	}
	if flags.NArg() == 0 {
		return nil, errors.New("no directory is given")
	}
	if c.options.MinSize == 0 {
		c.options.MinSize = -1 // which is all, where 0 is the default
	}
	if c.options.Encoders, err = encoders(*codings); err != nil {
		return nil, err
	}
	return flags.Args(), c.options.Validate()
}

// encoders returns those of a list of codings.
func encoders(list string) ([]servery.Encoder, error) {
	var chosen []servery.Encoder
next:
	for coding := range strings.SplitSeq(list, ",") {
		for _, e := range precompress.Encoders() {
			if e.Coding == strings.TrimSpace(coding) {
				chosen = append(chosen, e)
				continue next
			}
		}
		return nil, fmt.Errorf("-codings: %q is neither zstd nor gzip", coding)
	}
	return chosen, nil
}
