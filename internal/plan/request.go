package plan

import (
	"time"

	"servery/internal/byterange"
	"servery/internal/etag"
)

// Request is what a GET or HEAD says that has a bearing on the answer: its
// fields as they came, a line each. The zero Request is a plain GET.
type Request struct {
	Head              bool
	AcceptEncoding    []string
	IfMatch           []string
	IfUnmodifiedSince []string
	IfNoneMatch       []string
	IfModifiedSince   []string
	IfRange           []string
	Range             []string
	WantReprDigest    []string // none where digests are not on offer

	// Boundary separates the parts of an answer with several ranges. Whoever
	// makes the Request makes it, so that Decide remains a function.
	Boundary string
}

// Facts are what is known of the representation that was opened.
type Facts struct {
	Size         int64
	ModTime      time.Time // whole seconds, UTC; zero where the file has no meaningful one
	ETag         etag.Tag  // "" where there is none
	ContentType  string
	CacheControl string // "" for none
	Extra        *Extra // that 200 and 206 have, or nil
	MostRanges   int    // 0 where ranges are off or the file cannot seek
	Negotiable   bool   // the coding could depend on the request
	Now          time.Time

	// What answers say of Size and ModTime. Whoever has it ready saves making it; zero
	// values are made.
	Extent       byterange.Extent
	LastModified string

	// Codings are on offer besides identity, in the server's order of preference.
	Codings []Coding
}

// Coding is a coded representation of the same resource.
type Coding struct {
	Name string   // the content coding, in lower case
	ETag etag.Tag // its own, "" where identity has none
}

// Extra are the fields that few answers have, behind a pointer because plans are copied
// for all of them. A field that is "" is not sent: what outer code said stays.
type Extra struct {
	Disposition string // Content-Disposition
	Policy      string // Content-Security-Policy
}
