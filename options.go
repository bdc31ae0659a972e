package servery

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// FileServerOptions are the options of [FileServer]. The zero value and nil mean
// the defaults.
type FileServerOptions struct {
	// Index are the names that are tried, in this order, for a directory, hidden
	// ones too. nil means "index.html"; an empty slice means none. A directory
	// without an index is not found, unless there is a Listing.
	Index []string

	// Fallback is the file that is served for names that lead to nothing, for
	// applications of one page that have routes of their own, such as "index.html": a
	// slash-separated path in the root. It is for requests whose Accept names text/html,
	// which is how browsers navigate, and for names without an extension, so that a
	// script that is gone is not found. Hidden and malformed names never have it. The
	// answer is that of the file itself, with the status 200; it and the 404s of names
	// that could have it have Accept in Vary. Where the file is missing, too, there is
	// 404. A directory that is listed is something. "" means none.
	Fallback string

	// FallbackExtensions serves the Fallback for names with an extension as well.
	FallbackExtensions bool

	// NotFound answers the GET and HEAD requests that would get 404, such as with a page
	// of one's own; the status is its to set. It gets the request as it came, nothing is
	// written yet, and the header is as outer code left it, but for Accept in Vary where
	// a Fallback would have answered who accepts it. nil means a line of plain text.
	NotFound http.Handler

	// Download has files saved instead of shown where the query has the key "download",
	// with whatever value: 200 and 206 then have a Content-Disposition (RFC 6266) with the
	// last element of the file's name, that of the index for a directory, in place of
	// one that outer code set. Off, and without the key, the field is left alone.
	Download bool

	// Listing answers for directories without an index with what they hold, to everybody:
	// files, directories, and links that lead to one, as far as they can be asked for. It is
	// HTML, or JSON where Accept prefers application/json, in pages of 1,000, in the order
	// that the query asks for: sort=name, size or modified, order=asc or desc, page=1 and so
	// on. 100,000 entries are read at most; both forms say so. As many listings as GOMAXPROCS
	// are made at once and 64 wait, and 128 are sent; one more is answered 503. The HTML
	// brings a Content-Security-Policy of its own; the Cache-Control is "no-cache", or what
	// outer code set. A Compress around compresses listings.
	Listing bool

	// SmallFileBuffer is the size in bytes up to which a file is read into memory
	// and written with one call; above it, it goes from the file to the socket
	// by sendfile where there is such a thing. Each answer that is being written
	// holds one such buffer. 0 means 16 KiB, the most is 1 MiB, negative means
	// sendfile for everything.
	SmallFileBuffer int

	// HotBytes bounds the memory, in bytes, for what is remembered of the files of a
	// [*Dir] that were opened lately: their identities, and the bytes of those up to
	// SmallFileBuffer. The next request for one looks at its name once (device, inode,
	// size and times) instead of opening it, and opens it all the same if anything is
	// different, or after a second: what no look can tell, such as a write through a
	// shared memory map or, on a network file system, by another machine, may be that
	// late. Where the system has no call for that it is off. 0 means 16 MiB, negative
	// means none.
	HotBytes int64

	// ContentETagMax is the size in bytes up to which the entity-tag is made of
	// the content (128 bits of SHA-256), which makes it equal on all replicas and
	// after each deployment. A file is read for it once and its tag remembered;
	// the table is bounded. Above the limit the tag is made of size and
	// modification time in nanoseconds, or of the content all the same where
	// that time means nothing. 0 means 1 MiB, negative never reads the content
	// for a tag: a file without a meaningful time then has none.
	ContentETagMax int64

	// CacheControl returns the Cache-Control of the file with this name, which is
	// slash-separated, relative to the root, and the index's own for a directory.
	// "" sends none. It is called, concurrently, for answers that are about a file:
	// 200, 206 and 304, where a Cache-Control that outer code set takes its place.
	// Redirects are "no-cache", 503 is "no-store", and other errors have none,
	// whoever set it. nil means "no-cache": keep it, but ask before each use. See
	// [Immutable].
	CacheControl func(name string) string

	// MediaTypes maps extensions with their dot, such as ".md", to media types.
	// They come before the built-in ones, then come the system's, and then what the
	// first 512 bytes look like. The case of extensions does not count. A
	// Content-Type that outer code set takes the place of all of them.
	MediaTypes map[string]string

	// Ranges is how many ranges of a file one request may ask for; a request for
	// more gets the whole file (RFC 9110, section 14.2). 0 means 16; negative
	// switches ranges off.
	Ranges int

	// ShowHidden serves names that begin with a dot as well. Without it they are
	// not found, ".well-known" (RFC 8615) excepted.
	ShowHidden bool

	// Encoders are the content codings on offer, in the order of preference among
	// those that a client wants equally. nil means [DefaultEncoders]; an empty slice
	// switches compression off. Without Sidecars either, the choice is left to a [Compress]
	// around, which refuses no client.
	Encoders []Encoder

	// Compressible reports whether files of a media type, which comes without
	// parameters and in lower case, are worth a coding. It is called concurrently.
	// nil means [DefaultCompressible].
	Compressible func(mediaType string) bool

	// MinSize is the size in bytes from which files are compressed. 0 means 1,024,
	// negative means all.
	MinSize int64

	// MaxCompressSize is the size in bytes up to which files are compressed. Larger
	// ones are sent as they are. 0 means 10 MiB.
	MaxCompressSize int64

	// Cache holds what was compressed. nil means one of 32 MiB for this handler.
	Cache *CompressionCache

	// Limiter bounds the compression that runs at once. nil means one with the
	// defaults for this handler.
	Limiter *Limiter

	// OffloadThreshold is the size in bytes from which a file counts as large for
	// the Limiter. 0 means 128 KiB.
	OffloadThreshold int64

	// OnSaturation is what to answer when the Limiter turns a compression away.
	OnSaturation Saturation

	// Sidecars are the codings, of "zstd", "br" and "gzip", for which a file
	// name.zst, name.br or name.gz beside the original is sent in its place, in this
	// order among those that a client wants equally, and before what the Encoders
	// would make, whatever its size. It is passed over if it is older than the original
	// (if its date has whole seconds, by a second at least), says another
	// length than the original's, is empty, unreadable or obviously something else,
	// or asks for a window above 8 MiB (RFC 9659), as far as its first frame of data
	// tells, which at most four frames to skip may precede. nil means none.
	Sidecars []string

	// ReprDigest sends a Repr-Digest (RFC 9530), by which clients and caches can check
	// what they put together, to those who ask for one by Want-Repr-Digest: with 200 and
	// 206, and to HEAD, of the whole file that parts are sent of, by the one of sha-256 and
	// sha-512 with the larger weight, sha-256 if both have the same. Errors, 304 and answers
	// in a content coding have none, nor do files above 256 MiB, those above SmallFileBuffer
	// that can be read but once or were changed within the last moments, and those that
	// waited for a second while GOMAXPROCS others were read. It is off by
	// default since the whole file is read for it, once per file and algorithm, before the
	// answer begins, however short the part is that is asked for; then it is remembered, in
	// a bounded table.
	ReprDigest bool

	// NoRedirect switches off the redirects of a directory to its name with a
	// slash, whose index is then served at once, and of a file to its name
	// without one, which is then not found.
	NoRedirect bool

	// Observe is told what became of each request when it is answered, or has broken off.
	// The request is as this handler got it, without what [net/http.StripPrefix] took off.
	// It is called concurrently, in the request's goroutine. nil means that nobody is
	// told, and costs nothing.
	Observe func(*http.Request, Outcome)
}

