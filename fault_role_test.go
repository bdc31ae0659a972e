package servery_test

import (
	"fmt"
	"net/http"
	"strconv"

	"servery"
	"servery/internal/testkit"
)

// What a server of faults is asked besides its files.
const (
	beginFaults = "/-/begin" // remembers what the process holds
	endFaults   = "/-/end"   // says what it holds beyond that, by and by

	listedFaults = "/-/listed" // lists its directories
)

// serveFaults is a role: it serves the directory that is its argument in all ways that
// FileServer has, and tells whether it has come to rest.
func serveFaults(args []string) error {
	dir, err := servery.OpenDir(args[0])
	if err != nil {
		return err
	}
	defer dir.Close()
	cache, limiter := servery.NewCompressionCache(32<<20), servery.NewLimiter(servery.LimiterOptions{})
	mux := http.NewServeMux()
	mux.Handle("/", servery.FileServer(dir, &servery.FileServerOptions{
		Encoders: []servery.Encoder{servery.Gzip(6)},
		Sidecars: []string{"gzip"},
		Cache:    cache,
		Limiter:  limiter,

		SmallFileBuffer: 2048, // so that what is larger can be read byte by byte
	}))
	mux.Handle(listedFaults+"/", http.StripPrefix(listedFaults, servery.FileServer(dir, listingOn)))
	var before testkit.Held
	mux.HandleFunc(beginFaults, func(http.ResponseWriter, *http.Request) { before = testkit.Holding() })
	mux.HandleFunc(endFaults, func(w http.ResponseWriter, r *http.Request) {
		lost, _ := strconv.Atoi(r.URL.RawQuery) // descriptors that the fault itself has kept from being closed
		if err := (testkit.Held{Goroutines: before.Goroutines, Descriptors: before.Descriptors + lost}).Regained(); err != nil {
			fmt.Fprintln(w, err)
		}
		if now := testkit.Holding(); now.Descriptors < before.Descriptors+lost {
			fmt.Fprintf(w, "%d descriptors, %d before: fewer than %d are lost\n", now.Descriptors, before.Descriptors, lost)
		}
		if c, l := cache.Stats(), limiter.Stats(); c.Flights != 0 || l.Active != 0 || l.Queued != 0 || l.Streams != 0 {
			fmt.Fprintf(w, "%+v %+v\n", c, l)
		}
	})
	return serveUntilEnd(mux)
}

// begin lets the server remember what it holds.
func begin(control *testkit.Conn) {
	control.Send("GET", beginFaults)
	control.Read("GET")
}

// end returns what the server holds beyond that, in words, and beyond what was lost to the
// fault itself.
func end(control *testkit.Conn, lost int) string {
	control.Send("GET", fmt.Sprint(endFaults, "?", lost))
	return string(control.Read("GET").Body)
}
