//go:build unix

package servery_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// modelText is what a file held at one time.
type modelText struct {
	content  []byte
	tag      string // of the content, as the contract demands it
	modified time.Time
	absent   bool // there was no file
}

// edition is a text in the history of a file. Editions point on and not back, so that those that nobody
// can meet any more are let go of.
type edition struct {
	*modelText
	visible  bool // the middle of the change that led to it can be seen: it was made in place
	next     atomic.Pointer[edition]
	finished atomic.Int64 // when that change was over, in nanoseconds; 0 while it goes on
}

// modelFile is a file with its history.
type modelFile struct {
	name     string
	lag      time.Duration // how long a change may take to be followed, where the root itself is switched
	changing sync.Mutex    // held by who changes the file

	last atomic.Pointer[edition] // the last one whose change is over

	mu      sync.Mutex
	lagging *edition          // not later than any that may still be seen
	bodies  map[string]uint64 // the hash of the one body that a strong tag stands for
	owners  map[string]string // the content's tag of the one text that a tag made of a date stands for
}

func newModelFile(name string, lag time.Duration, first *modelText) *modelFile {
	f := &modelFile{name: name, lag: lag, bodies: make(map[string]uint64), owners: make(map[string]string)}
	f.lagging = &edition{modelText: first}
	f.lagging.finished.Store(1)
	f.last.Store(f.lagging)
	return f
}

// change puts another text into the history, and then where it is served from. The caller holds changing.
func (f *modelFile) change(next *modelText, visible bool, act func() error) error {
	e := &edition{modelText: next, visible: visible}
	f.begin(e)
	err := act()
	f.end(e)
	return err
}

func (f *modelFile) begin(e *edition) { f.last.Load().next.Store(e) }

func (f *modelFile) end(e *edition) {
	e.finished.Store(time.Now().UnixNano())
	f.last.Store(e)
}

// weakGrace is how long after a change the weak tag of what was before may still be taken for current: the
// time until a file counts as settled, with room for a busy machine.
const weakGrace = 500 * time.Millisecond

// opening are the earliest editions that an answer may be of: to most questions, and to those that are
// answered by a weak tag.
type opening struct{ strict, weak *edition }

// open is called before a request is sent.
func (f *modelFile) open() opening {
	f.mu.Lock()
	defer f.mu.Unlock()
	limit := time.Now().Add(-max(f.lag, weakGrace)).UnixNano()
	for next := f.lagging.next.Load(); next != nil && next.finished.Load() != 0 && next.finished.Load() < limit; next = next.next.Load() {
		f.lagging = next
	}
	if f.lag > 0 {
		return opening{f.lagging, f.lagging}
	}
	return opening{f.last.Load(), f.lagging}
}

// followed notes that a text was served. Where the root is switched no later answer is of an earlier one.
func (f *modelFile) followed(t *modelText) {
	if f.lag == 0 || t == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for e := f.lagging; e != nil; e = e.next.Load() {
		if e.modelText == t {
			f.lagging = e
			return
		}
	}
}

// window is what there was between a request and its answer, in order.
type window []*edition

func (e *edition) window() window {
	var w window
	for ; e != nil; e = e.next.Load() {
		w = append(w, e)
	}
	return w
}

// torn reports whether a file was written in place meanwhile.
func (w window) torn() bool {
	for _, e := range w[1:] {
		if e.visible {
			return true
		}
	}
	return false
}

func (w window) holds(t *modelText) bool {
	for _, e := range w {
		if e.modelText == t || !e.absent && !t.absent && bytes.Equal(e.content, t.content) {
			return true
		}
	}
	return false
}

// modelWords makes texts that tell which they are in each of their lines.
type modelWords struct {
	lines  [][]byte
	number atomic.Int64
}

func newModelWords(text string) *modelWords {
	return &modelWords{lines: bytes.SplitAfter([]byte(text), []byte("\n"))}
}

// next returns a text of this size that was never there before.
func (w *modelWords) next(size int) *modelText {
	number := w.number.Add(1)
	mark := fmt.Appendf(nil, "%07d ", number)
	content := make([]byte, 0, size+200)
	for i := 0; len(content) < size; i++ {
		content = append(content, mark...)
		content = append(content, w.lines[i%len(w.lines)]...)
	}
	return newModelText(content[:size:size], modelDate(number))
}

func newModelText(content []byte, modified time.Time) *modelText {
	return &modelText{content: content, tag: contentTag(string(content)), modified: modified}
}

// modelDate is another date for each number, and long ago.
func modelDate(number int64) time.Time { return time.Unix(1_000_000_000+number, 0).UTC() }

// modelSize prefers the sizes around which something changes: of what is coded, and of what is read into memory.
func modelSize(random *rand.Rand) int {
	switch n := random.IntN(100); {
	case n < 5:
		return 0
	case n < 15:
		return 1 + random.IntN(1000)
	case n < 25:
		return 1000 + random.IntN(50)
	case n < 70:
		return 1024 + random.IntN(7<<10)
	case n < 85:
		return 15<<10 + random.IntN(3<<10)
	case n < 97:
		return 20<<10 + random.IntN(60<<10)
	}
	return 80<<10 + random.IntN(220<<10+1)
}
