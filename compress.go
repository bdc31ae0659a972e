package servery

import (
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"slices"

	"servery/internal/stream"
)

// Compress returns middleware that sends what handlers write in a content coding to
// those who accept one, and that is invisible otherwise: status, header, trailers,
// flushes, panics and everything that a [net/http.ResponseController] can do are as
// without it. The middleware may wrap any number of handlers.
//
// A response is coded if its status and its header allow that, its media type is
// worth it, and it has at least MinSize bytes or was flushed before. Range requests,
// upgrades, event streams, gRPC, what has a coding already, "no-transform" (RFC 9111,
// section 5.2.2.6) and what has or announces a digest (RFC 9530) pass as they are. A
// coded response has Vary, and neither the handler's Content-Length nor Accept-Ranges.
//
// A strong entity-tag of the handler gets the suffix of the coding (RFC 9110, section
// 8.8.3.3), but for the answers to POST, PUT and all else that is not safe (section
// 9.2.1), where it is about the new state of the resource unless there is a
// Content-Location; a weak one stays, and what is no entity-tag is left out. Where a
// request has such tags in If-None-Match or If-Match, the handler gets those without the
// suffix before them: a single one as the first line, a list as the beginning of the
// list. An If-Range that may be about a coded copy, which includes every date where the
// client accepts a coding, is taken away together with its Range.
//
// Up to 16 KiB of plain bytes are collected before an encoder is made. Nothing is
// sent before there are 16 KiB of coded ones, a flush, or the end; flush what has to
// arrive earlier. Never is a response refused because of load: it is sent uncoded
// while it still can be, and later waits for its turn. A response that cannot be
// finished, since its encoder failed or the handler wrote less than its Content-Length,
// is aborted by a panic with [net/http.ErrAbortHandler], so that no client takes it for
// whole. Nothing more can be written to a coded response that broke off, whoever recovers
// from the panic.
//
// What can be seen all the same: [net/http.MaxBytesReader] no longer has the connection
// closed behind a body that is a little too large, since it asks net/http's own writer only.
//
// Compress panics with the text of the error of [CompressOptions.Validate], and the
// middleware panics if the handler is nil.
func Compress(opts *CompressOptions) func(http.Handler) http.Handler {
	if err := opts.Validate(); err != nil {
		panic(err.Error())
	}
	middleware := stream.New(opts.complete())
	return func(next http.Handler) http.Handler {
		if next == nil {
			panic("servery: Compress: handler is nil")
		}
		if len(middleware.Encoders.Codings()) == 0 {
			return next
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			middleware.Serve(w, r, next)
		})
	}
}

// CompressOptions are the options of [Compress]. The zero value and nil mean the
// defaults.
type CompressOptions struct {
	// Encoders are the content codings on offer, in the order of preference among
	// those that a client wants equally. nil means [DefaultEncoders]; an empty slice
	// switches compression off.
	Encoders []Encoder

	// Compressible reports whether responses of a media type, which comes without
	// parameters and in lower case, are worth a coding. It is called concurrently, and
	// neither for event streams nor for gRPC, nor where there is no media type. nil means
	// [DefaultCompressible].
	Compressible func(mediaType string) bool

	// MinSize is the size in bytes from which a response is coded. A handler that says
	// no Content-Length is waited for until it has written as much, ended, or flushed; one
	// that says no Content-Type, for 512 bytes at the least. 0 means 1,024, negative
	// means all that are not empty, and the most is 64 KiB.
	MinSize int

	// OffloadThreshold is the size in bytes, of the response so far or as its
	// Content-Length says, from which it counts as large for the Limiter. 0 means 128 KiB.
	OffloadThreshold int64

	// Limiter bounds the compression that runs at once, and the memory for it. nil means
	// one with the defaults for all handlers that this middleware wraps.
	Limiter *Limiter

	// OnError is told when an encoder fails, with the request as it came. The response
	// is sent uncoded then, or cut if it had begun. Too much load is no failure. It is
	// called concurrently. nil means that nobody is told.
	OnError func(*http.Request, error)

	// Observe is told what became of each response, with the request as it came, when the
	// handler has returned or panicked, but not of requests for an upgrade, and of none if
	// there are no Encoders. It is called concurrently, in the request's goroutine. nil
	// means that nobody is told, and costs nothing.
	Observe func(*http.Request, Outcome)
}

const mostMinSize = 64 << 10

// Validate reports the first option that makes no sense. [Compress] panics with the
// text of what Validate returns. A nil receiver is valid.
func (o *CompressOptions) Validate() error {
	if o == nil {
		return nil
	}
	switch _, err := codecs(o.Encoders, 0); {
	case err != nil:
		return fmt.Errorf("servery: Encoders: %w", err)
	case o.MinSize > mostMinSize:
		return fmt.Errorf("servery: MinSize: %d is above %d", o.MinSize, mostMinSize)
	case o.OffloadThreshold < 0:
		return fmt.Errorf("servery: OffloadThreshold: %d is negative", o.OffloadThreshold)
	case o.Limiter != nil && o.Limiter.large == nil:
		return errors.New("servery: Limiter: not made by NewLimiter")
	}
	return nil
}

// complete returns the valid options with their defaults, as the middleware wants them.
func (o *CompressOptions) complete() stream.Options {
	var c CompressOptions
	if o != nil {
		c = *o
	}
	c.Encoders = slices.Clone(c.Encoders)
	if c.Encoders == nil {
		c.Encoders = DefaultEncoders()
	}
	if c.Compressible == nil {
		c.Compressible = DefaultCompressible
	}
	if c.Limiter == nil {
		c.Limiter = NewLimiter(LimiterOptions{})
	}
	encoders, _ := codecs(c.Encoders, idleStreams*runtime.GOMAXPROCS(0)) // validated before
	return stream.Options{
		Encoders:     encoders,
		Compressible: c.Compressible,
		MinSize:      max(orDefault(c.MinSize, defaultMinSize), 0),
		Threshold:    orDefault(c.OffloadThreshold, defaultThreshold),
		Small:        c.Limiter.small,
		Large:        c.Limiter.large,
		Open:         c.Limiter.open,
		OnError:      c.OnError,
		Observe:      reporting(c.Observe),
	}
}

// idleStreams is how many idle encoders of each coding are kept for each processor: as
// many as are soon used again by responses that wait for their clients now and then.
const idleStreams = 4
