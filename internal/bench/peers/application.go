package peers

import (
	"io"
	"mime"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"servery/internal/bench/inputs"
)

// An application is the handler that middleware is put around. It has its answers,
// which are the files of the site, ready in memory, and says of them nothing but
// their type: what a request costs beyond the connection is the middleware's.
type application map[string]page // by URL path

type page struct {
	mediaType []string // in the form that a header map holds
	body      []byte
	send      func(w io.Writer, body []byte) error
}

func newApplication(s Site) (http.Handler, error) {
	app := make(application)
	err := eachFile(s.Dir, func(urlPath, name string) error {
		body, err := os.ReadFile(name)
		app[urlPath] = page{
			mediaType: []string{mime.TypeByExtension(path.Ext(urlPath))}, body: body, send: sender(urlPath, name),
		}
		return err
	})
	return app, err
}

func (app application) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p, ok := app[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header()["Content-Type"] = p.mediaType
	// A client that has gone away is no concern of a benchmark's server.
	_ = p.send(w, p.body)
}

// sender returns the way in which the answer for the path is written.
func sender(urlPath, name string) func(w io.Writer, body []byte) error {
	switch folder, _, _ := strings.Cut(urlPath[1:], "/"); folder {
	case inputs.ByChunks:
		return writeChunks
	case inputs.ByCopy:
		return func(w io.Writer, _ []byte) error { return copyFile(w, name) }
	}
	return func(w io.Writer, body []byte) error {
		_, err := w.Write(body)
		return err
	}
}

// chunk is the size in bytes of the buffer of io.Copy, and so of the writes of many a
// handler.
const chunk = 32 << 10

func writeChunks(w io.Writer, body []byte) error {
	for part := range slices.Chunk(body, chunk) {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// copyFile reads from a file, which unlike a reader of memory leaves it to w how it
// is read.
func copyFile(w io.Writer, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

// eachFile calls the function with the URL path and the name of each file beneath dir.
func eachFile(dir string, do func(urlPath, name string) error) error {
	return filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		relative, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		return do("/"+filepath.ToSlash(relative), name)
	})
}
