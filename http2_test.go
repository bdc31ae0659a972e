package servery_test

import (
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"servery"
	"servery/internal/testkit"
)

func http2Server(t *testing.T, handler http.Handler) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

func TestHTTP2(t *testing.T) {
	text := realText(t, 3<<20)
	path := testkit.Tree(t, map[string]string{"small.txt": text[:1000], "large.txt": text})
	server := http2Server(t, servery.FileServer(openDir(t, path), nil))
	client := &http.Client{Transport: testkit.Linting(t, server.Client().Transport, testkit.Lint)}
	for _, tt := range []struct {
		method, target, field, value string
		status                       int
		body                         string
	}{
		{"GET", "/small.txt", "", "", 200, text[:1000]},
		{"GET", "/large.txt", "", "", 200, text},
		{"HEAD", "/large.txt", "", "", 200, ""},
		{"GET", "/large.txt", "Range", "bytes=1000000-2000000", 206, text[1_000_000:2_000_001]},
		{"GET", "/small.txt", "Range", "bytes=-5", 206, text[995:1000]},
		{"GET", "/small.txt", "Range", "bytes=1000-", 416, "416 Range Not Satisfiable\n"},
		{"GET", "/small.txt", "If-None-Match", contentTag(text[:1000]), 304, ""},
		{"GET", "/missing", "", "", 404, "404 Not Found\n"},
	} {
		request, err := http.NewRequest(tt.method, server.URL+tt.target, nil)
		if err != nil {
			t.Fatal(err)
		}
		if tt.field != "" {
			request.Header.Set(tt.field, tt.value)
		}
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		if body := readAll(t, response); response.ProtoMajor != 2 || response.StatusCode != tt.status || body != tt.body {
			t.Errorf("%s %s %s: %s %s with %d bytes, want %d with %d",
				tt.method, tt.target, tt.value, response.Proto, response.Status, len(body), tt.status, len(tt.body))
		}
	}
}

// A stream that breaks off is reset: nothing that a client could take for the
// whole file.
func TestHTTP2Truncation(t *testing.T) {
	text := realText(t, 200_000)
	lying := wrapFS{fstest.MapFS{"file.txt": {Data: []byte(text), ModTime: testkit.Past}}, func(f fs.File) fs.File {
		return onlyFile{longFile{f, 1000}}
	}}
	server := http2Server(t, servery.FileServer(lying, &servery.FileServerOptions{ContentETagMax: -1, Encoders: []servery.Encoder{}}))
	response, err := server.Client().Get(server.URL + "/file.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil || len(body) > len(text) || !strings.HasPrefix(text, string(body)) {
		t.Errorf("%d bytes of a promised %s, error %v, want one", len(body), response.Header.Get("Content-Length"), err)
	}
}

// longFile says that it is longer than it is.
type longFile struct {
	fs.File
	extra int64
}

type longInfo struct {
	fs.FileInfo
	extra int64
}

func (f longFile) Stat() (fs.FileInfo, error) {
	info, err := f.File.Stat()
	return longInfo{info, f.extra}, err
}

func (i longInfo) Size() int64 { return i.FileInfo.Size() + i.extra }
