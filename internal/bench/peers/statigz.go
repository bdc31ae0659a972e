package peers

import (
	"io"
	"io/fs"
	"net/http"
	"os"

	"github.com/vearutop/statigz"

	"servery"
)

// newStatigz encodes each file when it starts, with the encoder of servery, and keeps
// what it became: that is what statigz does with files that are embedded without a
// coded form of theirs. It is made for embedded files and closes none that it opens,
// so a server of a directory can be asked for coded bodies only.
func newStatigz(s Site) (http.Handler, error) {
	files := os.DirFS(s.Dir).(fs.ReadDirFS) // as os says of it
	encoding := statigz.GzipEncoding()
	encoding.Encoder = func(r io.Reader) ([]byte, error) {
		body, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		return compress(servery.Gzip(s.Level), body)
	}
	return statigz.FileServer(files, statigz.EncodeOnInit, func(server *statigz.Server) {
		server.Encodings = []statigz.Encoding{encoding}
	}), nil
}
