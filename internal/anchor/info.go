package anchor

import (
	"io/fs"
	"math"
	"time"
)

// Info is what the system says of an opened file. It is a plain value: two of them are compared with ==, and are
// equal if nothing tells the file's states apart.
type Info struct {
	// Mode is the type and the permissions. It is what tells a regular file from everything else.
	Mode fs.FileMode
	// Size is the length in bytes of a regular file; it means nothing for other types.
	Size int64
	// ModTime is the time of the last change of the content in nanoseconds of Unix time. Times that do not fit (before
	// 1677, after 2262) are the nearest that does. It is 0 where HasModTime is false.
	ModTime int64
	// HasModTime is false if the file has no such time: its fs.FileInfo gave the zero [time.Time], as embed does.
	HasModTime bool
	// ChangeTime is the time of the last change of content or metadata, which no program can set, like ModTime. It is
	// 0 where HasInode is false, and where the file system keeps none.
	ChangeTime int64
	// Device and Inode identify the file as long as it is open. They are 0 where HasInode is false.
	Device, Inode uint64
	// Links is how many names the file has. It is 0 where HasInode is false.
	Links uint64
	// HasInode is false on Windows, and for files that no Unix system opened.
	HasInode bool
}

// InfoOf returns what fi says, including what a file of a Unix system says by [fs.FileInfo.Sys].
func InfoOf(fi fs.FileInfo) Info {
	info := Info{Mode: fi.Mode(), Size: fi.Size()}
	info.setModTime(fi.ModTime())
	info.setInode(fi.Sys())
	return info
}

// SameContent reports whether later, a later look at the same open file, speaks of the content that i speaks of. The
// change time must be the same, too, unless the file has lost a name meanwhile, which changes it as well: a file that
// is replaced by a rename while it is read is still the file that was opened.
func (i Info) SameContent(later Info) bool {
	if later.Links < i.Links {
		later.Links, later.ChangeTime = i.Links, i.ChangeTime
	}
	return i == later
}

func (i *Info) setModTime(t time.Time) {
	if t.IsZero() {
		return
	}
	i.ModTime, i.HasModTime = unixNano(t), true
}

// unixNano is t.UnixNano, but keeps to the nearest end where that would overflow: a date in 2300 must not come out
// as one in 1715.
func unixNano(t time.Time) int64 {
	const reach = math.MaxInt64 / int64(time.Second)
	switch sec := t.Unix(); {
	case sec >= reach:
		return math.MaxInt64
	case sec <= -reach:
		return math.MinInt64
	}
	return t.UnixNano()
}
