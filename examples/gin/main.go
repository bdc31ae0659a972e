// Gin serves files and an API with the framework gin.
//
//	go run -C examples/gin . -dir ../../testdata/site -addr 127.0.0.1:8080
package main

import (
	"context"
	"io"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"servery"
	"servery/examples/internal/program"
)

func main() { program.Main(run) }

const about = `Gin serves a directory below /files/, and an API below /api/.`

func run(ctx context.Context, args []string, output io.Writer) error {
	flags := program.Flags(output, "gin", about)
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

// routes are an engine with Compress around it: gin's own middleware gets gin's writer,
// which http.Handlers know nothing of.
func routes(dir *servery.Dir) http.Handler {
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.Use(gin.Recovery())
	engine.GET("/api/items/:id", item)
	// All methods, so that the FileServer can say which it knows. It codes its own files,
	// and Compress leaves them to it.
	engine.Any("/files/*name", gin.WrapH(http.StripPrefix("/files", servery.FileServer(dir, nil))))
	return servery.Compress(nil)(engine)
}

func item(c *gin.Context) {
	c.JSON(http.StatusOK, struct {
		ID   string `json:"id"`
		Text string `json:"text"`
	}{c.Param("id"), strings.Repeat("It was the best of times. ", 100)})
}
