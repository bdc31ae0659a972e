//go:build unix

package precompress_test

import (
	"net/http"
	"testing"
	"time"

	"servery"
	"servery/internal/testkit"
)

// TestBrowserReadsThem: a browser must pass over the frame that holds the mark, where
// the body is large and where it is small.
func TestBrowserReadsThem(t *testing.T) {
	const page = `<!doctype html><script type="module">
let got = "";
for (const name of ["small.txt", "large.txt"]) {
	try {
		const response = await fetch(name);
		got += name + " " + response.headers.get("Content-Encoding") + " " + (await response.text()).length + "; ";
	} catch (error) {
		got += name + " " + error + "; ";
	}
}
await fetch("/report", {method: "POST", body: got});
</script>`
	dir := testkit.Tree(t, map[string]string{"page.html": page, "small.txt": text(1, 2000), "large.txt": text(2, 700_000)})
	options := quick()
	options.Encoders = options.Encoders[:1]
	if stats := run(t, dir, options); stats.Written < 2 {
		t.Fatalf("%+v", stats)
	}
	testkit.Settle()
	root, err := servery.OpenDir(dir)
	must(t, err)
	defer root.Close()
	reports := make(chan string, 1)
	mux := http.NewServeMux()
	mux.Handle("/", servery.FileServer(root, &servery.FileServerOptions{Sidecars: []string{"zstd"}, Encoders: []servery.Encoder{}}))
	mux.HandleFunc("POST /report", func(w http.ResponseWriter, r *http.Request) {
		body := make([]byte, 1000)
		n, _ := r.Body.Read(body)
		reports <- string(body[:n])
	})
	testkit.Browse(t, "http://"+testkit.Serve(t, mux).Addr+"/page.html")
	select {
	case got := <-reports:
		if want := "small.txt zstd 2000; large.txt zstd 700000; "; got != want {
			t.Errorf("the browser got %q, want %q", got, want)
		}
	case <-time.After(testkit.Patience):
		t.Error("the browser did not come")
	}
}
