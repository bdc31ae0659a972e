package peers

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A prepared response is everything that a request for one path can be answered
// with. It is built at start and only read afterwards.
type prepared struct {
	body        []byte
	etag        string
	full        []field // of a 200
	notModified []field // of a 304: what RFC 9110, section 15.4.5, asks for
}

// A field is a header field whose value is already in the form that a header map
// holds, so that setting it allocates nothing.
type field struct {
	name   string // canonical
	values []string
}

// A ceiling answers with the bytes and the header fields that servery sends,
// without any of the work that finding them takes: no handler inside net/http can
// do less for the same response.
type ceiling map[string]*prepared // by URL path

func newCeiling(dir string) (http.Handler, error) {
	c := make(ceiling)
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		relative, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		c["/"+filepath.ToSlash(relative)], err = prepare(name)
		return err
	})
	return c, err
}

func (c ceiling) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p, ok := c[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	header := w.Header()
	if match := r.Header["If-None-Match"]; len(match) == 1 && match[0] == p.etag {
		assign(header, p.notModified)
		w.WriteHeader(http.StatusNotModified)
		return
	}
	assign(header, p.full)
	// A client that has gone away is no concern of a benchmark's server.
	_, _ = w.Write(p.body)
}

func assign(header http.Header, fields []field) {
	for _, f := range fields {
		header[f.name] = f.values
	}
}

func prepare(name string) (*prepared, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	body, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(body)
	p := &prepared{body: body, etag: fmt.Sprintf("%q", fmt.Sprintf("%x", sum[:16]))}
	p.notModified = []field{
		{"Etag", []string{p.etag}},
		{"Cache-Control", []string{"no-cache"}},
	}
	mediaType := mime.TypeByExtension(filepath.Ext(name))
	if strings.HasPrefix(mediaType, "text/") {
		p.notModified = append(p.notModified, field{"Vary", []string{"Accept-Encoding"}})
	}
	p.full = append([]field{
		{"Content-Type", []string{mediaType}},
		{"Content-Length", []string{strconv.Itoa(len(body))}},
		{"Last-Modified", []string{info.ModTime().UTC().Format(http.TimeFormat)}},
		{"Accept-Ranges", []string{"bytes"}},
		{"X-Content-Type-Options", []string{"nosniff"}},
	}, p.notModified...)
	return p, nil
}
