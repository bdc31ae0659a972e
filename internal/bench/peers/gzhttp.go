package peers

import "net/http"

// newGzhttp puts gzhttp's middleware in front of http.FileServer. It compresses
// each response anew while it is written, in the goroutine of the request.
func newGzhttp(s Site) (http.Handler, error) {
	wrap, err := gzhttpCompress(s)
	if err != nil {
		return nil, err
	}
	return wrap(http.FileServer(http.Dir(s.Dir))), nil
}
