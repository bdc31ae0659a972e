package identity

import (
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"hash"
	"runtime"
	"time"

	"servery/internal/cache"
	"servery/internal/digest"
	"servery/internal/flight"
)

// Digests makes digests of the content of opened files, all of their bits, as the value
// of a field (RFC 9530), and remembers those of settled identities, the least recently
// used going first. It is safe for concurrent use.
type Digests struct {
	known   *cache.LRU[digestKey, string]
	reading flight.Group[digestKey, string]
	slots   chan struct{} // one for each file that is being read
}

type digestKey struct {
	file      Key
	algorithm digest.Algorithm
}

// NewDigests returns an empty table.
func NewDigests() *Digests {
	return &Digests{
		known: cache.New[digestKey, string](remembered),
		slots: make(chan struct{}, runtime.GOMAXPROCS(0)),
	}
}

// Of returns the digest of a file, or "" where there is none to be had: an answer
// without it is complete, and one with a digest of other bytes is worse than none. So
// there is none of a file that is not in memory and is not settled, can be read but
// once, is above the size that anything is read for, could not be read in time, or
// changed meanwhile.
func (d *Digests) Of(ctx context.Context, o *Opened, a digest.Algorithm) string {
	if a == digest.None || o.IsDir() {
		return ""
	}
	key := digestKey{o.Key(), a}
	if o.Settled {
		if field, ok := d.known.Get(key); ok {
			return field
		}
	}
	switch {
	case o.Small():
		return d.ofSmall(key, o)
	case !o.Settled || !o.Seekable() || o.Info.Size > readMost:
		return ""
	}
	field, _, err := d.reading.Do(ctx, key, func() func(context.Context) (string, error) {
		return d.ofLarge(key, o)
	})
	if err != nil {
		return ""
	}
	return field
}

// ofSmall makes the digest of the very bytes that will be sent.
func (d *Digests) ofSmall(key digestKey, o *Opened) string {
	settled := o.Settled
	if err := o.Load(); err != nil || settled != o.Settled {
		return ""
	}
	if !settled && !o.steady(sha256.Sum256(o.plain)) { // it may be of two versions
		return ""
	}
	h := hashOf(key.algorithm)
	h.Write(o.plain)
	field := digest.Field(key.algorithm, h.Sum(nil))
	if settled {
		d.remember(key, field)
	}
	return field
}

// ofLarge prepares the reading of a whole file by a goroutine that may outlive this
// request: it owns its handle, and its slot bounds how many read at once.
func (d *Digests) ofLarge(key digestKey, o *Opened) func(context.Context) (string, error) {
	handle, err := o.Another()
	info, buffers := o.Info, &o.loader.copying
	return func(ctx context.Context) (string, error) {
		if err != nil {
			return "", err
		}
		defer handle.Release()
		select {
		case d.slots <- struct{}{}:
			defer func() { <-d.slots }()
		case <-time.After(slotPatience):
			return "", nil
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
		buffer := buffers.Get().(*[]byte)
		defer buffers.Put(buffer)
		h := hashOf(key.algorithm)
		err := handle.Each(ctx, info, *buffer, func(chunk []byte) error {
			h.Write(chunk)
			return nil
		})
		if err != nil {
			return "", err
		}
		field := digest.Field(key.algorithm, h.Sum(nil))
		d.remember(key, field)
		return field, nil
	}
}

func (d *Digests) remember(key digestKey, field string) {
	key.file = key.file.Owned()
	d.known.Add(key, field, 1)
}

func hashOf(a digest.Algorithm) hash.Hash {
	if a == digest.SHA512 {
		return sha512.New()
	}
	return sha256.New()
}
