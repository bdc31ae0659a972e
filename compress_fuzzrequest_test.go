package servery_test

import (
	"slices"
	"strings"
)

// scriptField is a line of a request's header.
type scriptField struct{ name, value string }

// fields are the request's, as a client sends them.
func (s *script) fields() []scriptField {
	var fields []scriptField
	if accept := s.chosen("accept"); accept != "absent" {
		for line := range strings.SplitSeq(accept, " & ") {
			fields = append(fields, scriptField{"Accept-Encoding", line})
		}
	}
	name, values, _ := strings.Cut(s.chosen("condition"), ": ")
	for line := range strings.SplitSeq(values, " & ") {
		if name != "none" {
			fields = append(fields, scriptField{name, line})
		}
	}
	requested, condition, _ := strings.Cut(s.chosen("range"), " if ")
	if requested != "none" {
		fields = append(fields, scriptField{"Range", requested})
	}
	if condition != "" {
		fields = append(fields, scriptField{"If-Range", condition})
	}
	return append(fields, s.hopFields()...)
}

// hopFields are about the connection. HTTP/2 knows only TE of them (RFC 9113, section
// 8.2.2).
func (s *script) hopFields() (fields []scriptField) {
	switch field := s.chosen("field"); {
	case field == "TE: trailers":
		fields = append(fields, scriptField{"TE", "trailers"})
	case s.isHTTP2():
	case field == "Upgrade: websocket":
		fields = append(fields, scriptField{"Connection", "Upgrade"}, scriptField{"Upgrade", "websocket"})
	case field == "Connection: close":
		fields = append(fields, scriptField{"Connection", "close"})
	}
	if s.body() != nil {
		fields = append(fields, scriptField{"Content-Length", s.chosen("body")})
	}
	return fields
}

// body is the request's. There is none in HTTP/2, whose client stops sending one when the
// answer is an error, and leaves a handler that reads it waiting.
func (s *script) body() []byte {
	switch body := s.chosen("body"); {
	case s.isHTTP2():
	case body == "600":
		return scriptText()[:600]
	case body == "3000":
		return scriptText()[:3000]
	}
	return nil
}

// translated are the fields of the same request to a server that knows no codings, as
// the contract has it: the handler is also given the own tags in If-None-Match and
// If-Match without their suffix, and no Range whose If-Range may be about a coded copy.
func (s *script) translated() []scriptField {
	fields := s.fields()
	if s.isUpgrade() {
		return fields
	}
	if s.hasCodedIfRange() {
		fields = slices.DeleteFunc(fields, func(f scriptField) bool { return f.name == "Range" || f.name == "If-Range" })
	}
	stripped := s.stripped()
	fields = withTags(fields, s.chosen("condition"), stripped)
	if s.chosen("options") == "twice" {
		if stripped == `"v1-gz1.1"` {
			stripped = `"v1", "v1-gz1.1"`
		}
		fields = withTags(fields, s.chosen("condition"), stripped)
	}
	return fields
}

// stripped are the tags of the condition that lose a suffix, without it: those of the
// coding that the request gets; of a change, whose condition is about the resource, those
// of any.
func (s *script) stripped() string {
	tags := scriptStripped[s.chosen("condition")]
	if s.chosen("method") != "POST" || !strings.HasPrefix(s.chosen("condition"), "If-Match") {
		if s.isRanged() {
			return ""
		}
		return tags[s.negotiated()]
	}
	for _, coding := range s.offered() {
		if tags[coding] != "" {
			return tags[coding]
		}
	}
	return ""
}

// withTags puts tags before those of a condition, since many handlers read no more than
// the first line: on a line of their own where there was a single tag, since many compare
// with all of it.
func withTags(fields []scriptField, condition, tags string) []scriptField {
	if tags == "" {
		return fields
	}
	name, _, _ := strings.Cut(condition, ":")
	isOurs := func(f scriptField) bool { return f.name == name }
	first := slices.IndexFunc(fields, isOurs)
	if strings.HasPrefix(fields[first].value+", ", tags+", ") {
		return fields // they are there already
	}
	others := slices.ContainsFunc(fields[first+1:], isOurs)
	if strings.Count(fields[first].value, `"`) == 2 && !others {
		return slices.Insert(fields, first, scriptField{name, tags})
	}
	fields[first].value = tags + ", " + fields[first].value
	return fields
}

