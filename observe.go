package servery

import (
	"net/http"
	"time"

	"servery/internal/stream"
)

// Outcome is what was decided about an answer, and what it took, for logs and metrics.
// Its kinds of text are few and fixed, so that they can be labels.
type Outcome struct {
	// Status is that of the answer (RFC 9110, section 15); 404 where a NotFound handler
	// answered, whatever it made of that. It is 0 where there is none: a handler inside
	// [Compress] has taken the connection, or it, a file system or a function of the
	// options has panicked before there was one.
	Status int

	// Coding is the content coding (RFC 9110, section 8.4) that the teller gave to the
	// answer, or "" for none. Uncoded says why it gave none, and is "" where it did: a
	// Compress around a FileServer gives none to files, which are coded already
	// ([UncodedNegotiated]).
	Coding  string
	Uncoded Uncoded

	// Body says where a coded body of a [FileServer] came from, or would have: it is set as
	// well where there was no room to make it, where it was made and turned out not to be
	// worth it, or where it was made only to find that If-Match does not hold. It is "" for
	// [Compress].
	Body BodySource

	// File says how the file was found; it is "" where there is none, and for [Compress].
	File FileSource

	// PlainSize and CodedSize are the size of the body in bytes. Of a FileServer they are
	// those of the file and of its coded form, whatever part of it was asked for; of
	// Compress, what the handler wrote, and what was sent in the coding.
	PlainSize, CodedSize int64

	// Waited is the time that was spent in queues, and by waiting for what another
	// request had begun to encode. Encoded is the time spent encoding, giving way to
	// others included; it is of the one request that has caused the work.
	Waited, Encoded time.Duration

	// Err is what failed, if anything did: why the answer is an error, broke off, or could
	// not be coded. It is nil where [UncodedSaturated] says that already. It may have the
	// names of files, and is not for clients.
	Err error
}

// Uncoded is why an answer is not coded, one of the constants from [UncodedNegotiated] to
// [UncodedListing]. The first of the reasons that applies counts.
type Uncoded string

// The reasons why an answer is not coded.
const (
	UncodedNegotiated  Uncoded = "negotiated"   // Compress: the handler does that itself, as FileServer does
	UncodedStatus      Uncoded = "status"       // it has no body, or one that is no representation of the resource
	UncodedHeader      Uncoded = "header"       // Compress: the handler's header says that its bytes have to be these
	UncodedRange       Uncoded = "range"        // it is a part, or Compress was asked for one
	UncodedType        Uncoded = "type"         // its media type is not Compressible
	UncodedOff         Uncoded = "off"          // FileServer: there are no Encoders, and no sidecar
	UncodedSmall       Uncoded = "small"        // it is below MinSize
	UncodedLarge       Uncoded = "large"        // FileServer: it is above MaxCompressSize
	UncodedNotAccepted Uncoded = "not accepted" // the client accepts no coding, or wants none rather than one
	UncodedNotWorth    Uncoded = "not worth it" // FileServer: the coding saves too little
	UncodedIncomplete  Uncoded = "incomplete"   // Compress: the handler wrote less than it had declared
	UncodedSaturated   Uncoded = "saturated"    // the Limiter had no room
	UncodedFailed      Uncoded = "failed"       // the encoder or the reading of the file has, or the client left meanwhile
	UncodedHijacked    Uncoded = "hijacked"     // Compress: the handler took the connection, or panicked, before it was decided
	UncodedListing     Uncoded = "listing"      // FileServer: it is a listing, which a Compress around it can code
)

// BodySource is where a coded body came from.
type BodySource string

// The sources of coded bodies.
const (
	BodyHit      BodySource = "hit"      // it was kept in the CompressionCache
	BodyJoined   BodySource = "joined"   // another request was about to make it
	BodyComputed BodySource = "computed" // it was made for this request
	BodyRejected BodySource = "rejected" // the Limiter did not let it be made
	BodySidecar  BodySource = "sidecar"  // it is a file
)

// FileSource is how a file was found.
type FileSource string

// The ways in which files are found.
const (
	FileHot    FileSource = "hot"    // it was remembered, and its name looked at
	FileOpened FileSource = "opened" // it was opened
)

// reporting returns what tells observe of the reports of package stream, or nil.
func reporting(observe func(*http.Request, Outcome)) func(*http.Request, stream.Report) {
	if observe == nil {
		return nil
	}
	return func(r *http.Request, report stream.Report) {
		observe(r, Outcome{
			Status:    report.Status,
			Coding:    report.Coding,
			Uncoded:   Uncoded(report.Reason),
			PlainSize: report.Plain,
			CodedSize: report.Coded,
			Waited:    report.Waited,
			Encoded:   report.Encoded,
			Err:       report.Err,
		})
	}
}
