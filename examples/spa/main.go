// Spa serves a single-page application, as Vite and the like build it, and its API.
//
//	go run ./examples/spa -dir dist -addr 127.0.0.1:8080
package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"servery"
	"servery/examples/internal/program"
)

func main() { program.Main(run) }

const about = `Spa serves a single-page application, whose routes all lead to its index.html, and an
API below /api/.`

func run(ctx context.Context, args []string, output io.Writer) error {
	flags := program.Flags(output, "spa", about)
	path := flags.String("dir", "dist", "the `directory` of the application")
	addr := flags.String("addr", "127.0.0.1:8080", "the `address` to listen on")
	if err := program.Parse(flags, args); err != nil {
		return err
	}
	dir, err := servery.OpenDir(*path)
	if err != nil {
		return err
	}
	defer dir.Close()

	mux := http.NewServeMux()
	mux.Handle("/", servery.FileServer(dir, &servery.FileServerOptions{
		// Who reloads the page at /users/7, or follows a link to it, asks for a file that
		// there is not, and gets the page, which knows the route. A script that is gone
		// after a deployment is not found all the same.
		Fallback: "index.html",
		// What is in assets/ has a hash in its name and is kept for a year; the page, which
		// names the assets of this release, is asked for each time.
		CacheControl: servery.Immutable("assets/"),
	}))
	// The API has a pattern of its own, so that what it does not know is never the page.
	mux.Handle("/api/", servery.Compress(nil)(api()))
	return program.Serve(ctx, output, program.Site{Name: *path, Addr: *addr, Handler: mux})
}

func api() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/time", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		json.NewEncoder(w).Encode(time.Now())
	})
	return mux
}
