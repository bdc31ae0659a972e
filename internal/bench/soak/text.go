package soak

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"io"

	"servery/internal/bench/inputs"
)

// A text is what all bodies are cut from, the same in the server and in its clients.
type text []byte

func newText(size int, seed uint64) text { return inputs.JSON(size, seed) }

// headSize is how many bytes at the beginning of a body say what it is.
const headSize = 64

// A document is one version of a body: its head, and a part of the text that depends
// on name and version.
type document struct {
	version    int64
	head, rest []byte
}

// document returns the version of that name. size is at least headSize and at most half
// of the text, so that versions have room to differ.
func (t text) document(name string, version, size int64) document {
	head := fmt.Appendf(nil, "%-*s\n", headSize-1, fmt.Sprint(name, " version ", version))
	hash := fnv.New64a()
	hash.Write(head)
	rest := size - headSize
	from := hash.Sum64() % uint64(int64(len(t))-rest)
	return document{version, head, t[from:][:rest]}
}

func (d document) writeTo(w io.Writer) error {
	if _, err := w.Write(d.head); err != nil {
		return err
	}
	_, err := w.Write(d.rest)
	return err
}

// has reports whether p are the bytes of the document from at on.
func (d document) has(p []byte, at int64) bool {
	if at < headSize {
		n := min(int64(len(p)), headSize-at)
		if !bytes.Equal(p[:n], d.head[at:][:n]) {
			return false
		}
		p, at = p[n:], at+n
	}
	at -= headSize
	return at+int64(len(p)) <= int64(len(d.rest)) && bytes.Equal(p, d.rest[at:][:len(p)])
}

// A matcher is written to, and keeps those of the documents that have all of it. Every
// byte is compared, which leaves less to chance than a sum, and costs no memory.
type matcher struct {
	documents []document
	at        int64 // where the next byte belongs
}

func (m *matcher) Write(p []byte) (int, error) {
	kept := m.documents[:0]
	for _, d := range m.documents {
		if d.has(p, m.at) {
			kept = append(kept, d)
		}
	}
	if m.documents = kept; len(kept) == 0 {
		return 0, fmt.Errorf("the %d bytes from %d on are of no version that there was: %.80q", len(p), m.at, p)
	}
	m.at += int64(len(p))
	return len(p), nil
}
