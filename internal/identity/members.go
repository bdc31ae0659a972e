package identity

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"

	"servery/internal/anchor"
)

// Member is a file or a directory that a directory holds.
type Member struct {
	Name string
	// Info has but the type in its Mode unless Looked is set. It is that of a link's target.
	Info   anchor.Info
	Looked bool
}

// errUnlistable is that of a directory whose file system does not tell what is in it.
var errUnlistable = &fs.PathError{Op: "readdir", Path: ".", Err: fs.ErrNotExist}

// membersAtOnce is how many entries are read before anybody else has a turn. The system
// returns about as many at a time.
const membersAtOnce = 256

// Members calls use with what the directory holds, a batch at a time, whose slice is used
// again: regular files and directories, and links that lead to one beneath the tree. It
// reads up to most entries, whatever they are, and reports whether there are more. That
// it could not be found out what an entry is, for want of descriptors for instance, is
// an error: without it the directory would seem to hold less than it does. An error of use
// ends it, too.
func (o *Opened) Members(ctx context.Context, most int, use func([]Member) error) (more bool, err error) {
	read := o.entries()
	if read == nil {
		return false, errUnlistable
	}
	batch := make([]Member, 0, membersAtOnce)
	for {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		entries, err := read(min(membersAtOnce, most+1))
		batch = batch[:0]
		for _, entry := range entries[:min(len(entries), most)] {
			switch m, err := o.member(entry); {
			case err == nil:
				batch = append(batch, m)
			case !isLeftOut(err):
				return false, err
			}
		}
		if err := use(batch); err != nil {
			return false, err
		}
		if most -= len(entries); most < 0 {
			return true, nil
		}
		switch {
		case errors.Is(err, io.EOF), err == nil && len(entries) == 0:
			return false, nil
		case err != nil:
			return false, unreadable{err}
		}
	}
}

// entries returns what reads the directory on, or nil if nothing does.
func (o *Opened) entries() func(n int) ([]fs.DirEntry, error) {
	if o.anchored != nil {
		return o.anchored.ReadDir
	}
	if file, ok := o.foreign.(fs.ReadDirFile); ok {
		return file.ReadDir
	}
	return nil
}

// isLeftOut reports whether the error is that of an entry which nobody can ask for: it
// is gone or no file, leads out or in a circle, or may not be opened.
func isLeftOut(err error) bool { return IsMissing(err) || errors.Is(err, fs.ErrPermission) }

// member tells what an entry is. Of what is not to be asked for, isLeftOut says so.
func (o *Opened) member(entry fs.DirEntry) (Member, error) {
	if entry == nil || !isElement(entry.Name()) { // somebody else's file system may say anything
		return Member{}, fs.ErrInvalid
	}
	if o.anchored == nil && !fs.ValidPath(entry.Name()) { // it would not be opened
		return Member{}, fs.ErrInvalid
	}
	m := Member{Name: entry.Name()}
	m.Info.Mode = entry.Type()
	switch {
	case m.Info.Mode&fs.ModeSymlink != 0:
		return o.target(m)
	case !Servable(m.Info.Mode):
		return m, ErrIrregular
	case o.anchored != nil:
		return m, nil // which costs a system call to look at, and may not have to be
	}
	fi, err := entry.Info()
	switch {
	case err != nil:
		return m, err
	case fi == nil:
		return m, fs.ErrInvalid
	}
	m.Info, m.Looked = anchor.InfoOf(fi), true
	if m.Info.Mode&fs.ModeSymlink != 0 {
		return o.target(m)
	}
	return m, servable(m)
}

func servable(m Member) error {
	if !Servable(m.Info.Mode) {
		return ErrIrregular
	}
	return nil
}

func isElement(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.Contains(name, "/")
}

// target looks at what a link leads to by opening it, as whoever asks for it would.
func (o *Opened) target(m Member) (Member, error) {
	handle, err := o.view.Open(path.Join(o.Name, m.Name))
	if err != nil {
		return m, err
	}
	defer handle.Release()
	if m.Info, err = handle.Look(); err != nil {
		return m, err
	}
	m.Looked = true
	return m, servable(m)
}

// LookAt fills in what a member is, and reports false if that is gone or something else by
// now, or may not be looked at. An error is that it could not be found out.
func (o *Opened) LookAt(m *Member) (bool, error) {
	if m.Looked {
		return true, nil
	}
	if o.view.root == nil { // somebody else's entries are looked at as they are read
		return false, nil
	}
	info, err := o.view.root.LookIn(o.anchored, m.Name)
	switch {
	case err != nil && isLeftOut(err):
		return false, nil
	case err != nil:
		return false, err
	case info.Mode.Type() != m.Info.Mode.Type():
		return false, nil
	}
	m.Info, m.Looked = info, true
	return true, nil
}

// MemberNamed is a member that was not looked at yet.
func MemberNamed(name string, directory bool) Member {
	m := Member{Name: name}
	if directory {
		m.Info.Mode = fs.ModeDir
	}
	return m
}