// scriptStripped has the tags of a condition that lose the suffix of a coding, by the
// condition and the coding.
var scriptStripped = map[string]map[string]string{
	`If-None-Match: "v1-gz1.1"`:                            {"gzip": `"v1"`},
	`If-None-Match: "v1-zst1.1"`:                           {"zstd": `"v1"`},
	`If-None-Match: W/"v1-gz1.1"`:                          {"gzip": `W/"v1"`},
	`If-None-Match: "a,b-gz1.1", "v1-zst1.1" , "v1-gz1.1"`: {"gzip": `"a,b", "v1"`, "zstd": `"v1"`},
	`If-None-Match: "a" & "v1-gz1.1"`:                      {"gzip": `"v1"`},
	`If-None-Match: "v1-gz1.1-gz1.1"`:                      {"gzip": `"v1-gz1.1"`},
	`If-Match: "v1-gz1.1"`:                                 {"gzip": `"v1"`},
	`If-Match: "v1-zst1.1"`:                                {"zstd": `"v1"`},
	`If-Match: W/"v1-gz1.1"`:                               {"gzip": `W/"v1"`},
	`If-Match: "a" & "v1-gz1.1"`:                           {"gzip": `"v1"`},
}

// negotiated is the coding that the request gets where a response can be coded, ""
// for none.
func (s *script) negotiated() string {
	wants := scriptWants[s.chosen("accept")]
	switch s.chosen("options") {
	case "no encoders":
		return ""
	case "gzip":
		return wants.gzip
	case "zstd":
		return wants.zstd
	}
	return wants.both
}

// scriptWants has the coding for each Accept-Encoding (RFC 9110, section 12.5.3) where
// zstd and gzip are on offer in this order, where gzip is alone, and where zstd is.
var scriptWants = map[string]struct{ both, gzip, zstd string }{
	"gzip":                     {"gzip", "gzip", ""},
	"zstd":                     {"zstd", "", "zstd"},
	"gzip, deflate, br, zstd":  {"zstd", "gzip", "zstd"},
	"absent":                   {},
	"":                         {},
	"identity":                 {},
	"*":                        {"zstd", "gzip", "zstd"},
	"GZIP;Q=1.0":               {"gzip", "gzip", ""},
	"x-gzip":                   {"gzip", "gzip", ""},
	"notgzip":                  {},
	"gzip;q=0":                 {},
	"gzip;q=0.5, zstd;q=0.4":   {"gzip", "gzip", "zstd"},
	"identity;q=1, gzip;q=0.5": {},
	"identity;q=0":             {},
	"*;q=0":                    {},
	"gzip;q=1.x":               {},
	"br & gzip":                {"gzip", "gzip", ""},
}

func (s *script) isUpgrade() bool { return !s.isHTTP2() && s.chosen("field") == "Upgrade: websocket" }

// hasCodedIfRange reports whether the If-Range has a tag that only a coded answer can
// have, or a date, which a coded answer to this request may have had.
func (s *script) hasCodedIfRange() bool {
	_, condition, _ := strings.Cut(s.chosen("range"), " if ")
	if strings.HasSuffix(condition, "GMT") {
		return s.negotiated() != ""
	}
	suffix := strings.TrimSuffix(strings.TrimPrefix(condition, `"v1`), `"`)
	return slices.ContainsFunc(s.offered(), func(coding string) bool { return scriptSuffix[coding] == suffix })
}

// offered are the codings on offer.
func (s *script) offered() []string {
	switch options := s.chosen("options"); options {
	case "no encoders":
		return nil
	case "gzip", "zstd":
		return []string{options}
	}
	return []string{"zstd", "gzip"}
}

// scriptSuffix is what a coding puts into a tag at the level that scripts use.
var scriptSuffix = map[string]string{"gzip": "-gz1.1", "zstd": "-zst1.1"}

// isRanged reports whether the handler may answer with a part: the answer passes plain.
func (s *script) isRanged() bool {
	return s.chosen("method") == "GET" && s.chosen("range") != "none" && !s.hasCodedIfRange()
}
