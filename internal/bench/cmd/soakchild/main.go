// Command soakchild is the server that cmd/soak starts, or with -probe the client that
// asks it for one small file after the other. It ends when its standard input does.
package main

import (
	"flag"
	"log"
	"os"

	"servery/internal/bench/soak"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("soakchild: ")
	dir := flag.String("dir", ".", "the `directory` whose files are served")
	text := flag.Int("text", 1<<20, "of how many `bytes` all answers are cut")
	seed := flag.Uint64("seed", 1, "what these bytes depend on")
	probe := flag.String("probe", "", "the `URL` to ask for")
	flag.Parse()
	run := func() error { return soak.Serve(*dir, *text, *seed, os.Stdin, os.Stdout) }
	if *probe != "" {
		run = func() error { return soak.Probe(*probe, os.Stdin, os.Stdout) }
	}
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
