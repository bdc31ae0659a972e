package servery_test

import (
	"embed"
	"fmt"
	"io/fs"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"servery"
	"servery/internal/testkit"
)

//go:embed testdata/site
var testdata embed.FS

// static has a folder of that name, as README.md has it.
var static = func() fs.FS {
	site, err := fs.Sub(testdata, "testdata/site")
	if err != nil {
		panic(err)
	}
	return renamed{site, "static"}
}()

// renamed is a file system in a folder.
type renamed struct {
	inner  fs.FS
	folder string
}

func (r renamed) Open(name string) (fs.File, error) {
	if name == r.folder {
		return r.inner.Open(".")
	}
	name, ok := strings.CutPrefix(name, r.folder+"/")
	if !ok {
		return nil, fs.ErrNotExist
	}
	return r.inner.Open(name)
}

func ExampleFileServer_mounted() {
	dir, err := servery.OpenDir("testdata/site")
	if err != nil {
		log.Fatal(err)
	}
	defer dir.Close()
	mux := http.NewServeMux()

	mux.Handle("/files/", http.StripPrefix("/files", servery.FileServer(dir, nil))) // under a prefix

	site, err := fs.Sub(static, "static") // of an embed.FS, or else the URLs begin with /static/
	if err != nil {
		log.Fatal(err)
	}
	mux.Handle("/", servery.FileServer(site, nil))

	for _, target := range []string{"/docs/", "/files/docs/", "/static/docs/"} {
		answer := httptest.NewRecorder()
		mux.ServeHTTP(answer, httptest.NewRequest("GET", target, nil))
		fmt.Println(target, answer.Code)
	}
	// Output:
	// /docs/ 200
	// /files/docs/ 200
	// /static/docs/ 404
}

func ExampleCompress_options() {
	mux := http.NewServeMux()
	logging := func(next http.Handler) http.Handler { return next }
	recovering := logging

	compress := servery.Compress(nil)
	server := &http.Server{Handler: logging(recovering(compress(mux)))}

	mux.HandleFunc("/", func(http.ResponseWriter, *http.Request) {
		// compress one more media type?
		yaml := &servery.CompressOptions{Compressible: func(mediaType string) bool {
			return mediaType == "application/yaml" || servery.DefaultCompressible(mediaType)
		}}
		// use other levels, or brotli (see "Compression of files")?
		levels := &servery.CompressOptions{Encoders: []servery.Encoder{servery.Zstd(1), servery.Gzip(9)}}
		// take less memory?
		lean := &servery.CompressOptions{Limiter: servery.NewLimiter(servery.LimiterOptions{Streams: 32})}
		// see why something is not compressed? (A FileServer inside says "negotiated": ask its own Observe.)
		curious := &servery.CompressOptions{Observe: func(r *http.Request, out servery.Outcome) {
			log.Printf("%s: %d %q %q", r.URL.Path, out.Status, out.Coding, out.Uncoded)
		}}
		fmt.Println(yaml.Validate(), levels.Validate(), lean.Validate(), curious.Validate())
	})

	server.Handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	// Output: <nil> <nil> <nil> <nil>
}

func ExampleNewLimiter() {
	mux, a := http.NewServeMux(), static
	b := a

	cache := servery.NewCompressionCache(256 << 20)                               // bytes, for all handlers together
	limiter := servery.NewLimiter(servery.LimiterOptions{Workers: 2, Queue: 100}) // large files at once, and waiting
	options := &servery.FileServerOptions{Cache: cache, Limiter: limiter}
	mux.Handle("/a/", http.StripPrefix("/a", servery.FileServer(a, options)))
	mux.Handle("/b/", http.StripPrefix("/b", servery.FileServer(b, options)))

	log.Printf("%+v %+v", cache.Stats(), limiter.Stats()) // Rejected counts what was turned away

	for _, target := range []string{"/a/static/large.txt", "/b/static/large.txt"} {
		request := httptest.NewRequest("GET", target, nil)
		request.Header.Set("Accept-Encoding", "gzip")
		mux.ServeHTTP(httptest.NewRecorder(), request)
	}
	fmt.Println(cache.Stats().Entries, limiter.Stats().Rejected)
	// Output: 2 0
}

// What README.md shows is what is compiled and run here.
func TestSnippetsOfReadme(t *testing.T) {
	blocks := goBlocks(readFile(t, "README.md"))
	checkSnippets(t, "README.md", "example_readme_test.go", blocks[1:], 4)
	runProgram(t, blocks[0])
}

// runProgram runs a program that serves the folder public and an API.
func runProgram(t *testing.T, source string) {
	dir, addr := t.TempDir(), freeAddr(t)
	testkit.Write(t, filepath.Join(dir, "main.go"), strings.ReplaceAll(source, "127.0.0.1:8080", addr))
	if err := os.Mkdir(filepath.Join(dir, "public"), 0o755); err != nil {
		t.Fatal(err)
	}
	testkit.Write(t, filepath.Join(dir, "public", "index.html"), "<p>hello")
	program := filepath.Join(dir, "program")
	if output, err := exec.Command(testkit.Tool(t, "go"), "build", "-o", program, filepath.Join(dir, "main.go")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	cmd := exec.Command(program)
	cmd.Dir = dir
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	eventually(t, "the program of README.md listens", func() bool {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	server := testkit.Connect(t, addr)
	if got := server.Dial().Do("GET", "/"); got.Status != http.StatusOK || string(got.Body) != "<p>hello" {
		t.Errorf("the page: got\n%s%s", got.Head, got.Body)
	}
	c := server.Dial()
	c.Send("GET", "/api/", "X-Echo: "+strings.Repeat("hello ", 300), acceptGzip)
	if got := c.Read("GET"); got.Header.Get("Content-Encoding") != "gzip" || got.Header.Get("Content-Type") != "application/json" {
		t.Errorf("the API: got\n%s", got.Head)
	}
}

// freeAddr is an address that nobody listens on.
func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// checkSnippets demands so many snippets of a text, each of which is in a source file, at
// any depth.
func checkSnippets(t *testing.T, text, source string, blocks []string, want int) {
	t.Helper()
	content, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	if len(blocks) != want {
		t.Errorf("%s: %d snippets, want %d", text, len(blocks), want)
	}
	for _, block := range blocks {
		found := false
		for depth := range 3 {
			indented := strings.ReplaceAll("\n"+string(content), "\n"+strings.Repeat("\t", depth), "\n")
			found = found || strings.Contains(indented, "\n"+block)
		}
		if !found {
			t.Errorf("%s does not have this snippet of %s:\n%s", source, text, block)
		}
	}
}
