package servery_test

import (
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"servery/internal/testkit"
)

// bending is a file system one of whose calls goes wrong, alone or with all that come
// after it and are the same call for the same file.
type bending struct {
	held fstest.MapFS
	kind string // what files can do besides Read: "", "seek", "read at offsets"

	mu    sync.Mutex // protects the fields below
	bend  *bend      // nil for none
	open  int        // files
	calls []string   // all there were, as "Read file.txt"
	hits  []string   // those that went wrong
}

// bend is what goes wrong, and when. At most one of the three functions is set.
type bend struct {
	name string
	at   int  // the call that goes wrong
	more bool // and those after it

	fails func() error // or panics
	read  func(p []byte, read func([]byte) (int, error)) (int, error)
	stat  func(fs.FileInfo) (fs.FileInfo, error)
}

// next counts a call and returns what goes wrong with it, or the zero bend.
func (b *bending) next(call, name string) bend {
	b.mu.Lock()
	defer b.mu.Unlock()
	what := call + " " + name
	b.calls = append(b.calls, what)
	if b.bend == nil || len(b.calls) < b.bend.at {
		return bend{}
	}
	if len(b.calls) > b.bend.at && (!b.bend.more || len(b.hits) == 0 || b.hits[0] != what) {
		return bend{}
	}
	b.hits = append(b.hits, what)
	return *b.bend
}

func (b *bending) simple(call, name string) error {
	if now := b.next(call, name); now.fails != nil {
		return now.fails()
	}
	return nil
}

func (b *bending) Open(name string) (fs.File, error) {
	if err := b.simple("Open", name); err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	f, err := b.held.Open(name)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	b.open++
	b.mu.Unlock()
	file := bentFile{f, b, name}
	switch b.kind {
	case "seek":
		return bentSeeker{file}, nil
	case "read at offsets":
		return bentReaderAt{file}, nil
	}
	return file, nil
}

type bentFile struct {
	held fs.File
	fs   *bending
	name string
}

func (f bentFile) Stat() (fs.FileInfo, error) {
	now := f.fs.next("Stat", f.name)
	if now.fails != nil {
		if err := now.fails(); err != nil {
			return nil, err
		}
	}
	info, err := f.held.Stat()
	if now.stat != nil {
		return now.stat(info)
	}
	return info, err
}

func (f bentFile) Read(p []byte) (int, error) { return f.reading("Read", p, f.held.Read) }

func (f bentFile) reading(call string, p []byte, read func([]byte) (int, error)) (int, error) {
	now := f.fs.next(call, f.name)
	if now.fails != nil {
		if err := now.fails(); err != nil {
			return 0, err
		}
	}
	if now.read != nil {
		return now.read(p, read)
	}
	return read(p)
}

// Close closes, whatever it says.
func (f bentFile) Close() error {
	f.fs.mu.Lock()
	f.fs.open--
	f.fs.mu.Unlock()
	return f.fs.simple("Close", f.name)
}

type bentSeeker struct{ bentFile }

func (f bentSeeker) Seek(offset int64, whence int) (int64, error) {
	if err := f.fs.simple("Seek", f.name); err != nil {
		return 0, err
	}
	if seeker, ok := f.held.(io.Seeker); ok { // a directory does not
		return seeker.Seek(offset, whence)
	}
	return 0, fs.ErrInvalid
}

type bentReaderAt struct{ bentFile }

func (f bentReaderAt) ReadAt(p []byte, offset int64) (int, error) {
	return f.reading("ReadAt", p, func(p []byte) (int, error) {
		if file, ok := f.held.(io.ReaderAt); ok {
			return file.ReadAt(p, offset)
		}
		return 0, fs.ErrInvalid
	})
}

// bentInfo says something else of one of its facts.
type bentInfo struct {
	fs.FileInfo
	size int64
	mode fs.FileMode
	date time.Time
}

func (i bentInfo) Size() int64        { return i.size }
func (i bentInfo) Mode() fs.FileMode  { return i.mode }
func (i bentInfo) IsDir() bool        { return i.mode.IsDir() }
func (i bentInfo) ModTime() time.Time { return i.date }

func saying(change func(*bentInfo)) func(fs.FileInfo) (fs.FileInfo, error) {
	return func(info fs.FileInfo) (fs.FileInfo, error) {
		said := bentInfo{info, info.Size(), info.Mode(), info.ModTime()}
		change(&said)
		return said, nil
	}
}

// bends are the ways in which one call can go wrong.
func bends() []bend {
	short := func(most int) func([]byte, func([]byte) (int, error)) (int, error) {
		return func(p []byte, read func([]byte) (int, error)) (int, error) {
			if most == 0 {
				return 0, nil
			}
			n, _ := read(p[:min(most, len(p))])
			return n, nil
		}
	}
	beyond := func(more int) func([]byte, func([]byte) (int, error)) (int, error) {
		return func(p []byte, read func([]byte) (int, error)) (int, error) {
			_, err := read(p)
			return more + max(more, 0)*len(p), err
		}
	}
	return []bend{
		{name: "error", fails: func() error { return syscall.EIO }},
		{name: "panic", fails: func() error { panic(errBent) }},
		{name: "one byte", read: short(1)},
		{name: "no byte and no error", read: short(0)},
		{name: "end of file", read: func([]byte, func([]byte) (int, error)) (int, error) { return 0, io.EOF }},
		{name: "one byte too many", read: beyond(1)},
		{name: "less than nothing", read: beyond(-1)},
		{name: "no info", stat: func(fs.FileInfo) (fs.FileInfo, error) { return nil, nil }},
		{name: "longer", stat: saying(func(i *bentInfo) { i.size++ })},
		{name: "much longer", stat: saying(func(i *bentInfo) { i.size += 1 << 40 })},
		{name: "shorter", stat: saying(func(i *bentInfo) { i.size-- })},
		{name: "empty", stat: saying(func(i *bentInfo) { i.size = 0 })},
		{name: "negative", stat: saying(func(i *bentInfo) { i.size = -1 })},
		{name: "a directory", stat: saying(func(i *bentInfo) { i.mode |= fs.ModeDir })},
		{name: "a device", stat: saying(func(i *bentInfo) { i.mode |= fs.ModeDevice })},
		{name: "another date", stat: saying(func(i *bentInfo) { i.date = i.date.Add(time.Hour) })},
		{name: "no date", stat: saying(func(i *bentInfo) { i.date = time.Time{} })},
	}
}

// applies reports whether a way of going wrong is one for a call such as "Read file.txt".
func (b bend) applies(hit string) bool {
	call, _, _ := strings.Cut(hit, " ")
	switch {
	case b.read != nil:
		return slices.Contains([]string{"Read", "ReadAt"}, call)
	case b.stat != nil:
		return call == "Stat"
	}
	return true
}

var errBent = fmt.Errorf("bent")

// bentFiles are of a size for each way that files are served.
func bentFiles(t *testing.T) fstest.MapFS {
	text := realText(t, 20_000)
	files := make(fstest.MapFS)
	for name, content := range map[string]string{
		"small.txt": text[:1500], "untyped": text[:20_000], "medium.txt": text[:20_000],
		"packed.txt": text[:20_000], "packed.txt.gz": gzipped(text[:20_000]), "docs/index.html": text[:1500],
	} {
		files[name] = &fstest.MapFile{Data: []byte(content), ModTime: testkit.Past}
	}
	return files
}
