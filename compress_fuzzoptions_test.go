package servery_test

import (
	"errors"
	"io"
	"net/http"
	"strings"

	"servery"
)

// scriptOptions are the options of Compress by the words for them. The levels are the
// fastest: what is compared is not how small a body becomes.
func scriptOptions(told func()) map[string]*servery.CompressOptions {
	zstd, gzip := servery.Zstd(1), servery.Gzip(1)
	all := map[string]*servery.CompressOptions{
		"zstd and gzip": {},
		"gzip":          {Encoders: []servery.Encoder{gzip}},
		"zstd":          {Encoders: []servery.Encoder{zstd}},
		"from 1":        {MinSize: -1},
		"from 64":       {MinSize: 64},
		"from 4096":     {MinSize: 4096},
		"from 20000":    {MinSize: 20_000},
		"every type":    {Compressible: func(string) bool { return true }},
		"no type":       {Compressible: func(string) bool { return false }},
		"offload":       {OffloadThreshold: 3000, Limiter: servery.NewLimiter(servery.LimiterOptions{Workers: 1, Queue: -1})},
		"no streams":    {Limiter: servery.NewLimiter(servery.LimiterOptions{Streams: -1})},
		"no encoders":   {Encoders: []servery.Encoder{}},
		"twice":         {},
	}
	for _, method := range []string{"New", "Write", "Flush", "Close"} {
		all["fails in "+method] = &servery.CompressOptions{Encoders: []servery.Encoder{failingIn(zstd, method), failingIn(gzip, method)}}
	}
	for _, o := range all {
		if o.Encoders == nil {
			o.Encoders = []servery.Encoder{zstd, gzip}
		}
		o.OnError = func(*http.Request, error) { told() }
	}
	return all
}

// scriptMiddleware are the wrapped handlers by the same words.
func scriptMiddleware(next http.Handler, told func()) map[string]http.Handler {
	all := map[string]http.Handler{}
	for name, o := range scriptOptions(told) {
		middleware := servery.Compress(o)
		all[name] = middleware(next)
		if name == "twice" {
			all[name] = middleware(all[name])
		}
	}
	return all
}

var errScriptEncoder = errors.New("the encoder fails")

// scriptEncoderTakes is how many plain bytes an encoder takes that fails in Write.
const scriptEncoderTakes = 3000

// failing returns an encoder that fails in one method.
func failingIn(e servery.Encoder, method string) servery.Encoder {
	working := e.New
	e.New = func() (servery.EncoderWriter, error) {
		if method == "New" {
			return nil, errScriptEncoder
		}
		w, err := working()
		return &scriptEncoder{EncoderWriter: w, method: method, left: scriptEncoderTakes}, err
	}
	return e
}

type scriptEncoder struct {
	servery.EncoderWriter
	method string
	left   int
}

func (f *scriptEncoder) Write(p []byte) (int, error) {
	if f.left -= len(p); f.method == "Write" && f.left < 0 {
		return 0, errScriptEncoder
	}
	return f.EncoderWriter.Write(p)
}

func (f *scriptEncoder) Flush() error {
	if f.method == "Flush" {
		return errScriptEncoder
	}
	return f.EncoderWriter.Flush()
}

func (f *scriptEncoder) Close() error {
	if f.method == "Close" {
		return errScriptEncoder
	}
	return f.EncoderWriter.Close()
}

func (f *scriptEncoder) Reset(w io.Writer) {
	f.left = scriptEncoderTakes
	f.EncoderWriter.Reset(w)
}

func (s *script) fails() bool { return strings.HasPrefix(s.chosen("options"), "fails in ") }
