package stream

import (
	"bytes"
	"net/http"
	"sync"
)

// scratch is the memory that a response needs while it is undecided or encoded. It is used again: what it held is
// another's to overwrite.
type scratch struct {
	plain    []byte       // not encoded and not sent yet
	coded    bytes.Buffer // not sent yet
	frozen   bool         // the snapshot is of the moment when the status was set
	snapshot snapshot
}

// spare is how large a buffer may have become and still be kept for others.
const spare = 2 * sliceEncoded

var scratches = sync.Pool{New: func() any { return &scratch{plain: make([]byte, 0, collected)} }}

// retain makes sure that there is a scratch.
func (s *writer) retain() {
	if s.kept == nil {
		s.kept = scratches.Get().(*scratch)
	}
}

// release gives the scratch to others. It is not called after a panic that leaves the handler: nobody knows who still
// uses what.
func (s *writer) release() {
	k := s.kept
	if k == nil {
		return
	}
	s.kept = nil
	if cap(k.plain) > spare || k.coded.Cap() > spare {
		return
	}
	k.plain, k.frozen = k.plain[:0], false
	k.coded.Reset()
	k.snapshot.clear()
	scratches.Put(k)
}

// keep appends plain bytes to those that are kept.
func (s *writer) keep(p []byte) {
	s.retain()
	s.kept.plain = append(s.kept.plain, p...)
}

// freeze takes a snapshot of the header when the handler has set the status: what it changes later is for another
// response, or is a trailer.
func (s *writer) freeze() {
	if s.opened && !s.sent && s.over() == nil && (s.kept == nil || !s.kept.frozen) {
		s.retain()
		s.kept.snapshot.take(s.Header())
		s.kept.frozen = true
	}
}

// bytes are the plain bytes that are kept.
func (k *scratch) bytes() []byte {
	if k == nil {
		return nil
	}
	return k.plain
}

// with returns the beginning of the bytes that are kept and then next: all that are kept, or as many as sniffing wants.
func (k *scratch) with(next []byte) []byte {
	if len(k.plain) == 0 {
		return next
	}
	missing := max(sniffLength-len(k.plain), 0)
	return append(k.plain, next[:min(len(next), missing)]...)
}

// header returns the header that counts: the frozen one, which now is as a rule.
func (k *scratch) header(now http.Header) http.Header {
	if !k.frozen || k.snapshot.same(now) {
		return now
	}
	then := now.Clone()
	k.snapshot.restore(then)
	return then
}

// restore makes h the frozen header and returns what it was, or nil if there is no difference.
func (k *scratch) restore(h http.Header) (later http.Header) {
	if k == nil || !k.frozen {
		return nil
	}
	return k.snapshot.restore(h)
}
