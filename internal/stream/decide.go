package stream

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"servery/internal/etag"
	"servery/internal/mediatype"
)

// moment is what the question is asked at.
type moment int

const (
	more    moment = iota // more may follow
	flushed               // what there is has to be sent now
	ended                 // there is no more
)

// answer is what is known of a response when the question is asked.
type answer struct {
	moment
	status int
	header http.Header
	prefix []byte // the first plain bytes, all that there are or as many as sniffing wants
	size   int64  // of the plain bytes so far

	declared int64 // by the Content-Length, or -1
}

type action int

const (
	wait action = iota
	pass
	encode
)

// verdict is what becomes of a response. All but wait are final.
type verdict struct {
	action
	reason    Reason   // why it is not encoded; "" where it is, or may be
	vary      bool     // it could have been encoded for another client
	mediaType string   // what the plain bytes look like, for an encoded one that does not say
	tag       etag.Tag // of a 304, in the coding that the client holds
}

// sniffLength is as much as net/http looks at (https://mimesniff.spec.whatwg.org).
const sniffLength = 512

// decide is the one place that knows what is encoded. Its cases are those of RFC 9110 that a coding would break, and
// then what is worth it.
func (m *Middleware) decide(q *request, a answer) verdict {
	switch {
	case bodiless(a.status):
		return verdict{action: pass, reason: Status}
	case fixed(a.header):
		return verdict{action: pass, reason: Header}
	}
	mediaType, known := typeOf(a)
	switch {
	case a.status == http.StatusNotModified:
		// It has the Vary that the 200 would have (RFC 9110, section 15.4.5), which only the type could rule out.
		return notModified(q, a.header, mediaType == "" || m.compressible(mediaType))
	case partial(a):
		// Parts do not say their type outside of the body.
		vary := mediatype.Essence(mediaType) == "multipart/byteranges" || m.compressible(mediaType)
		return verdict{action: pass, reason: Range, vary: vary}
	case !known:
		return verdict{action: wait}
	case !m.compressible(mediaType):
		return verdict{action: pass, reason: Type}
	}
	size, known := sizeOf(q, a)
	switch {
	case known && (size == 0 || size < int64(m.MinSize)):
		return verdict{action: pass, reason: Small} // whatever a client accepts
	case !known && a.size < max(int64(m.MinSize), 1) && a.moment == more:
		return verdict{action: wait}
	case q.ranged:
		return verdict{action: pass, reason: Range, vary: true}
	case q.coding == "":
		return verdict{action: pass, reason: NotAccepted, vary: true}
	case misnamed(a.header):
		return verdict{action: pass, reason: Header}
	}
	v := verdict{action: encode, vary: true}
	if _, said := a.header["Content-Type"]; !said {
		v.mediaType = mediaType
	}
	return v
}

// bodiless reports whether the status has no representation of the resource in its body.
func bodiless(status int) bool {
	switch status {
	case http.StatusNoContent, http.StatusResetContent, http.StatusRequestedRangeNotSatisfiable:
		return true
	}
	return status < http.StatusOK
}

// fixed reports whether the header says that the bytes must be these: they are in a coding already, nobody is to
// transform them (RFC 9111, section 5.2.2.6), their framing is the handler's, or a digest was or will be made of them
// (RFC 9530), which could not be kept true.
func fixed(h http.Header) bool {
	if len(h["Transfer-Encoding"]) > 0 {
		return true
	}
	for _, name := range digests {
		if len(h[name]) > 0 || announces(h["Trailer"], name) {
			return true
		}
	}
	for _, line := range h["Content-Encoding"] {
		if coding := strings.Trim(line, " \t"); coding != "" && !strings.EqualFold(coding, "identity") {
			return true
		}
	}
	for _, line := range h["Cache-Control"] {
		for directive := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.Trim(directive, " \t"), "no-transform") {
				return true
			}
		}
	}
	return false
}

// digests are the fields with a digest of the very bytes.
var digests = [...]string{"Repr-Digest", "Content-Digest", "Digest", "Content-Md5"}

// misnamed reports whether a field that is read or changed here has a name that is not canonical, such as the "ETag" of
// those who write into the map by themselves. net/http sends it as it is: what it says of the plain bytes would be said of
// the encoded ones.
func misnamed(h http.Header) bool {
	for name := range h {
		switch canonical := http.CanonicalHeaderKey(name); {
		case canonical == name:
		case slices.Contains(described[:], canonical):
			return true
		}
	}
	return false
}

var described = [...]string{
	"Accept-Ranges", "Cache-Control", "Content-Digest", "Content-Encoding", "Content-Length", "Content-Md5", "Content-Range",
	"Content-Type", "Digest", "Etag", "Repr-Digest", "Transfer-Encoding",
}

func partial(a answer) bool {
	return a.status == http.StatusPartialContent || len(a.header["Content-Range"]) > 0
}

// notModified is the verdict on a 304. It carries the tag that the client holds (RFC 9110, section 15.4.5).
func notModified(q *request, h http.Header, vary bool) verdict {
	v := verdict{action: pass, reason: Status, vary: vary}
	tag, _ := etag.Parse(first(h, "Etag"))
	if !tag.IsWeak() && slices.ContainsFunc(q.held, tag.WeakMatch) {
		v.tag, v.vary = tag.ForCoding(q.suffix), true
	}
	return v
}

// typeOf returns the media type, "" for none, or reports that more bytes may tell it. It is what net/http would say.
func typeOf(a answer) (mediaType string, known bool) {
	if lines, said := a.header["Content-Type"]; said {
		if len(lines) == 0 {
			return "", true
		}
		return lines[0], true
	}
	switch {
	case strings.Trim(first(a.header, "Content-Encoding"), " \t") != "": // not sniffed by net/http either
		return "", true
	case len(a.prefix) < sniffLength && a.moment == more:
		return "", false
	case len(a.prefix) == 0:
		return "", true
	}
	return http.DetectContentType(a.prefix), true
}

// compressible reports whether a type is ever encoded. Event streams and gRPC never are: a coding would hold back what
// their framing wants to be there at once.
func (m *Middleware) compressible(mediaType string) bool {
	essence := mediatype.Essence(mediaType)
	return essence != "" && essence != "text/event-stream" && !strings.HasPrefix(essence, "application/grpc") &&
		m.Compressible(essence)
}

// sizeOf returns the size of the body, or reports that it is not known yet. The answer to HEAD need not have had one.
func sizeOf(q *request, a answer) (size int64, known bool) {
	switch {
	case a.moment == ended && a.size == 0 && !q.head:
		return 0, true // whatever was declared: there is nothing to encode
	case a.declared >= 0:
		return a.declared, true
	}
	return a.size, a.moment == ended && !(q.head && a.size == 0)
}

// declaredLength is the Content-Length as net/http reads it, or -1.
func declaredLength(h http.Header) int64 {
	text := first(h, "Content-Length")
	if text == "" {
		return -1 // without an error, which would have to be made
	}
	length, err := strconv.ParseInt(text, 10, 64)
	if err != nil || length < 0 {
		return -1
	}
	return length
}

// first is h.Get for a name that is canonical, which is not to be found out each time.
func first(h http.Header, name string) string {
	if values := h[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}
