// Api serves notes as JSON, announces new ones as server-sent events, and exports
// any number of readings row by row, all of it under one Compress.
//
//	go run ./examples/api -addr 127.0.0.1:8080 -rows 1000000
//	curl -N http://127.0.0.1:8080/notes/events
//	curl -d 'a note' http://127.0.0.1:8080/notes
//	curl --compressed http://127.0.0.1:8080/export
package main

import (
	"context"
	"encoding/csv"
	"io"
	"iter"
	"net/http"
	"strconv"
	"time"

	"servery"
	"servery/examples/internal/program"
)

func main() { program.Main(run) }

const about = `Api serves notes as JSON and as events, and exports readings as CSV.`

func run(ctx context.Context, args []string, output io.Writer) error {
	flags := program.Flags(output, "api", about)
	addr := flags.String("addr", "127.0.0.1:8080", "the `address` to listen on")
	rows := flags.Int("rows", 100_000, "export this `number` of readings")
	if err := program.Parse(flags, args); err != nil {
		return err
	}
	handler := api(newNotes(ctx.Done()), readings(*rows))
	return program.Serve(ctx, output, program.Site{Name: "the API", Addr: *addr, Handler: handler})
}

// api is a mux as it would be without Compress, which is around all of it: what must
// not wait passes as it is, and so does what is too small.
func api(n *notes, source iter.Seq2[[]string, error]) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /notes", n.list)
	mux.HandleFunc("POST /notes", n.add)
	mux.HandleFunc("GET /notes/events", n.events)
	mux.HandleFunc("GET /export", export(source))
	return servery.Compress(nil)(mux)
}

// export writes rows as they come from the source, and holds none.
func export(source iter.Seq2[[]string, error]) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/csv; charset=utf-8")
		rows, written := csv.NewWriter(w), 0
		for row, err := range source {
			if err == nil {
				err = rows.Write(row)
			}
			// What was coded so far becomes decodable by a flush. It costs some bytes,
			// and so comes now and then: often enough to see that rows arrive.
			if written++; err == nil && written%flushEvery == 0 {
				rows.Flush()
				err = http.NewResponseController(w).Flush()
			}
			if err != nil {
				// The status was sent long ago. Nobody may take what there is for whole.
				panic(http.ErrAbortHandler)
			}
		}
		rows.Flush()
	}
}

const flushEvery = 1000 // rows

// readings are made up.
func readings(n int) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		start := time.Date(2024, time.March, 1, 0, 0, 0, 0, time.UTC)
		for i := range n {
			at := start.Add(time.Duration(i) * time.Minute)
			value := strconv.FormatFloat(15+float64(i*7919%1000)/100, 'f', 2, 64)
			if !yield([]string{at.Format(time.RFC3339), "sensor " + strconv.Itoa(i%16), value}, nil) {
				return
			}
		}
	}
}
