package compat

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"servery/internal/testkit"
)

// echoRoutes are those of an application with echo.
func echoRoutes(e *echo.Echo, dir string) {
	e.GET("/json", func(c echo.Context) error { return c.JSON(http.StatusCreated, map[string]string{"text": text(5000)}) })
	e.GET("/small", func(c echo.Context) error { return c.JSON(http.StatusOK, "ok") })
	e.GET("/stream", func(c echo.Context) error {
		return c.Stream(http.StatusOK, "text/plain", strings.NewReader(text(100_000)))
	})
	e.GET("/file", func(c echo.Context) error { return c.File(filepath.Join(dir, "app.js")) })
	e.GET("/image", func(c echo.Context) error { return c.File(filepath.Join(dir, "image.png")) })
	e.GET("/attachment", func(c echo.Context) error { return c.Attachment(filepath.Join(dir, "app.js"), "saved as.js") })
	e.GET("/none", func(c echo.Context) error { return c.NoContent(http.StatusNoContent) })
	e.GET("/error", func(c echo.Context) error { return echo.NewHTTPError(http.StatusForbidden, text(2000)) })
	e.GET("/short", func(c echo.Context) error { return echo.ErrTeapot })
	e.GET("/redirect", func(c echo.Context) error { return c.Redirect(http.StatusFound, "/json") })
	e.Static("/static", dir)
}

// How Compress is put around echo, or into it.
var echoPlaces = map[string]func(e *echo.Echo) http.Handler{
	"around": func(e *echo.Echo) http.Handler { return inside(e) },
	"as its own": func(e *echo.Echo) http.Handler {
		e.Use(echo.WrapMiddleware(inside))
		return e
	},
	"before its routes": func(e *echo.Echo) http.Handler {
		e.Pre(echo.WrapMiddleware(inside))
		return e
	},
}

func TestEcho(t *testing.T) {
	dir, plainEcho := files(t), echo.New()
	echoRoutes(plainEcho, dir)
	bare := testkit.Serve(t, plainEcho)
	for place, put := range echoPlaces {
		t.Run(place, func(t *testing.T) {
			e := echo.New()
			handler := put(e)
			echoRoutes(e, dir)
			server := testkit.Serve(t, handler)
			for _, tt := range []struct {
				target, coding string
				status         int
				reason         string
			}{
				{"/json", "gzip", 201, "a status of its own"},
				{"/small", "", 200, "below the minimum"},
				{"/stream", "gzip", 200, "copied from a reader"},
				{"/file", "gzip", 200, "by http.ServeContent"},
				{"/static/app.js", "gzip", 200, "by http.ServeContent"},
				{"/image", "", 200, "a type that is never coded"},
				{"/attachment", "gzip", 200, "as one would save it"},
				{"/none", "", 204, "a status and nothing else"},
				{"/short", "", 418, "an error that echo answers after the handler"},
				{"/redirect", "", 302, "a body of no bytes"},
				{"/missing", "", 404, "echo's own answer"},
			} {
				plain := get(t, bare, tt.target)
				got := get(t, server, tt.target, acceptGzip)
				got.want(t, tt.status, tt.coding, plain.plain, tt.target+", "+tt.reason)
				for _, name := range []string{"Content-Type", "Content-Disposition", "Location", "Last-Modified"} {
					if got.Header.Get(name) != plain.Header.Get(name) {
						t.Errorf("%s: %s %q, want %q", tt.target, name, got.Header.Get(name), plain.Header.Get(name))
					}
				}
			}
			// An error is answered around Compress where Compress is inside: then it is not coded.
			plain, got := get(t, bare, "/error"), get(t, server, "/error", acceptGzip)
			got.want(t, 403, got.coding(), plain.plain, "an error that is long")
		})
	}
}

// echo's own Gzip inside: coded is coded once, by whoever knows the coding.
func TestEchoGzip(t *testing.T) {
	e := echo.New()
	e.Use(middleware.Gzip())
	e.GET("/", func(c echo.Context) error { return c.String(http.StatusOK, text(5000)) })
	server := testkit.Serve(t, inside(e))
	get(t, server, "/", acceptGzip).want(t, 200, "gzip", text(5000), "by echo")
	get(t, server, "/", "Accept-Encoding: gzip, zstd").want(t, 200, "gzip", text(5000), "by echo, though zstd would be preferred")
	get(t, server, "/", "Accept-Encoding: zstd").want(t, 200, "zstd", text(5000), "echo knows no zstd")
	get(t, server, "/").want(t, 200, "", text(5000), "not wanted")
}

// Server-sent events by echo.Response, which panics where a writer cannot flush.
func TestEchoEvents(t *testing.T) {
	const events = 4
	goOn := make(chan struct{}, events)
	e := echo.New()
	e.GET("/", func(c echo.Context) error {
		w := c.Response()
		w.Header().Set(echo.HeaderContentType, "text/event-stream")
		w.WriteHeader(http.StatusOK) // echo does not know that Flush does
		w.Flush()
		for i := range events {
			<-goOn
			fmt.Fprintf(w, "data: %d\n\n", i)
			w.Flush()
		}
		return nil
	})
	server := testkit.Serve(t, inside(e))
	defer close(goOn)
	response, err := client(t).Do(request(t, "GET", "http://"+server.Addr, "", acceptGzip))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	lines := bufio.NewReader(response.Body)
	for i := range events {
		goOn <- struct{}{}
		line, err := lines.ReadString('\n')
		if _, end := lines.ReadString('\n'); err != nil || end != nil || line != fmt.Sprintf("data: %d\n", i) {
			t.Fatalf("event %d: %q, %v, %v", i, line, err, end)
		}
	}
	if rest, err := io.ReadAll(lines); err != nil || len(rest) > 0 || response.Header.Get("Content-Encoding") != "" {
		t.Errorf("at the end %q, %v, head %v", rest, err, response.Header)
	}
}
