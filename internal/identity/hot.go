package identity

import (
	"bytes"
	"strings"
	"sync/atomic"
	"time"

	"servery/internal/anchor"
	"servery/internal/cache"
	"servery/internal/etag"
)

const (
	// hotOverhead is what a remembered file is charged besides its bytes and its name:
	// the entry, its share of the map, and the caller's memo.
	hotOverhead = 1536

	// verifiedFor is how long a name is trusted to lead to where it led, beneath the
	// tree, as long as it leads to the same file in the same state. What is at the name
	// is looked at each time. Only that a directory above it was moved out of the tree
	// and replaced by a link to its new place cannot be seen by that, and is found out
	// when the time is over.
	verifiedFor = time.Second
)

// hotFile is a settled file that was opened lately. It is shared.
type hotFile struct {
	root    *anchor.Root // that it was opened beneath; to be compared, never used
	info    anchor.Info
	modTime time.Time // as Opened has it
	tag     etag.Tag
	memo    any    // the caller's
	plain   []byte // the whole file, or nil

	// verified is when it was opened last, in the time of hotFiles. It is all that changes.
	verified atomic.Int64
}

// hotFiles are remembered by their names, the least recently used going first. What is
// known of one generation of the tree holds for no other: the same file may be reached
// there by a link that leaves it.
type hotFiles struct {
	files   *cache.LRU[string, *hotFile] // nil where nothing is remembered
	start   time.Time                    // of its time, which no setting of the clock changes
	refused *atomic.Uint32               // newcomers for which there was no room
}

func newHotFiles(limit int64, now time.Time) hotFiles {
	if limit <= 0 || !anchor.CanLook {
		return hotFiles{}
	}
	return hotFiles{cache.New[string, *hotFile](limit), now, new(atomic.Uint32)}
}

// find returns what is remembered of a name if that is still all true, and of use: a
// file that is to be sent has to be opened anyway if its bytes are not there.
func (h hotFiles) find(view View, name string, now time.Time, need Need) *hotFile {
	if h.files == nil {
		return nil
	}
	file, ok := h.files.Get(name)
	if !ok || need != Facts && file.plain == nil {
		return nil
	}
	if age := h.age(file, now); age < 0 || age >= verifiedFor || file.root != view.root {
		return nil // and will be verified again, or replaced
	}
	if !settled(file.info, now) || modTime(file.info, now) != file.modTime {
		return nil // the clock was set, or has reached a date that was in the future
	}
	if info, ok := view.look(name); !ok || info != file.info {
		h.files.Remove(name)
		return nil
	}
	return file
}

// size returns how large the file was that a name led to lately, or zero. It is a hint:
// what is there now may be another file.
func (h hotFiles) size(name string) int64 {
	if h.files == nil {
		return 0
	}
	if file, ok := h.files.Peek(name); ok {
		return file.info.Size
	}
	return 0
}

// Remember keeps what is known of a file, whose tag this is, for those who ask for
// it next, with what the caller makes of it. Nothing is kept of an identity that is not
// settled, or not the system's own.
func (o *Opened) Remember(tag etag.Tag, memo func() any) {
	h := o.loader.hot
	if h.files == nil || o.hot != nil && (o.hot.plain != nil || o.plain == nil) {
		return // there is nothing to add
	}
	if !o.Settled || o.IsDir() || o.anchored == nil || !o.Info.HasInode {
		return
	}
	old, ok := h.files.Peek(o.Name)
	known := ok && old.root == o.view.root && old.info == o.Info && old.modTime == o.ModTime && old.tag == tag
	switch {
	case known && o.plain == nil && h.age(old, o.Now) < verifiedFor/2:
		return // there is little to add, and large files are opened each time
	case known && (o.plain == nil) == (old.plain == nil) && bytes.Equal(o.plain, old.plain):
		old.verified.Store(int64(o.Now.Sub(h.start)))
		return
	}
	name := strings.Clone(o.Name) // which is part of all that the client sent
	cost := int64(len(o.plain) + len(name) + hotOverhead)
	if !ok && !h.admits(cost) {
		return
	}
	file := &hotFile{root: o.view.root, info: o.Info, modTime: o.ModTime, tag: tag, memo: memo()}
	// Never what was read before: who writes through a shared map changes nothing but the bytes.
	file.plain = bytes.Clone(o.plain)
	file.verified.Store(int64(o.Now.Sub(h.start)))
	h.files.Add(name, file, cost)
}

// admission is how many newcomers ask until one gets the room of others. Where more files
// are asked for in turn than there is room for, each would else be remembered at the price
// of one that is asked for before it comes again, and none be found.
const admission = 16

// admits reports whether a newcomer is remembered.
func (h hotFiles) admits(cost int64) bool {
	return h.files.Room() >= cost || h.refused.Add(1)%admission == 0
}

// age is how long ago the file was opened last.
func (h hotFiles) age(file *hotFile, now time.Time) time.Duration {
	return now.Sub(h.start) - time.Duration(file.verified.Load())
}

// Memo is what the caller of Remember made of the file, or nil if it is not remembered.
func (o *Opened) Memo() any {
	if o.hot == nil {
		return nil
	}
	return o.hot.memo
}

// Hot reports whether the file was remembered.
func (o *Opened) Hot() bool { return o.hot != nil }

// hold makes sure that there is a handle: a file that was found in memory has none
// before its bytes are needed and are not there.
func (o *Opened) hold() error {
	if o.Handle != nil {
		return nil
	}
	handle, err := o.view.Open(o.Name)
	if err != nil {
		return err
	}
	if info, err := handle.Look(); err != nil || info != o.Info {
		handle.Release()
		return ErrChanged
	}
	o.Handle = handle
	return nil
}

// ReadFull is that of the Handle, for a file that may be in memory.
func (o *Opened) ReadFull(p []byte, offset int64) (int, error) {
	if o.plain != nil {
		return copy(p, o.plain[min(offset, int64(len(o.plain))):]), nil
	}
	if err := o.hold(); err != nil {
		return 0, err
	}
	return o.Handle.ReadFull(p, offset)
}
