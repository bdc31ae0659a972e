package servery_test

import (
	"net/http"
	"slices"
	"strings"
)

// scriptForecast is what the contract demands of the answer.
type scriptForecast struct {
	coding string // "" for none
	vary   bool   // Accept-Encoding is among Vary
	unsure bool   // or is not: the contract leaves it open
	reason string
}

// scriptCollected is how many plain bytes Compress collects before it makes an encoder.
const scriptCollected = 16 << 10

// forecast reads the contract, sections 1, 2 and 7, for a handler that came to its end.
// The facts are those of the bare server.
func (s *script) forecast(f *scriptFacts) scriptForecast {
	mediaType := s.mediaType(f)
	switch reason := s.untouched(f); {
	case s.chosen("options") == "no encoders":
		return scriptForecast{reason: "switched off"}
	case reason != "":
		return scriptForecast{reason: reason}
	case f.status == http.StatusNotModified:
		return scriptForecast{vary: mediaType == "" || s.isCompressible(mediaType) || s.isOwnNotModified(f), reason: "a 304, which seldom says a type"}
	case f.isPart() && f.frozen["Content-Type"] == nil:
		return scriptForecast{vary: true, unsure: true, reason: "a part whose type nobody says"}
	case !s.isCompressible(mediaType):
		return scriptForecast{reason: "a type that is never coded"}
	case f.isPart():
		return scriptForecast{vary: true, reason: "a part of what could be coded"}
	case !s.isLarge(f):
		return scriptForecast{reason: "too small to be coded"}
	case s.isRanged():
		return scriptForecast{vary: true, reason: "a request for a range"}
	case s.negotiated() == "":
		return scriptForecast{vary: true, reason: "no coding is wanted"}
	case s.chosen("options") == "no streams" && !s.isHead() && !s.isOneShot(f):
		return scriptForecast{vary: true, reason: "no encoder is free for what is not sent at once"}
	}
	return scriptForecast{coding: s.negotiated(), vary: true, reason: "worth a coding"}
}

// untouched is why the answer could not have been coded, "" if it could.
func (s *script) untouched(f *scriptFacts) string {
	switch f.status {
	case http.StatusSwitchingProtocols, http.StatusNoContent, http.StatusResetContent, http.StatusRequestedRangeNotSatisfiable:
		return "a status that is left alone"
	}
	for _, name := range []string{"Transfer-Encoding", "Content-Digest", "Repr-Digest", "Digest", "Content-Md5"} {
		if len(f.frozen[name]) > 0 {
			return name + " speaks of the plain bytes"
		}
	}
	switch {
	case s.isUpgrade():
		return "an upgrade"
	case isForeignCoding(f.frozen):
		return "coded by the handler"
	case isNoTransform(f.frozen):
		return "no-transform"
	}
	return ""
}

// isForeignCoding reports whether a header names a coding that is none of Compress.
func isForeignCoding(header http.Header) bool {
	return slices.ContainsFunc(header["Content-Encoding"], func(v string) bool {
		return v != "" && !strings.EqualFold(v, "identity")
	})
}

func isNoTransform(header http.Header) bool {
	for member := range strings.SplitSeq(strings.Join(header["Cache-Control"], ","), ",") {
		if strings.EqualFold(strings.Trim(member, " \t"), "no-transform") {
			return true
		}
	}
	return false
}

// mediaType is that of the header, or what net/http would make of the first bytes.
func (s *script) mediaType(f *scriptFacts) string {
	if _, ok := f.frozen["Content-Type"]; ok {
		essence, _, _ := strings.Cut(f.frozen.Get("Content-Type"), ";")
		return strings.ToLower(strings.TrimSpace(essence))
	}
	sample := s.taken(f)
	sample = sample[:min(512, len(sample))]
	if f.flushedAt >= 0 {
		sample = sample[:min(f.flushedAt, len(sample))]
	}
	if len(sample) == 0 || f.frozen.Get("Content-Encoding") != "" {
		return "" // nothing to sniff, or net/http would not sniff it
	}
	if f.status == http.StatusNotModified || f.isPart() {
		return "" // not all of the representation
	}
	essence, _, _ := strings.Cut(http.DetectContentType(sample), ";")
	return essence
}

// taken are the plain bytes that count. Those of a HEAD in HTTP/2 fail on the bare
// server when the head is sent, by chance, and what it takes beyond the declared length
// is no part of the body.
func (s *script) taken(f *scriptFacts) []byte {
	taken := f.accepted
	if s.isHead() && s.isHTTP2() {
		taken = f.attempted
	}
	if declared := declaredLength(f.frozen); declared >= 0 {
		taken = taken[:min(int64(len(taken)), declared)]
	}
	return taken
}

// isCompressible knows the types that scripts use, and those that are sniffed.
func (s *script) isCompressible(mediaType string) bool {
	switch mediaType {
	case "", "text/event-stream", "application/grpc+proto":
		return false
	case "text/html", "text/plain", "application/json", "image/svg+xml":
		return s.chosen("options") != "no type"
	}
	return s.chosen("options") == "every type"
}

// isLarge reports whether the size, as far as it is known when the decision is due, is
// worth a coding.
func (s *script) isLarge(f *scriptFacts) bool {
	least := s.minSize()
	switch declared := declaredLength(f.frozen); {
	case declared >= 0:
		return declared >= int64(least)
	case f.flushedAt >= 0:
		return true // nobody knows how much will come
	case s.isHead() && len(s.taken(f)) == 0:
		return true // a handler that knows that nothing is sent
	}
	return len(s.taken(f)) >= least
}

func (s *script) minSize() int {
	switch s.chosen("options") {
	case "from 1":
		return 1
	case "from 64":
		return 64
	case "from 4096":
		return 4096
	case "from 20000":
		return 20_000
	}
	return 1024
}

// isPart reports whether the answer is a part of a representation, whatever its status
// says.
func (f *scriptFacts) isPart() bool {
	return f.status == http.StatusPartialContent || len(f.frozen["Content-Range"]) > 0
}

// isOneShot reports whether all is there before the encoder is made.
func (s *script) isOneShot(f *scriptFacts) bool {
	return f.flushedAt < 0 && len(s.taken(f)) <= scriptCollected
}

// isOwnNotModified reports whether a 304 is about the coded representation that the
// client holds.
func (s *script) isOwnNotModified(f *scriptFacts) bool {
	tag := s.codedTag(f)
	return s.negotiated() != "" && tag != "" && !strings.HasPrefix(tag, "W/") && !s.isRanged() &&
		strings.HasPrefix(s.chosen("condition"), "If-None-Match: ") && strings.Contains(s.chosen("condition"), tag)
}

// answerTag is the tag of a coded answer. That to a change has the tag of what the change
// has made of the resource (RFC 9110, section 8.8).
func (s *script) answerTag(f *scriptFacts) string {
	if s.chosen("method") == "POST" && f.status != http.StatusNotModified {
		return f.frozen.Get("Etag")
	}
	return s.codedTag(f)
}

// codedTag is the handler's tag for the coding of the request, "" if it has none or a
// malformed one.
func (s *script) codedTag(f *scriptFacts) string {
	tag := f.frozen.Get("Etag")
	if !strings.HasSuffix(tag, `"`) {
		return ""
	}
	if strings.HasPrefix(tag, "W/") {
		return tag
	}
	return strings.TrimSuffix(tag, `"`) + scriptSuffix[s.negotiated()] + `"`
}
