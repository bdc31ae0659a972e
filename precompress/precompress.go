// Package precompress writes sidecars: name.zst and name.gz beside the files of a tree
// that are worth it, for a [servery.FileServer] whose Sidecars option names those
// codings. It is for the build; a server only reads them.
//
//	//go:generate go run servery/cmd/precompress public
//
// What FileServer would refuse is not made: a sidecar has the modification time and
// the permission bits of its original and a window of at most 8 MiB (RFC 9659). The same
// input gives the same bytes on each run.
//
// A sidecar that is there already is replaced or removed only if this package made it.
// It knows by a mark: a comment in the header of gzip (RFC 1952, section 2.3), a
// skippable frame at the end of zstd (RFC 8878, section 3.1.2), which decoders pass
// over. A file that has none, or does not decode to its end, is foreign and stays. Other
// codings have no room for one: there only what equals, byte for byte, what would be
// written counts as made here, and Options.Replace speaks for the rest.
//
// What somebody else puts at a sidecar's name during a run stays as well, and counts as
// Failed unless it is right. It can be lost only in the moment between the last look and
// the change: where a sidecar of this package, or one that Options.Replace speaks for,
// is replaced or removed, and on file systems without hard links.
//
// Sidecars whose original is gone stay as well: some remove originals on purpose.
package precompress

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"servery"
	"servery/internal/codec"
	"servery/internal/mediatype"
	"servery/internal/sidecar"
)

const defaultMinSize = 1 << 10

// Options are the options of [Run]. The zero value and nil mean the defaults. Those
// that FileServer has as well should be the same there.
type Options struct {
	// Encoders make the codings, each of "zstd", "br" and "gzip" at most once. Of
	// different settings (Level, Generation) what was made before is made again. nil
	// means those of [Encoders].
	Encoders []servery.Encoder

	// MediaTypes, Compressible, MinSize and ShowHidden are those of
	// [servery.FileServerOptions], with the same defaults.
	MediaTypes   map[string]string
	Compressible func(mediaType string) bool
	MinSize      int64
	ShowHidden   bool

	// Replace reports whether the foreign sidecar with this name, slash-separated and
	// relative to the directory, may be replaced or removed as if it was made here. It is
	// called concurrently. nil means none.
	Replace func(name string) bool

	// DryRun does all but write, and counts what would be written. It compresses.
	DryRun bool

	// Sync waits until what was written is on the disk, before it takes its name.
	Sync bool

	// Workers is how many files are worked on at once. Each worker takes about
	// 50 MB with the default encoders, whatever the size of the files. 0 means GOMAXPROCS.
	Workers int

	// Progress is told of each sidecar and of each file that has none, by one goroutine
	// at a time, which waits for it. nil means nobody.
	Progress func(Event)
}

// Validate reports the first option that makes no sense. A nil receiver is valid.
func (o *Options) Validate() error {
	if o == nil {
		return nil
	}
	if o.Workers < 0 {
		return fmt.Errorf("precompress: Workers: %d is negative", o.Workers)
	}
	if _, err := mediatype.New(o.MediaTypes); err != nil {
		return fmt.Errorf("precompress: MediaTypes: %w", err)
	}
	var list []codec.Encoder
	for _, e := range o.Encoders {
		if sidecar.Extension(e.Coding) == "" {
			return fmt.Errorf("precompress: Encoders: %q is none of the codings zstd, br and gzip", e.Coding)
		}
		c := codec.Encoder{Coding: e.Coding, Suffix: e.Suffix, Level: e.Level, Generation: e.Generation}
		if e.New != nil {
			c.New = func() (codec.Writer, error) { return e.New() }
		}
		list = append(list, c)
	}
	if _, err := codec.NewSet(list, 0); err != nil {
		return fmt.Errorf("precompress: Encoders: %w", err)
	}
	return nil
}

// withDefaults returns a copy that owns all that it points to.
func (o *Options) withDefaults() Options {
	var c Options
	if o != nil {
		c = *o
	}
	if c.Encoders = slices.Clone(c.Encoders); c.Encoders == nil {
		c.Encoders = Encoders()
	}
	if c.Compressible == nil {
		c.Compressible = servery.DefaultCompressible
	}
	if c.MinSize == 0 {
		c.MinSize = defaultMinSize
	}
	if c.Workers == 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	return c
}

// Run writes, renews and removes the sidecars of the files in the directory dir and
// beneath it. Names that FileServer does not serve are passed over; links are followed
// to files beneath dir, and nowhere else.
//
// What a single file is the matter with is told to Options.Progress, counted as
// Failed, and does not end the run; the first such error is then part of what Run
// returns. If ctx ends first, Run returns the cause. On each way out no temporary file
// is left behind. Two runs with the same options on one tree at once do twice the work
// and no harm: what one has written is Fresh to the other.
func Run(ctx context.Context, dir string, opts *Options) (Stats, error) {
	if err := opts.Validate(); err != nil {
		return Stats{}, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Stats{}, fmt.Errorf("precompress: %q: %w", dir, bare(err))
	}
	defer root.Close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := &run{Options: opts.withDefaults(), root: root, cancel: cancel, files: make(chan file)}
	r.types, _ = mediatype.New(r.MediaTypes) // validated above
	return r.all(ctx)
}

// run is one call of Run. What is not below mu never changes.
type run struct {
	Options
	root   *os.Root
	types  *mediatype.Table
	cancel context.CancelCauseFunc
	files  chan file // closed by the walk

	telling sync.Mutex // held while Progress runs, and never together with mu

	mu       sync.Mutex
	stats    Stats
	first    error // of the files that failed
	panicked any   // what a function of the caller's panicked with
}

func (r *run) all(ctx context.Context) (Stats, error) {
	var working sync.WaitGroup
	for range r.Workers {
		working.Go(func() {
			w := &worker{run: r, writers: make([]servery.EncoderWriter, len(r.Encoders)), buffer: make([]byte, chunk)}
			defer w.close()
			whole := false
			defer r.recover(&whole)
			for f := range r.files {
				w.file(ctx, f)
			}
			whole = true
		})
	}
	r.walk(ctx, &working)
	switch {
	case r.panicked != nil:
		panic(r.panicked)
	case ctx.Err() != nil:
		return r.stats, context.Cause(ctx)
	case r.first != nil:
		return r.stats, fmt.Errorf("precompress: %d failed, among them: %w", r.stats.Failed, r.first)
	}
	return r.stats, nil
}

// walk sends all files to the workers and waits for them, also where Progress panics
// meanwhile, or ends the goroutine: they do no more then than they have begun.
func (r *run) walk(ctx context.Context, working *sync.WaitGroup) {
	whole := false
	defer func() {
		if !whole {
			r.cancel(errLeft)
		}
		close(r.files)
		working.Wait()
	}()
	r.directory(ctx, ".")
	whole = true
}

var errLeft = errors.New("precompress: an option that is a function has not returned")

// recover lets the others put their things away before a panic goes on in Run, and ends the work where the goroutine was
// ended before it was whole.
func (r *run) recover(whole *bool) {
	p := recover()
	if *whole {
		return
	}
	r.cancel(errLeft)
	r.mu.Lock()
	if p != nil {
		r.panicked = p
	}
	r.mu.Unlock()
	for range r.files { // the walk may be about to send one
	}
}

// isSidecar reports whether a name is that of a sidecar, in any coding.
func isSidecar(name string) bool {
	return slices.ContainsFunc([]string{".gz", ".zst", ".br"}, func(extension string) bool {
		return len(name) > len(extension) && strings.HasSuffix(strings.ToLower(name), extension)
	})
}