// Saturation is what a handler does when it may not compress any more at the moment.
type Saturation int

const (
	// Reject answers 503 at once, to be tried again a second later. It protects the
	// network where that is what is scarce.
	Reject Saturation = iota
	// ServeIdentity sends the file as it is.
	ServeIdentity
)

// Immutable is a preset for [FileServerOptions.CacheControl]: names that begin
// with one of the prefixes may be kept for a year without asking (RFC 8246), all
// others are "no-cache". It is right for names that hold a hash of their content,
// which build tools put into a folder of their own:
//
//	CacheControl: servery.Immutable("assets/", "_next/static/")
//
// Names have no leading slash, and a prefix that has one, or is empty and so would
// hold for every name, panics: what was sent with it could not be taken back.
func Immutable(prefixes ...string) func(name string) string {
	for _, prefix := range prefixes {
		if prefix == "" || prefix[0] == '/' {
			panic(fmt.Sprintf("servery: Immutable: %q is not the beginning of names such as \"assets/app.js\"", prefix))
		}
	}
	prefixes = slices.Clone(prefixes)
	return func(name string) string {
		for _, prefix := range prefixes {
			if strings.HasPrefix(name, prefix) {
				return "public, max-age=31536000, immutable"
			}
		}
		return "no-cache"
	}
}
