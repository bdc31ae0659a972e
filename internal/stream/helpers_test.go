package stream_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"servery/internal/codec"
	"servery/internal/mediatype"
	"servery/internal/offload"
	"servery/internal/stream"
)

// middleware is one with gzip and zstd, which encodes from 1,024 bytes.
func middleware(tb testing.TB, change func(*stream.Options)) *stream.Middleware {
	tb.Helper()
	gzip, err := codec.Gzip(6)
	if err != nil {
		tb.Fatal(err)
	}
	zstd, err := codec.Zstd(3)
	if err != nil {
		tb.Fatal(err)
	}
	set, err := codec.NewSet([]codec.Encoder{zstd, gzip}, 1)
	if err != nil {
		tb.Fatal(err)
	}
	o := stream.Options{
		Encoders:     set,
		Compressible: mediatype.Compressible,
		MinSize:      1024,
		Threshold:    128 << 10,
		Small:        offload.New(2, 16),
		Large:        offload.New(1, 16),
		Open:         offload.NewRoom(16),
	}
	if change != nil {
		change(&o)
	}
	return stream.New(o)
}

// request makes one with fields such as "Accept-Encoding: gzip".
func request(method string, fields ...string) *http.Request {
	r := httptest.NewRequest(method, "/", nil)
	r.Header = header(fields...)
	return r
}

func header(fields ...string) http.Header {
	h := make(http.Header)
	for _, field := range fields {
		name, value, _ := strings.Cut(field, ": ")
		h.Add(name, value)
	}
	return h
}
