// Command load puts one URL under load and prints what came of it as JSON. It
// stands in where wrk is not installed.
package main

import (
	"encoding/json"
	"flag"
	"log"
	"os"
	"time"

	"servery/internal/bench/load"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("load: ")
	var r load.Request
	flag.StringVar(&r.URL, "url", "", "the `URL` to request; a \"*\" in it stands for the number of a file")
	flag.IntVar(&r.Files, "files", 0, "how many files there are, asked for in turn")
	flag.StringVar(&r.Header, "header", "", "one more header `field`, as \"Name: value\"")
	flag.IntVar(&r.Connections, "connections", 64, "connections at once")
	flag.DurationVar(&r.Duration, "duration", 3*time.Second, "for how long")
	flag.BoolVar(&r.Churn, "churn", false, "make a connection for each request")
	flag.IntVar(&r.Behind, "behind", 0, "how many clients pull large files beside a single one that asks for the URL")
	flag.StringVar(&r.LargeURL, "large", "", "the `URL` of the large files; a \"*\" in it stands for the number of a client")
	flag.Parse()
	result, err := load.Run(r)
	if err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		log.Fatal(err)
	}
}
