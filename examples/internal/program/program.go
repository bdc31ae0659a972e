// Package program is what the examples have in common with every server that ends
// well: flags, signals, limits of time, and the end itself. It knows nothing of servery.
package program

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
)

// Main runs a program until it is told to end by a signal; a second one ends it at once.
func Main(run func(ctx context.Context, args []string, output io.Writer) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	switch err := run(ctx, os.Args[1:], os.Stderr); {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.Is(err, ErrUsage):
		os.Exit(2)
	default:
		log.Fatal(err)
	}
}

// ErrUsage says that the arguments are wrong, and that the user knows already.
var ErrUsage = errors.New("usage")

// Flags returns an empty set of flags for a program that does what about says.
func Flags(output io.Writer, name, about string) *flag.FlagSet {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(output)
	flags.Usage = func() {
		fmt.Fprintf(output, "%s\n\nusage: %s [flags]\n\n", about, name)
		flags.PrintDefaults()
	}
	return flags
}

// Parse parses args, which must all be flags. The error is [flag.ErrHelp] or ErrUsage.
func Parse(flags *flag.FlagSet, args []string) error {
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return err
	} else if err != nil {
		return ErrUsage // flags has said what is wrong
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(flags.Output(), "unexpected argument %q\n", flags.Arg(0))
		return ErrUsage
	}
	return nil
}
