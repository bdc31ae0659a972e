// Package coded makes the coded representations of opened files, once for all who
// ask at the same time, and keeps them within a limit.
package coded

import (
	"context"
	"io"
	"sync/atomic"
	"time"

	"servery/internal/byterange"
	"servery/internal/cache"
	"servery/internal/etag"
	"servery/internal/flight"
	"servery/internal/identity"
)

// overhead is what an entry is charged besides its body and its path: the key, the
// node of the list, and their share of the map.
const overhead = 512

// Key names a coded representation: the same key stands for the same bytes.
type Key struct {
	File       identity.Key
	Namespace  uint64 // tells file systems apart where File goes by the path; else 0
	Coding     string
	Level      int
	Generation int
	Always     bool // whether the body is wanted even if it saves nothing

	// unsettled is set by the Store. An identity that is not settled may stand for
	// more than one content: it gets nothing of what is kept, and does not share its
	// work with those who found it settled.
	unsettled bool

	// digest is set by the Store: who wants Body.Plain cannot share with who does not.
	digest bool
}

// Body is a coded representation, or the verdict that there should be none. It is
// shared and never changes.
type Body struct {
	Bytes  []byte
	Extent byterange.Extent // of Bytes
	Length []string         // Extent.Length, ready to be a field's value
	Worth  bool             // if not, Bytes is empty: the coding saves too little
	Took   time.Duration    // the making, once there was a slot
	Plain  etag.Tag         // made of the very bytes that were encoded, where the Job asked for it
}

// WriteRange writes an extent of the body.
func (b *Body) WriteRange(w io.Writer, r byterange.Range) error {
	_, err := w.Write(b.Bytes[r.Start : r.Start+r.Length])
	return err
}

// Store keeps bodies, the least recently used going first, and lets everyone who
// asks for the same one at the same time share its making. A Store may be shared
// by any number of goroutines.
type Store struct {
	kept    *cache.LRU[Key, *Body]
	flights flight.Group[Key, *Body]
	closed  atomic.Bool // nothing is kept any more
}

// NewStore returns a Store that keeps up to limit bytes, overhead included.
func NewStore(limit int64) *Store {
	return &Store{kept: cache.New[Key, *Body](limit)}
}

// Stats describes the store at this moment.
func (s *Store) Stats() (cache.Stats, flight.Stats) { return s.kept.Stats(), s.flights.Stats() }

// Purge forgets what is kept. What is being made is not affected.
func (s *Store) Purge() { s.kept.Purge() }

// Shutdown refuses new work with [flight.ErrShutdown], waits for what runs, and
// forgets what is kept. If ctx ends first it returns the cause.
func (s *Store) Shutdown(ctx context.Context) error {
	s.closed.Store(true)
	err := s.flights.Shutdown(ctx)
	s.kept.Purge()
	return err
}

// Kept returns what the job would make, if it is kept.
func (s *Store) Kept(job Job) (*Body, bool) { return s.kept.Get(job.key()) }

// Holds reports whether what the job would make is kept. It counts for no use of it.
func (s *Store) Holds(job Job) bool {
	_, ok := s.kept.Peek(job.key())
	return ok
}

// Fits reports whether what the job makes could be kept at the moment without anything
// having to go for it, however little it shrinks.
func (s *Store) Fits(job Job) bool {
	return s.kept.Room() >= job.most()+int64(len(job.Key.File.Path)+overhead)
}

// MostEntries is how many bodies there is room for, however short they are.
func (s *Store) MostEntries() int { return int(min(s.kept.Limit()/overhead, 1<<28)) }

// Make does the job, or joins somebody who does it.
func (s *Store) Make(ctx context.Context, job Job) (body *Body, joined bool, err error) {
	job.Key = job.key()
	return s.flights.Do(ctx, job.Key, func() func(context.Context) (*Body, error) {
		handle, err := job.File.Another()
		return func(ctx context.Context) (*Body, error) {
			if err != nil {
				return nil, err
			}
			defer handle.Release()
			return s.make(ctx, job, handle)
		}
	})
}

// make does the job unless somebody has done it since the caller found nothing.
func (s *Store) make(ctx context.Context, job Job, handle *identity.Handle) (*Body, error) {
	if body, ok := s.kept.Peek(job.Key); ok {
		found := *body
		found.Took = 0 // here
		return &found, nil
	}
	body, err := job.do(ctx, handle)
	if err == nil && !job.Key.unsettled && !s.closed.Load() {
		job.Key.File = job.Key.File.Owned()
		s.kept.Add(job.Key, body, int64(len(body.Bytes)+len(job.Key.File.Path)+overhead))
	}
	return body, err
}
