package precompress

import (
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"

	"servery/internal/sidecar"
	"servery/internal/urlpath"
)

// file is what the walk finds of a file.
type file struct {
	name    string
	info    fs.FileInfo // of what a link leads to
	present []bool      // as the encoders: whether anything has the sidecar's name
}

// directory sends the files of a directory and of those beneath it to the workers. It
// holds one directory's names a level, and no descriptor while it waits.
func (r *run) directory(ctx context.Context, name string) {
	entries, err := r.entries(name)
	if err != nil {
		r.fail(name, err)
	}
	for _, entry := range entries {
		if ctx.Err() != nil {
			return
		}
		below := path.Join(name, entry.Name())
		switch _, ok := urlpath.Parse("/"+below, ""); {
		case !ok || !r.ShowHidden && urlpath.Hidden(below):
			r.tell(Event{Name: below, Outcome: Hidden})
		case strings.HasPrefix(entry.Name(), temporary): // another run's
			r.tell(Event{Name: below, Outcome: Hidden})
		case entry.IsDir():
			r.directory(ctx, below)
		case isSidecar(entry.Name()):
			r.tell(Event{Name: below, Outcome: SidecarAlready})
		default:
			r.send(ctx, below, entries)
		}
	}
}

func (r *run) entries(name string) ([]fs.DirEntry, error) {
	d, err := r.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	entries, err := d.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return compareName(a, b.Name()) })
	return entries, err
}

func compareName(entry fs.DirEntry, name string) int { return strings.Compare(entry.Name(), name) }

func (r *run) send(ctx context.Context, name string, entries []fs.DirEntry) {
	// Asked before anything is opened: opening a FIFO would wait for its writer.
	info, err := r.root.Stat(name)
	if err != nil || !info.Mode().IsRegular() { // or gone by now, or a link that leads out or to nothing
		r.tell(Event{Name: name, Outcome: Irregular})
		return
	}
	f := file{name: name, info: info, present: make([]bool, len(r.Encoders))}
	for i, e := range r.Encoders {
		_, f.present[i] = slices.BinarySearchFunc(entries, path.Base(name)+sidecar.Extension(e.Coding), compareName)
	}
	select {
	case r.files <- f:
	case <-ctx.Done():
	}
}
