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

func prepareFile(_ Site, name string) (*prepared, error) {
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
	if !compressible(mediaType) || len(body) < inputs.LeastCoded {
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

// compressible reports whether servery compresses a type, of those of the inputs.
func compressible(mediaType string) bool {
	return strings.HasPrefix(mediaType, "text/") || mediaType == "application/json"
}

// prepareAnswer is prepareFile for an answer of the application.
func prepareAnswer(s Site, name string) (*prepared, error) {
	body, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	mediaType := mime.TypeByExtension(filepath.Ext(name))
	answer := func(body []byte, more ...field) representation {
		return representation{body: body, full: append(more,
			field{"Content-Type", []string{mediaType}},
			field{"Content-Length", []string{strconv.Itoa(len(body))}},
		)}
	}
	if !compressible(mediaType) || len(body) < inputs.LeastCoded {
		return &prepared{plain: answer(body)}, nil
	}
	encoder, vary := servery.Gzip(s.Level), field{"Vary", []string{"Accept-Encoding"}}
	shorter, err := compress(encoder, body)
	coded := answer(shorter, vary, field{"Content-Encoding", []string{encoder.Coding}})
	return &prepared{plain: answer(body, vary), gzip: &coded}, err
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
	if compressible(mediaType) {
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
