package servery_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"servery"
	"servery/internal/testkit"
)

// copying is a handler as applications write it: it copies an opened file to the
// answer, whose length it declares. The query names the type, or asks for
// http.ServeContent.
func copying(dir string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, err := os.Open(filepath.Join(dir, filepath.Base(r.URL.Path)))
		if err != nil {
			http.Error(w, "404 Not Found", http.StatusNotFound)
			return
		}
		defer file.Close()
		if mediaType := r.FormValue("type"); mediaType != "" {
			w.Header().Set("Content-Type", mediaType)
		}
		if r.FormValue("by") == "ServeContent" {
			http.ServeContent(w, r, r.URL.Path, testkit.Past, file)
			return
		}
		info, err := file.Stat()
		if err != nil {
			panic(err)
		}
		w.Header().Set("Content-Length", strconv.FormatInt(info.Size(), 10))
		io.Copy(w, file)
	})
}

// copies are requests to it, and what is seen of the file of 200,000 bytes.
var copies = []struct {
	label, target, field string
	status               int
	coding               string
	vary                 bool
	from, to             int
	reason               string
}{
	{"not-wanted", "/large.txt?type=text/plain", "Accept: */*", 200, "", true, 0, 200_000, "the client accepts no coding"},
	{"identity", "/large.txt?type=text/plain", "Accept-Encoding: identity, gzip;q=0.5", 200, "", true, 0, 200_000, "the client prefers none"},
	{"excluded", "/large.txt?type=image/png", acceptGzip, 200, "", false, 0, 200_000, "the type is never coded"},
	{"content", "/large.txt?type=image/png&by=ServeContent", acceptGzip, 200, "", false, 0, 200_000, "the same by http.ServeContent"},
	{"range", "/large.txt?by=ServeContent", "Accept-Encoding: gzip\r\nRange: bytes=1000-199999", 206, "", true, 1000, 200_000, "parts are plain"},
	{"wanted", "/large.txt?type=text/plain", acceptGzip, 200, "gzip", true, 0, 200_000, "by an encoder"},
}

func TestCompressCopiedFile(t *testing.T) {
	text := realText(t, 200_000)
	server := serveInside(t, copying(testkit.Tree(t, map[string]string{"large.txt": text})))
	for _, tt := range copies {
		want := seen{tt.status, tt.coding, tt.vary, "", text[tt.from:tt.to]}
		wantSeen(t, server.Get(tt.target, tt.field), want, tt.label+", "+tt.reason)
	}
}

// serveCopied is a role: copying the files of the directory that is its argument,
// inside Compress, or bare if a second argument says so.
func serveCopied(args []string) error {
	handler := copying(args[0])
	if len(args) == 1 {
		handler = servery.Compress(nil)(handler)
	}
	return serveUntilEnd(handler)
}
