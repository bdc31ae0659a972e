package soak

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// A file is replaced by its next version while clients ask for it. The version that an
// answer has must be one from current, as it was when the request was made, up to next,
// as it was when the head of the answer came: nothing older than what was there already.
type file struct {
	name string
	size int64

	current atomic.Int64 // is there for sure
	next    atomic.Int64 // may be there
	since   atomic.Int64 // when current came to be, in ns
	tags    sync.Map     // entity-tags (string) to the version (int64) that they came with
}

func (f *file) documents(t text, from, to int64) []document {
	var d []document
	for v := from; v <= to; v++ {
		d = append(d, t.document(f.name, v, f.size))
	}
	return d
}

// isSettled reports whether the version that is there has been for so long that a server
// can be sure of it.
func (f *file) isSettled() bool {
	return time.Since(time.Unix(0, f.since.Load())) > 100*time.Millisecond
}

// tagged notes that a version came with a tag, which no other one may have.
func (f *file) tagged(tag string, version int64) error {
	if before, known := f.tags.LoadOrStore(tag, version); known && before != version {
		return fmt.Errorf("version %d has the tag %s of version %d", version, tag, before)
	}
	return nil
}

// write puts a version of the file in the place of the one before. The name of what is
// not complete begins with a dot, which is never served.
func (f *file) write(dir string, t text, version int64) (err error) {
	path := filepath.Join(dir, f.name)
	partial := filepath.Join(dir, ".partial")
	out, err := os.Create(partial)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriter(out)
	err = t.document(f.name, version, f.size).writeTo(buffered)
	if err := firstOf(err, buffered.Flush(), out.Close()); err != nil {
		return err
	}
	return os.Rename(partial, path)
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// files are all that is asked for.
type files struct {
	dir                      string
	text                     text
	hot, medium, large, cold []*file
	largest                  *file // is never coded
}

func writeFiles(dir string, c Config, t text) (*files, error) {
	r := rand.New(rand.NewPCG(c.Seed, 1))
	fs := &files{dir: dir, text: t}
	add := func(to *[]*file, n int, pattern string, least, most int) error {
		for i := range n {
			f := &file{name: fmt.Sprintf(pattern, i), size: int64(least + r.IntN(most-least+1))}
			*to = append(*to, f)
			if err := f.write(dir, t, 0); err != nil {
				return err
			}
		}
		return nil
	}
	var largest []*file
	err := firstOf(
		add(&fs.hot, 16, "hot%d.txt", 1<<10, 16<<10),
		add(&fs.medium, 8, "medium%d.html", 20<<10, 250<<10),
		add(&fs.large, 2, "large%d.json", len(t)/8, len(t)/8),
		add(&largest, 1, "largest%d.bin", len(t)/2, len(t)/2),
		add(&fs.cold, c.Cold, "cold%d.css", headSize, 20<<10),
	)
	fs.largest = largest[0]
	return fs, err
}

// replace replaces files in turn until the context ends, the large ones now and then. Two
// versions of one file are never as close to each other as the clock's grain, within which
// a date, and a weak tag made of it, cannot tell them apart.
func (fs *files) replace(ctx context.Context) error {
	often := append(append(append([]*file{}, fs.hot...), fs.medium...), fs.cold[:len(fs.cold)/8]...)
	seldom := append(append([]*file{}, fs.large...), fs.largest)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		f := often[n%len(often)]
		if n%250 == 249 {
			f = seldom[n/250%len(seldom)]
		}
		v := f.next.Add(1)
		if err := f.write(fs.dir, fs.text, v); err != nil {
			return err
		}
		f.since.Store(time.Now().UnixNano())
		f.current.Store(v)
		if v%64 == 0 {
			f.tags.Clear() // so that the clients take no more and more memory
		}
	}
}
