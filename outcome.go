package servery

import (
	"net/http"
	"time"

	"servery/internal/coded"
	"servery/internal/mediatype"
	"servery/internal/plan"
)

// What follows does nothing where nobody is to be told.

// tell says what the plan says.
func (out *Outcome) tell(p plan.Plan) {
	out.Status, out.Coding = p.Status, p.ContentEncoding
	if out.Coding == "" && out.Uncoded == "" {
		out.Uncoded = UncodedStatus
	}
}

// tell says what is known of the file that is answered with, and why it is not coded.
func (x *exchange) tell(facts plan.Facts, p plan.Plan) {
	if x.out == nil {
		return
	}
	x.out.File, x.out.PlainSize = FileOpened, x.file.Info.Size
	if x.file.Hot() {
		x.out.File = FileHot
	}
	if x.out.Uncoded == UncodedNotWorth && p.Status != http.StatusOK { // which has a reason that comes first
		x.out.Uncoded, x.out.Body = "", ""
	}
	switch {
	case p.ContentEncoding == "" && x.out.Uncoded == "":
		x.out.Uncoded = x.uncoded(facts, p)
	case p.ContentEncoding != "" && x.sidecar != nil:
		x.out.Body, x.out.CodedSize = BodySidecar, x.sidecar.Info.Size
	}
}

// uncoded is why a file is sent as it is, where the reason lies in what was asked for.
func (x *exchange) uncoded(facts plan.Facts, p plan.Plan) Uncoded {
	switch encodes := x.encodes(facts.Size); {
	case p.Status != http.StatusOK && p.Status != http.StatusPartialContent:
		return UncodedStatus
	case p.Status == http.StatusPartialContent:
		return UncodedRange
	case !x.options.Compressible(mediatype.Essence(facts.ContentType)):
		return UncodedType
	case len(x.options.Encoders) == 0:
		return UncodedOff
	case !encodes && facts.Size < x.options.MinSize:
		return UncodedSmall
	case !encodes && facts.Size > x.options.MaxCompressSize:
		return UncodedLarge
	}
	return UncodedNotAccepted
}

// tellBody says where a coded body came from, or the verdict that there is none.
func (x *exchange) tellBody(source BodySource, body *coded.Body) {
	if x.out == nil {
		return
	}
	x.out.Body, x.out.CodedSize = source, int64(len(body.Bytes))
	if !body.Worth {
		x.out.Uncoded = UncodedNotWorth
	}
}

// tellMade says how a coded body was made since then, or why not.
func (x *exchange) tellMade(since time.Time, body *coded.Body, joined bool, err error) {
	if x.out == nil {
		return
	}
	x.out.Waited = time.Since(since)
	switch {
	case isSaturated(err):
		x.out.Body, x.out.Uncoded = BodyRejected, UncodedSaturated
	case err != nil:
		x.out.Uncoded, x.out.Err = UncodedFailed, err
	case joined:
		x.tellBody(BodyJoined, body)
	default:
		x.tellBody(BodyComputed, body)
		x.out.Encoded = min(body.Took, x.out.Waited)
		x.out.Waited -= x.out.Encoded
	}
}

// clock returns the time, if anybody wants to know how long things take.
func (x *exchange) clock() (now time.Time) {
	if x.out != nil {
		now = time.Now()
	}
	return now
}
