// Chi serves files and an API with the router chi.
//
//	go run -C examples/chi . -dir ../../testdata/site -addr 127.0.0.1:8080
package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"servery"
	"servery/examples/internal/program"
)

func main() { program.Main(run) }

const about = `Chi serves a directory below /files/, and an API below /api/.`

func run(ctx context.Context, args []string, output io.Writer) error {
	flags := program.Flags(output, "chi", about)
	path := flags.String("dir", ".", "the `directory` to serve")
	addr := flags.String("addr", "127.0.0.1:8080", "the `address` to listen on")
	if err := program.Parse(flags, args); err != nil {
		return err
	}
	dir, err := servery.OpenDir(*path)
	if err != nil {
		return err
	}
	defer dir.Close()
	return program.Serve(ctx, output, program.Site{Name: *path, Addr: *addr, Handler: routes(dir)})
}

// routes have Compress as one more middleware, inside of what recovers from panics.
func routes(dir *servery.Dir) http.Handler {
	router := chi.NewRouter()
	router.Use(middleware.Recoverer, servery.Compress(nil))
	router.Get("/api/items/{id}", item)
	// Mount leaves the path of the URL as it is, prefix included. The FileServer codes its
	// own files, and Compress leaves them to it.
	router.Mount("/files/", http.StripPrefix("/files", servery.FileServer(dir, nil)))
	return router
}

func item(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(struct {
		ID   string `json:"id"`
		Text string `json:"text"`
	}{chi.URLParam(r, "id"), strings.Repeat("It was the best of times. ", 100)})
}
