package servery

import (
	"servery/internal/byterange"
	"servery/internal/deliver"
	"servery/internal/plan"
)

// known is what is made once of a file that is remembered, and does not depend on the
// request. It is shared and never changes.
type known struct {
	mediaType    string // "" where only outer code said one
	extent       byterange.Extent
	lastModified string
	ready        deliver.Ready
	coded        []form // as the encoders
}

// form is a coded representation. What is ready lacks the length, which only the body
// tells.
type form struct {
	codings []plan.Coding // it alone
	ready   deliver.Ready
}

func (x *exchange) prepare(facts plan.Facts) *known {
	k := &known{extent: byterange.ExtentOf(facts.Size)}
	if _, outer := x.outer["Content-Type"]; !outer {
		k.mediaType = facts.ContentType
	}
	if !facts.ModTime.IsZero() {
		k.lastModified = facts.ModTime.Format(plan.TimeFormat)
	}
	k.ready = deliver.Ready{
		ContentType:   []string{facts.ContentType},
		ContentLength: []string{k.extent.Length},
		ETag:          []string{string(facts.ETag)},
		LastModified:  []string{k.lastModified},
		CacheControl:  []string{facts.CacheControl},
	}
	for _, coding := range x.encoders.Codings() {
		c := x.codingOf(coding, facts)
		f := form{[]plan.Coding{c}, k.ready}
		f.ready.ContentEncoding = []string{c.Name}
		f.ready.ETag = []string{string(c.ETag)}
		k.coded = append(k.coded, f)
	}
	return k
}
