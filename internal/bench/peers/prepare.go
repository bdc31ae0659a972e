package peers

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"servery"
	"servery/internal/bench/inputs"
)

// leastCoded is the size in bytes from which servery compresses by default.
const leastCoded = 1 << 10

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
	mediaType := mime.TypeByExtension(filepath.Ext(name))
	base := representation{body: body, etag: fmt.Sprintf("%q", fmt.Sprintf("%x", sum[:16]))}
	p := &prepared{plain: base.with(mediaType, info.ModTime(), "")}
	if !strings.HasPrefix(mediaType, "text/") || len(body) < leastCoded {
		return p, nil
	}
	encoder := servery.Gzip(inputs.DefaultLevel)
	coded := representation{etag: fmt.Sprintf("%q",
		fmt.Sprintf("%x-%s%d.%d", sum[:16], encoder.Suffix, encoder.Level, encoder.Generation))}
	if coded.body, err = compress(encoder, body); err != nil {
		return nil, err
	}
	coded = coded.with(mediaType, info.ModTime(), encoder.Coding)
	p.gzip = &coded
	return p, nil
}

// compress uses servery's own encoder, so that both send the same bytes.
func compress(encoder servery.Encoder, body []byte) ([]byte, error) {
	w, err := encoder.New()
	if err != nil {
		return nil, err
	}
	var coded bytes.Buffer
	w.Reset(&coded)
	if _, err := w.Write(body); err != nil {
		return nil, err
	}
	err = w.Close()
	return coded.Bytes(), err
}

// with returns the representation with its fields, which are those that servery
// sends for it.
func (r representation) with(mediaType string, modified time.Time, coding string) representation {
	r.notModified = []field{
		{"Etag", []string{r.etag}},
		{"Cache-Control", []string{"no-cache"}},
	}
	if strings.HasPrefix(mediaType, "text/") {
		r.notModified = append(r.notModified, field{"Vary", []string{"Accept-Encoding"}})
	}
	r.full = append([]field{
		{"Content-Type", []string{mediaType}},
		{"Content-Length", []string{strconv.Itoa(len(r.body))}},
		{"Last-Modified", []string{modified.UTC().Format(http.TimeFormat)}},
		{"X-Content-Type-Options", []string{"nosniff"}},
	}, r.notModified...)
	if coding != "" {
		r.full = append(r.full, field{"Content-Encoding", []string{coding}})
	} else {
		r.full = append(r.full, field{"Accept-Ranges", []string{"bytes"}}) // servery offers none of a coded body
	}
	return r
}
