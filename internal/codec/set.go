package codec

import (
	"errors"
	"fmt"
	"io"
	"sync"
)

// Set is an ordered choice of encoders with a pool of idle writers for each. [NewSet] makes one. It may be shared by
// any number of goroutines.
type Set struct {
	codings []string // in the server's order, as pools; never changes
	pools   []*pool  // never changes
}

// NewSet returns the choice of encoders, in the server's order of preference. Per encoder at most idle writers are
// kept for the next use. How many are at work at a time is the caller's to bound.
//
// An invalid encoder, a coding or a suffix that occurs twice, and a negative idle are errors.
func NewSet(encoders []Encoder, idle int) (*Set, error) {
	if idle < 0 {
		return nil, fmt.Errorf("%d idle writers are less than none", idle)
	}
	s := new(Set)
	for _, e := range encoders {
		if err := s.check(e); err != nil {
			return nil, err
		}
		s.codings = append(s.codings, e.Coding)
		s.pools = append(s.pools, &pool{encoder: e, suffix: e.TagSuffix(), most: idle})
	}
	return s, nil
}

// check reports why e cannot join the encoders that are there.
func (s *Set) check(e Encoder) error {
	if err := e.Validate(); err != nil {
		return err
	}
	for _, p := range s.pools {
		switch {
		case p.encoder.Coding == e.Coding:
			return fmt.Errorf("coding %s occurs twice", e.Coding)
		case p.encoder.Suffix == e.Suffix:
			// The tags of two representations could be equal then.
			return fmt.Errorf("codings %s and %s share the suffix %s", p.encoder.Coding, e.Coding, e.Suffix)
		}
	}
	return nil
}

// Codings returns the names in the server's order. The caller must not change them.
func (s *Set) Codings() []string { return s.codings }

// Encoder returns the encoder of coding, in lower case.
func (s *Set) Encoder(coding string) (Encoder, bool) {
	if p := s.pool(coding); p != nil {
		return p.encoder, true
	}
	return Encoder{}, false
}

// TagSuffix is that of coding's encoder, or "" where there is none.
func (s *Set) TagSuffix(coding string) string {
	if p := s.pool(coding); p != nil {
		return p.suffix
	}
	return ""
}

// Get returns a writer of coding, in lower case, to w, an idle one or a new one. The caller ends the lease, and lets
// go of w with it, by [Lease.Close] or [Lease.Discard].
//
// A coding that the Set does not have, and an encoder that cannot be made, are errors.
func (s *Set) Get(coding string, w io.Writer) (*Lease, error) {
	p := s.pool(coding)
	if p == nil {
		return nil, fmt.Errorf("no encoder for coding %q", coding)
	}
	i, err := p.take()
	if err != nil {
		return nil, fmt.Errorf("encoder for coding %s: %w", coding, err)
	}
	return newLease(p, i, w), nil
}

// pool is a search without a map: there are two or three of them.
func (s *Set) pool(coding string) *pool {
	for i, name := range s.codings {
		if name == coding {
			return s.pools[i]
		}
	}
	return nil
}

// pool keeps idle writers of one encoder. It is no sync.Pool because that has no bound: as many as ever worked at once
// may stay until the next two garbage collections, and a writer holds megabytes.
type pool struct {
	encoder Encoder // never changes
	suffix  string  // of the encoder's tags; never changes
	most    int     // the bound for idle; never changes

	mu   sync.Mutex // protects idle, and is not held while code of an encoder runs
	idle []instance // the last one in is the first one out: its tables may still be in the processor's cache
}

// instance is a writer with the destination it was bound to. Whoever took it owns it alone.
type instance struct {
	writer Writer
	sink   *sink
}

// take returns an idle instance or a new one.
func (p *pool) take() (instance, error) {
	if i, ok := p.pop(); ok {
		return i, nil
	}
	w, err := p.encoder.New()
	if err != nil {
		return instance{}, err
	}
	if w == nil {
		return instance{}, errors.New("no writer, and no error either")
	}
	return instance{w, new(sink)}, nil
}

func (p *pool) pop() (instance, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.idle) - 1
	if last < 0 {
		return instance{}, false
	}
	i := p.idle[last]
	p.idle[last] = instance{} // or else the slice would hold on to a writer that is dropped later
	p.idle = p.idle[:last]
	return i, true
}

// put keeps i for the next one to come, or drops it.
func (p *pool) put(i instance) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) < p.most {
		p.idle = append(p.idle, i)
	}
}
