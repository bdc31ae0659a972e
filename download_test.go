package servery_test

import (
	"net/http"
	"path/filepath"
	"testing"

	"servery"
	"servery/internal/testkit"
)

func TestDownload(t *testing.T) {
	text := realText(t, 4096)
	dir := testkit.Tree(t, map[string]string{
		"file.txt": text, "docs/index.html": "docs", "caf\u00e9 \"1\".txt": "odd", "latin1-\xe9.txt": "odd",
	})
	inner := servery.FileServer(openDir(t, dir), &servery.FileServerOptions{Download: true, Fallback: "file.txt"})
	server := testkit.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("outer") {
			w.Header().Set("Content-Disposition", "inline")
		}
		inner.ServeHTTP(w, r)
	}))
	const file = `attachment; filename="file.txt"`
	for _, tt := range []struct {
		target, field string
		status        int
		want, reason  string
	}{
		{"/file.txt?download", "X: y", 200, file, "a key without a value"},
		{"/file.txt?download=0", "X: y", 200, file, "the value does not count"},
		{"/file.txt?download=other.exe", "X: y", 200, file, "and gives no name"},
		{"/file.txt?a=1&%64ownload=&b", "X: y", 200, file, "among others, encoded"},
		{"/file.txt", "X: y", 200, "", "no query"},
		{"/file.txt?x=download", "X: y", 200, "", "a value is no key"},
		{"/file.txt?downloads&Download", "X: y", 200, "", "another key, another case"},
		{"/file.txt?download", "Accept-Encoding: gzip", 200, file, "the coded form has the original's name"},
		{"/file.txt?download", "Range: bytes=0-9", 206, file, "a part is to be saved as well"},
		{"/file.txt?download", "Range: bytes=0-1,5-6", 206, file, "several parts, too"},
		{"/docs/?download", "X: y", 200, `attachment; filename="index.html"`, "the index of a folder"},
		{"/docs?download", "X: y", 301, "", "a redirect keeps the query, which will do"},
		{"/route?download", navigation, 200, file, "what stands in has its own name"},
		{"/caf%C3%A9%20%221%22.txt?download", "X: y", 200,
			`attachment; filename="caf_ _1_.txt"; filename*=UTF-8''caf%C3%A9%20%221%22.txt`, "what ASCII does not have"},
		{"/latin1-%E9.txt?download", "X: y", 200,
			`attachment; filename="latin1-_.txt"; filename*=UTF-8''latin1-%EF%BF%BD.txt`, "what is not UTF-8"},
		{"/file.txt?download", "If-None-Match: " + contentTag(text), 304, "", "nothing is to be saved"},
		{"/file.txt?download", "If-Match: \"x\"", 412, "", "an error is not"},
		{"/file.txt?download", "Range: bytes=9999-", 416, "", "nor is this one"},
		{"/gone?download", "X: y", 404, "", "nor is this one"},
		{"/file.txt?outer", "X: y", 200, "inline", "what outer code says is left alone"},
		{"/file.txt?outer&download", "X: y", 200, file, "unless it is to be saved"},
		{"/gone?outer&download", "X: y", 404, "inline", "which an error is not"},
	} {
		for _, method := range []string{"GET", "HEAD"} {
			if method == "HEAD" && tt.field[0] == 'R' {
				continue // HEAD has no ranges
			}
			got := server.Do(method, tt.target, tt.field)
			if got.Status != tt.status || got.Header.Get("Content-Disposition") != tt.want {
				t.Errorf("%s %s %s, %s: got\n%swant %d, %s", method, tt.target, tt.field, tt.reason, got.Head, tt.status, tt.want)
			}
		}
	}
}

// A sidecar is saved under the name of what it decodes to.
func TestDownloadOfSidecar(t *testing.T) {
	text := realText(t, 4096)
	server, dir := serveTree(t, map[string]string{"file.txt": text}, &servery.FileServerOptions{
		Download: true, Sidecars: []string{"gzip"}, Encoders: []servery.Encoder{},
	})
	pack(t, "gzip", filepath.Join(dir, "file.txt"))
	testkit.Settle()
	got := server.Get("/file.txt?download", "Accept-Encoding: gzip")
	if got.Header.Get("Content-Encoding") != "gzip" || got.Header.Get("Content-Disposition") != `attachment; filename="file.txt"` {
		t.Errorf("got\n%s", got.Head)
	}
}

func TestDownloadIsOff(t *testing.T) {
	server, _ := serveTree(t, map[string]string{"file.txt": "x"}, nil)
	if got := server.Get("/file.txt?download"); got.Header.Get("Content-Disposition") != "" {
		t.Errorf("without the option: got\n%s", got.Head)
	}
}
