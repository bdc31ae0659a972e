//go:build unix

package servery_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"servery"
	"servery/internal/testkit"
)

// partsFit demands that each part of a 206 is one of the content.
func partsFit(r testkit.Response, content []byte) error {
	mediaType, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if mediaType != "multipart/byteranges" {
		return partFits(r.Header.Get("Content-Range"), r.Body, content)
	}
	parts := multipart.NewReader(bytes.NewReader(r.Body), params["boundary"])
	for n := 0; ; n++ {
		part, err := parts.NextRawPart()
		if err == io.EOF {
			return unless(n > 1, "%d parts", n)
		}
		if err != nil {
			return err
		}
		body, err := io.ReadAll(part)
		if err = errors.Join(err, partFits(part.Header.Get("Content-Range"), body, content)); err != nil {
			return err
		}
	}
}

func partFits(contentRange string, part, content []byte) error {
	first, last, size, err := readContentRange(contentRange)
	if err != nil || size != len(content) || first > last || last >= size {
		return fmt.Errorf("Content-Range %q of %d bytes: %w", contentRange, len(content), err)
	}
	return unless(bytes.Equal(part, content[first:last+1]), "%d bytes that are not %s", len(part), contentRange)
}

func readContentRange(field string) (first, last, size int, err error) {
	_, err = fmt.Sscanf(field, "bytes %d-%d/%d", &first, &last, &size)
	return first, last, size, err
}

// encodedBy returns what the built-in encoder of a coding makes of the content.
func encodedBy(coding string, content []byte) []byte {
	var b bytes.Buffer
	for _, e := range servery.DefaultEncoders() {
		if e.Coding != coding {
			continue
		}
		w, err := e.New()
		if err != nil {
			panic(err)
		}
		w.Reset(&b)
		w.Write(content)
		w.Close()
	}
	return b.Bytes()
}

var (
	modelGzip = sync.Pool{New: func() any { return new(gzip.Reader) }}
	modelZstd = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(4))
		if err != nil {
			panic(err)
		}
		return d
	})
)

// modelUndo is undo for a million bodies.
func modelUndo(coding string, body []byte) ([]byte, error) {
	switch coding {
	case "":
		return body, nil
	case "zstd":
		return modelZstd().DecodeAll(body, nil)
	case "gzip":
		source := bytes.NewReader(body)
		r := modelGzip.Get().(*gzip.Reader)
		defer modelGzip.Put(r)
		if err := r.Reset(source); err != nil {
			return nil, err
		}
		r.Multistream(false)
		plain, err := io.ReadAll(r)
		return plain, errors.Join(err, unless(source.Len() == 0, "bytes after the end"))
	}
	return nil, errors.New("unknown coding")
}
