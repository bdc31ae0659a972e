// Package anchor holds a directory open and opens everything beneath it.
//
// A [Dir] is a path that is followed when a deployment switches it, a [Root] is one generation of the directory
// found there, and a [File] is something that was opened beneath a Root. On Linux opening is one openat2 that the
// kernel confines to the directory; elsewhere, and where openat2 is refused, it is [os.Root]. There is no third way:
// a plain open of a joined path is never made.
//
// What a client must not be able to tell from a missing file (a link that leaves, a path below a file, a name that
// no file can have) is an error that is [fs.ErrNotExist].
package anchor

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"
)

// lookEvery is the least time between two looks at the path of a Dir. A second bounds how long a switched
// deployment goes unnoticed, and makes the one stat vanish among the system calls of the requests meanwhile.
const lookEvery = time.Second

// Dir is a directory held open, and the path at which it was found. It is safe for concurrent use.
//
// It keeps no goroutine: the path is looked at again by whoever acquires, at most once a second.
type Dir struct {
	path  string // absolute; never written after OpenDir
	world world  // never written after OpenDir

	// current owns one reference to the generation in use; nil after Close. It is replaced only by the goroutine
	// that holds looking, and emptied only by Close.
	current atomic.Pointer[Root]

	// nextLook is the time, on the clock of world, before which nobody looks at the path again.
	nextLook atomic.Int64
	// looking is true while one goroutine looks at the path; the others go on with current.
	looking atomic.Bool
}

// world is what a Dir asks of its surroundings. Tests put other answers in its place.
type world struct {
	now    func() time.Duration // monotonic
	stat   func(path string) (fs.FileInfo, error)
	opener *opener // shared by all generations of the Dir
}

func realWorld() world {
	start := time.Now()
	return world{
		now:    func() time.Duration { return time.Since(start) },
		stat:   os.Stat,
		opener: newOpener(),
	}
}

// OpenDir opens the directory at path, which may be a symbolic link to one. A relative path is made absolute at
// once, so that a later change of the working directory does not move the root. The error is a [*fs.PathError],
// also where path is empty or names something else than a directory. The caller must Close the Dir.
func OpenDir(path string) (*Dir, error) {
	return openDir(path, realWorld())
}

func openDir(path string, w world) (*Dir, error) {
	// filepath.Abs takes "" for the working directory, which an unset variable must not put online.
	if path == "" {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	d := &Dir{path: abs, world: w}
	first, err := openRoot(abs, w.opener)
	if err != nil {
		return nil, err
	}
	d.current.Store(first)
	d.nextLook.Store(int64(w.now() + lookEvery))
	return d, nil
}

// Acquire returns the generation of the directory that is at the path now, as far as the last look tells. The caller
// must Release it. One request uses one Root for everything that it opens, so that it never mixes two deployments.
//
// The error is [fs.ErrClosed] after Close, and nothing else. Acquire costs two atomic operations and a reading of
// the clock, but for the one call a second that looks at the path.
func (d *Dir) Acquire() (*Root, error) {
	d.follow()
	for {
		r := d.current.Load()
		if r == nil {
			return nil, &fs.PathError{Op: "open", Path: d.path, Err: fs.ErrClosed}
		}
		// A generation that is released already was replaced before that: the next Load finds another.
		if r.refs.take() {
			return r, nil
		}
	}
}

// Close lets go of the directory. Roots acquired before go on working until they are released. A second Close
// returns [fs.ErrClosed].
func (d *Dir) Close() error {
	r := d.current.Swap(nil)
	if r == nil {
		return fs.ErrClosed
	}
	r.Release()
	return nil
}

// follow looks at the path if it is time to and nobody else does.
func (d *Dir) follow() {
	if !d.due() || !d.looking.CompareAndSwap(false, true) {
		return
	}
	defer d.looking.Store(false)
	// Someone else may have looked between the two conditions.
	if !d.due() {
		return
	}
	d.look()
	d.nextLook.Store(int64(d.world.now() + lookEvery))
}

func (d *Dir) due() bool {
	return int64(d.world.now()) >= d.nextLook.Load()
}

// look replaces the current generation if another directory is at the path. Whatever else is there, or nothing,
// leaves the held directory in use: a deployment in the middle of its switch must not take the site down.
func (d *Dir) look() {
	held := d.current.Load()
	if held == nil {
		return
	}
	found, err := d.world.stat(d.path)
	if err != nil || !found.IsDir() || os.SameFile(found, held.self) {
		return
	}
	next, err := openRoot(d.path, d.world.opener)
	if err != nil {
		return
	}
	// The path may have changed since the stat, so that only what was opened says which directory this is. A failed
	// swap means that the Dir was closed meanwhile.
	if os.SameFile(next.self, held.self) || !d.current.CompareAndSwap(held, next) {
		next.Release()
		return
	}
	held.Release()
}
