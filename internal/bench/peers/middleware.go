package peers

import (
	"io"
	"net/http"

	"github.com/CAFxX/httpcompression"
	kpgzip "github.com/CAFxX/httpcompression/contrib/klauspost/gzip"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"

	"servery"
	"servery/internal/bench/inputs"
)

// A middlewareOf makes middleware that compresses what handlers answer. All of it does
// that with klauspost's gzip at the level of the site, and so differs in nothing but
// what it does around it.
type middlewareOf func(Site) (func(http.Handler) http.Handler, error)

// around returns the constructor of the application with the middleware around it.
func around(wrapper middlewareOf) func(Site) (http.Handler, error) {
	return func(s Site) (http.Handler, error) {
		wrap, err := wrapper(s)
		if err != nil {
			return nil, err
		}
		app, err := newApplication(s)
		if err != nil {
			return nil, err
		}
		return wrap(app), nil
	}
}

// waiting is longer than any queue becomes: a response that finds it full is sent
// uncoded, which is fast and no comparison.
const waiting = 1 << 10

// serveryCompress has the defaults for all that changes no answer.
func serveryCompress(s Site) (func(http.Handler) http.Handler, error) {
	return servery.Compress(&servery.CompressOptions{
		Encoders: []servery.Encoder{servery.Gzip(s.Level)},
		Limiter:  servery.NewLimiter(servery.LimiterOptions{Streams: s.Streams, Queue: waiting}),
	}), nil
}

func gzhttpCompress(s Site) (func(http.Handler) http.Handler, error) {
	wrap, err := gzhttp.NewWrapper(gzhttp.CompressionLevel(s.Level))
	if err != nil {
		return nil, err
	}
	return func(next http.Handler) http.Handler { return wrap(next) }, nil
}

// httpCompression is told from which size on to compress as it is the only one whose
// default is another: 200 bytes if it is asked for its defaults, and 0 if it is not.
func httpCompression(s Site) (func(http.Handler) http.Handler, error) {
	encoder, err := kpgzip.New(kpgzip.Options{Level: s.Level})
	if err != nil {
		return nil, err
	}
	return httpcompression.Adapter(httpcompression.GzipCompressor(encoder), httpcompression.MinSize(inputs.LeastCoded))
}

// chiCompress has no least size: chi compresses a body of one byte, too. Its own
// encoder would be that of the standard library.
func chiCompress(s Site) (func(http.Handler) http.Handler, error) {
	if _, err := gzip.NewWriterLevel(nil, s.Level); err != nil {
		return nil, err
	}
	compressor := middleware.NewCompressor(s.Level)
	compressor.SetEncoder("gzip", func(w io.Writer, level int) io.Writer {
		encoder, _ := gzip.NewWriterLevel(w, level) // the level was found to be one
		return encoder
	})
	return compressor.Handler, nil
}
