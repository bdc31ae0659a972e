// Package deliver writes an answer that was decided elsewhere. It decides
// nothing.
package deliver

import (
	"io"
	"net/http"

	"servery/internal/byterange"
	"servery/internal/plan"
)

// Content is the plain bytes that a plan's ranges speak of.
type Content interface {
	// WriteRange writes the extent to w, or as much of it as there is and an error.
	WriteRange(w io.Writer, r byterange.Range) error
}

// Answer writes the plan and, unless head is set, what follows its head. The head is out
// when it fails: the connection has to be cut then, by a panic with
// http.ErrAbortHandler, which is the only end that no client takes for a complete
// answer. content may be nil where the plan has no ranges.
func Answer(w http.ResponseWriter, head bool, p plan.Plan, content Content, ready *Ready) error {
	setFields(w.Header(), p, ready)
	w.WriteHeader(p.Status)
	if head {
		return nil
	}
	return writeBody(w, p, content)
}

func writeBody(w io.Writer, p plan.Plan, content Content) error {
	switch {
	case p.Message != "":
		_, err := io.WriteString(w, p.Message)
		return err
	case len(p.Ranges) == 1:
		return content.WriteRange(w, p.Ranges[0])
	case len(p.Ranges) > 1:
		return writeParts(w, p, content)
	}
	return nil
}

// writeParts writes a multipart/byteranges body (RFC 9110, section 14.6).
func writeParts(w io.Writer, p plan.Plan, content Content) error {
	for i, r := range p.Ranges {
		head := byterange.PartHeader(p.Boundary, p.PartType, r, p.CompleteSize, i == 0)
		if _, err := io.WriteString(w, head); err != nil {
			return err
		}
		if err := content.WriteRange(w, r); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, byterange.Closing(p.Boundary))
	return err
}
