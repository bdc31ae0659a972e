package compat

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"

	"servery/internal/testkit"
)

// ginEngine is gin without its debugging output.
func ginEngine() *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	return gin.New()
}

// files are on disk for the frameworks to send.
func files(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"app.js", "image.png"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text(100_000)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestGin(t *testing.T) {
	dir, engine := files(t), ginEngine()
	engine.GET("/json", func(c *gin.Context) { c.JSON(http.StatusCreated, gin.H{"text": text(5000)}) })
	engine.GET("/small", func(c *gin.Context) { c.JSON(http.StatusOK, gin.H{"ok": true}) })
	engine.GET("/file", func(c *gin.Context) { c.File(filepath.Join(dir, "app.js")) })
	engine.GET("/image", func(c *gin.Context) { c.File(filepath.Join(dir, "image.png")) })
	engine.GET("/data", func(c *gin.Context) {
		c.DataFromReader(http.StatusOK, 100_000, "text/plain", strings.NewReader(text(100_000)), map[string]string{"Etag": `"v1"`})
	})
	engine.GET("/none", func(c *gin.Context) { c.Status(http.StatusNoContent) })
	engine.GET("/abort", func(c *gin.Context) { c.AbortWithStatusJSON(http.StatusForbidden, gin.H{"error": text(2000)}) })
	engine.GET("/panic", gin.CustomRecoveryWithWriter(io.Discard, func(c *gin.Context, _ any) {
		c.AbortWithStatus(http.StatusInternalServerError)
	}), func(c *gin.Context) { panic("failure") })
	bare, server := testkit.Serve(t, engine), testkit.Serve(t, inside(engine))
	for _, tt := range []struct {
		target, coding string
		status         int
		reason         string
	}{
		{"/json", "gzip", 201, "a status of its own"},
		{"/small", "", 200, "below the minimum"},
		{"/file", "gzip", 200, "by http.ServeFile"},
		{"/image", "", 200, "a type that is never coded"},
		{"/data", "gzip", 200, "with a length and a tag"},
		{"/none", "", 204, "a status and nothing else"},
		{"/abort", "gzip", 403, "errors are coded, too"},
		{"/panic", "", 500, "recovered inside"},
		{"/missing", "", 404, "gin's own answer"},
	} {
		plain := get(t, bare, tt.target)
		got := get(t, server, tt.target, acceptGzip)
		got.want(t, tt.status, tt.coding, plain.plain, tt.target+", "+tt.reason)
		if got.Header.Get("Content-Type") != plain.Header.Get("Content-Type") {
			t.Errorf("%s: type %q, want %q", tt.target, got.Header.Get("Content-Type"), plain.Header.Get("Content-Type"))
		}
	}
	if tag := get(t, server, "/data", acceptGzip).Header.Get("Etag"); tag != `"v1-gz6.1"` {
		t.Errorf("tag %s, want that of the coded form", tag)
	}
	part := get(t, server, "/file", acceptGzip, "Range: bytes=10-19")
	part.want(t, 206, "", text(100_000)[10:20], "parts are plain")
}

// c.Stream and c.SSEvent flush after each step, which arrives at once.
func TestGinStream(t *testing.T) {
	const steps = 4
	for _, tt := range []struct {
		name, coding string
		step         func(c *gin.Context, i int)
		reason       string
	}{
		{"lines", "gzip", func(c *gin.Context, i int) {
			c.Header("Content-Type", "application/x-ndjson")
			fmt.Fprintf(c.Writer, "{\"line\":%d}\n", i)
		}, "coded and decodable"},
		{"events", "", func(c *gin.Context, i int) { c.SSEvent("message", i) }, "never coded"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			goOn := make(chan struct{}, steps+1)
			engine := ginEngine()
			engine.GET("/", func(c *gin.Context) {
				i := 0
				c.Stream(func(io.Writer) bool {
					<-goOn
					tt.step(c, i)
					i++
					return i < steps
				})
			})
			server := testkit.Serve(t, inside(engine))
			goOn <- struct{}{}
			response, err := client(t).Do(request(t, "GET", "http://"+server.Addr, "", acceptGzip))
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			defer close(goOn)
			if coding := response.Header.Get("Content-Encoding"); coding != tt.coding {
				t.Fatalf("coding %q, want %q: %s", coding, tt.coding, tt.reason)
			}
			plain, err := decoder(tt.coding, response.Body)
			if err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewReader(plain)
			for i := range steps {
				for line := ""; !strings.Contains(line, fmt.Sprint(i)); {
					if line, err = lines.ReadString('\n'); err != nil {
						t.Fatalf("step %d: %q, %v: %s", i, line, err, tt.reason)
					}
				}
				goOn <- struct{}{}
			}
		})
	}
}

// c.Stream ends when the client goes, which it learns by CloseNotify.
func TestGinClientGoes(t *testing.T) {
	for _, mediaType := range []string{"application/x-ndjson", "image/png"} {
		gone := make(chan bool, 1)
		engine := ginEngine()
		engine.GET("/", func(c *gin.Context) {
			c.Header("Content-Type", mediaType)
			gone <- c.Stream(func(w io.Writer) bool {
				io.WriteString(w, sentence)
				return true
			})
		})
		server := testkit.Serve(t, inside(engine))
		response, err := client(t).Do(request(t, "GET", "http://"+server.Addr, "", acceptGzip))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(response.Body, make([]byte, 10)); err != nil {
			t.Errorf("%s: %v", mediaType, err)
		}
		response.Body.Close()
		if !await(t, gone, "the handler learns that the client is gone") {
			t.Errorf("%s: the stream ended by itself", mediaType)
		}
	}
}
