package identity

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"runtime"
	"strconv"
	"strings"
	"time"

	"servery/internal/anchor"
	"servery/internal/cache"
	"servery/internal/etag"
	"servery/internal/flight"
)

// remembered is how many content tags a table holds, a few hundred bytes each.
const remembered = 16384

// readMost is the size above which no file is read for its tag: it would take
// longer than clients wait, and whoever comes after one that left would begin again.
const readMost = 256 << 20

// slotPatience is how long a file waits to be read. Should disks hang, a weak tag is
// better than no answer.
const slotPatience = time.Second

// Key names an opened identity: whatever changes the content of a file changes
// its key, provided that the identity was settled. Path is empty where the inode is
// known to be of the very bytes, which is so for a directory held open.
type Key struct {
	Device, Inode             uint64
	Size, ModTime, ChangeTime int64
	Path                      string
}

// Owned returns the key for keeping. The path is part of all that a client sent, which
// the key would hold otherwise.
func (k Key) Owned() Key {
	k.Path = strings.Clone(k.Path)
	return k
}

// Key returns the file's identity as a map's key.
func (o *Opened) Key() Key {
	key := Key{
		Device:     o.Info.Device,
		Inode:      o.Info.Inode,
		Size:       o.Info.Size,
		ModTime:    o.Info.ModTime,
		ChangeTime: o.Info.ChangeTime,
	}
	if o.hot == nil && o.anchored == nil || !o.Info.HasInode { // what wraps a file may pass on the FileInfo of other bytes
		key.Path = o.Name
	}
	return key
}

// Tags makes the entity-tags of opened files and remembers those that are made
// of the content, the least recently used going first. It is safe for concurrent
// use.
type Tags struct {
	contentMax int64 // files above it are tagged by size and time; negative: all are
	known      *cache.LRU[Key, etag.Tag]
	reading    flight.Group[Key, etag.Tag]
	slots      chan struct{} // one for each file that is being read, so that waiting for many costs little
	long       chan struct{} // the same for files above the limit, which must not hold the others up
}

// NewTags returns an empty table.
func NewTags(contentMax int64) *Tags {
	return &Tags{
		contentMax: contentMax,
		known:      cache.New[Key, etag.Tag](remembered),
		slots:      make(chan struct{}, runtime.GOMAXPROCS(0)),
		long:       make(chan struct{}, 1),
	}
}

// Of returns the file's tag: of its content up to the limit and wherever its date
// means nothing, else of size and date. A tag that is not made of the bytes that
// will be sent is weak while the identity is unsettled (RFC 9110, section 8.8.1).
func (t *Tags) Of(ctx context.Context, o *Opened) (etag.Tag, error) {
	switch {
	case o.hot != nil:
		return o.hot.tag, nil
	case t.contentMax < 0 && o.ModTime.IsZero():
		return "", nil // nothing to make one of that is not to be read
	case o.Info.Size > t.contentMax && !o.ModTime.IsZero():
		return ofMetadata(o), nil
	case !o.Settled && o.Small():
		return ofSmall(o)
	case !o.Settled:
		return ofMetadata(o), nil
	case o.Info.Size > max(t.contentMax, readMost):
		return weakly(o), nil
	}
	key := o.Key()
	if tag, ok := t.known.Get(key); ok {
		return tag, nil
	}
	if o.Small() {
		tag, err := ofSmall(o)
		if err == nil && o.Settled { // which loading may have found out to be wrong
			t.known.Add(key.Owned(), tag, 1)
		}
		return tag, err
	}
	tag, _, err := t.reading.Do(ctx, key, func() func(context.Context) (etag.Tag, error) {
		return t.ofLarge(key, o)
	})
	return tag, err
}

// ofSmall makes the tag of the very bytes that will be sent.
func ofSmall(o *Opened) (etag.Tag, error) {
	if err := o.Load(); err != nil {
		return "", err
	}
	sum := sha256.Sum256(o.plain)
	if !o.Settled && !o.steady(sum) { // it may be of two versions
		return etag.Weak(opaqueOf(sum[:])), nil
	}
	return etag.Strong(opaqueOf(sum[:])), nil
}

// ofLarge prepares the reading of a whole file by a goroutine that may outlive
// this request: it owns its handle, and its slot bounds how many read at once.
func (t *Tags) ofLarge(key Key, o *Opened) func(context.Context) (etag.Tag, error) {
	handle, err := o.Another()
	info, buffers := o.Info, &o.loader.copying
	slots, instead := t.slots, weakly(o)
	if info.Size > t.contentMax {
		slots = t.long
	}
	return func(ctx context.Context) (etag.Tag, error) {
		if err != nil {
			return "", err
		}
		defer handle.Release()
		select {
		case slots <- struct{}{}:
			defer func() { <-slots }()
		case <-time.After(slotPatience):
			return instead, nil
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
		buffer := buffers.Get().(*[]byte)
		defer buffers.Put(buffer)
		tag, err := ofFile(ctx, handle, info, *buffer)
		if err == nil {
			t.known.Add(key.Owned(), tag, 1)
		}
		return tag, err
	}
}

// ofFile reads exactly the file that info describes, or fails.
func ofFile(ctx context.Context, h *Handle, info anchor.Info, buffer []byte) (etag.Tag, error) {
	hash := sha256.New()
	err := h.Each(ctx, info, buffer, func(chunk []byte) error {
		hash.Write(chunk)
		return nil
	})
	if err != nil {
		return "", err
	}
	return TagOfSum(hash.Sum(buffer[:0])), nil
}

// TagOfSum makes the strong tag of a SHA-256 digest.
func TagOfSum(sum []byte) etag.Tag { return etag.Strong(opaqueOf(sum)) }

// opaqueOf keeps 128 bits of a SHA-256 digest: enough that nobody finds two files of
// one tag by chance, and half the length in every request and answer.
func opaqueOf(sum []byte) string { return hex.EncodeToString(sum[:16]) }

// ofMetadata makes a tag of size and date. The weak one of an unsettled identity
// differs from the strong one that follows: should the file be written once more
// within the grain of the clock, whoever holds the earlier bytes is found out.
func ofMetadata(o *Opened) etag.Tag {
	if !o.Settled {
		return weakly(o)
	}
	return etag.Strong(strconv.FormatInt(o.Info.Size, 16) + "-" + strconv.FormatInt(o.Info.ModTime, 16))
}

// weakly makes a tag of all times that there are, for want of anything better. There
// is none where there are no times either.
func weakly(o *Opened) etag.Tag {
	if !o.Info.HasInode && o.ModTime.IsZero() {
		return ""
	}
	return etag.Weak(strconv.FormatInt(o.Info.Size, 16) +
		"-" + strconv.FormatInt(o.Info.ModTime, 16) + "-" + strconv.FormatInt(o.Info.ChangeTime, 16))
}
