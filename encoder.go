package servery

import (
	"io"

	"servery/internal/codec"
	"servery/internal/mediatype"
)

// EncoderWriter is one encoder at work. It holds nothing but memory, writes only
// while one of its methods runs, and is used by one goroutine at a time.
type EncoderWriter interface {
	io.Writer

	// Flush writes everything so far in a form that can be decoded.
	Flush() error

	// Close writes the rest and the end of the coding, and leaves the destination open.
	Close() error

	// Reset makes the EncoderWriter as new, writing to w. It comes before the first Write.
	Reset(w io.Writer)
}

// Encoder is a content coding (RFC 9110, section 8.4.1) at one level. [Gzip] and
// [Zstd] are built in; any other is made by filling in the fields.
type Encoder struct {
	// Coding is the registered name in lower case, such as "br".
	Coding string

	// Suffix is the short form for entity-tags in lower-case letters, such as "br".
	Suffix string

	// Level is the level that New makes writers for. With Coding and Generation it
	// stands for the bytes that a given input becomes, which must not depend on how
	// the input is split into writes.
	Level int

	// Generation, not negative, must change whenever the same input gives other
	// bytes than before, for instance with a new release of the compressor.
	Generation int

	// New makes a writer, which need not have a destination yet. It is called
	// concurrently.
	New func() (EncoderWriter, error)
}

// Gzip returns the encoder of gzip (RFC 1952) at a level from 1, the fastest, to 9,
// the smallest. Its output holds no time and no name. It panics for other levels.
func Gzip(level int) Encoder { return encoderOf(codec.Gzip(level)) }

// Zstd returns the encoder of zstd (RFC 8878, with a window as RFC 9659 asks for) at
// a level from 1, the fastest, to 22, the smallest. It panics for other levels.
func Zstd(level int) Encoder { return encoderOf(codec.Zstd(level)) }

// DefaultEncoders returns zstd at level 3 and gzip at level 6, in this order of
// preference: levels that suit what is encoded on request.
func DefaultEncoders() []Encoder {
	return []Encoder{Zstd(codec.DefaultZstdLevel), Gzip(codec.DefaultGzipLevel)}
}

// DefaultCompressible reports whether responses of a media type usually shrink by a
// content coding: text/*, JSON and JavaScript, XML, everything that ends in +json or
// +xml, WebAssembly, and fonts that are not compressed themselves. It is what options
// named Compressible mean by nil, and is there to be added to:
//
//	Compressible: func(mediaType string) bool {
//		return mediaType == "application/yaml" || servery.DefaultCompressible(mediaType)
//	}
func DefaultCompressible(mediaType string) bool { return mediatype.Compressible(mediaType) }

func encoderOf(e codec.Encoder, err error) Encoder {
	if err != nil {
		panic("servery: " + err.Error())
	}
	return Encoder{
		Coding:     e.Coding,
		Suffix:     e.Suffix,
		Level:      e.Level,
		Generation: e.Generation,
		New:        func() (EncoderWriter, error) { return e.New() },
	}
}

// codecs returns the set of the encoders, which keeps up to so many idle writers of each.
func codecs(encoders []Encoder, idle int) (*codec.Set, error) {
	list := make([]codec.Encoder, len(encoders))
	for i, e := range encoders {
		list[i] = codec.Encoder{Coding: e.Coding, Suffix: e.Suffix, Level: e.Level, Generation: e.Generation}
		if e.New != nil {
			list[i].New = func() (codec.Writer, error) { return e.New() }
		}
	}
	return codec.NewSet(list, idle)
}
