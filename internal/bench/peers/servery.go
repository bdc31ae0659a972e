package peers

import (
	"net/http"

	"servery"
)

// newServery serves with every option at its default. The directory stays open
// for as long as the process runs.
func newServery(dir string) (http.Handler, error) {
	root, err := servery.OpenDir(dir)
	if err != nil {
		return nil, err
	}
	return servery.FileServer(root, nil), nil
}
