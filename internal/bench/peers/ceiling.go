package peers

import "net/http"

// A prepared response is everything that a request for one path can be answered
// with. It is built at start and only read afterwards.
type prepared struct {
	plain representation
	gzip  *representation // nil where servery would not compress
}

// A representation is one form of a file.
type representation struct {
	body        []byte
	etag        string  // "" if it has none
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

func newCeiling(s Site) (http.Handler, error) { return ceilingOf(s, prepareFile) }

// newCompressCeiling answers as servery's middleware lets the application answer,
// and knows the length of every body.
func newCompressCeiling(s Site) (http.Handler, error) { return ceilingOf(s, prepareAnswer) }

func ceilingOf(s Site, prepare func(s Site, name string) (*prepared, error)) (http.Handler, error) {
	c := make(ceiling)
	err := eachFile(s.Dir, func(urlPath, name string) (err error) {
		c[urlPath], err = prepare(s, name)
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
	f := &p.plain
	if coding := r.Header["Accept-Encoding"]; p.gzip != nil && len(coding) == 1 && coding[0] == "gzip" {
		f = p.gzip
	}
	header := w.Header()
	if match := r.Header["If-None-Match"]; len(match) == 1 && match[0] == f.etag {
		assign(header, f.notModified)
		w.WriteHeader(http.StatusNotModified)
		return
	}
	assign(header, f.full)
	// A client that has gone away is no concern of a benchmark's server.
	_, _ = w.Write(f.body)
}

func assign(header http.Header, fields []field) {
	for _, f := range fields {
		header[f.name] = f.values
	}
}
