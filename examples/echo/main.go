// Echo serves files and an API with the framework echo.
//
//	go run -C examples/echo . -dir ../../testdata/site -addr 127.0.0.1:8080
package main

import (
	"context"
	"io"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"servery"
	"servery/examples/internal/program"
)

func main() { program.Main(run) }

const about = `Echo serves a directory below /files/, and an API below /api/.`

func run(ctx context.Context, args []string, output io.Writer) error {
	flags := program.Flags(output, "echo", about)
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

// routes have Compress around them. As one of echo's own middlewares, by
// echo.WrapMiddleware, it would work as well, but echo writes errors outside of those,
// and they would not be coded.
func routes(dir *servery.Dir) http.Handler {
	e := echo.New()
	e.Use(middleware.Recover())
	e.GET("/api/items/:id", item)
	// All methods, so that the FileServer can say which it knows. It codes its own files,
	// and Compress leaves them to it.
	e.Any("/files/*", echo.WrapHandler(http.StripPrefix("/files", servery.FileServer(dir, nil))))
	return servery.Compress(nil)(e)
}

func item(c echo.Context) error {
	return c.JSON(http.StatusOK, struct {
		ID   string `json:"id"`
		Text string `json:"text"`
	}{c.Param("id"), strings.Repeat("It was the best of times. ", 100)})
}
