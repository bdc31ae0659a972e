package anchor

import (
	"io/fs"
	"time"

	"golang.org/x/sys/unix"
)

// infoOfStat is InfoOf without the FileInfo, which would be allocated.
func infoOfStat(st *unix.Stat_t) Info {
	info := Info{
		Mode:       fileMode(st.Mode),
		Size:       st.Size,
		ChangeTime: unixNano(time.Unix(int64(st.Ctim.Sec), int64(st.Ctim.Nsec))),
		Device:     uint64(st.Dev),
		Inode:      uint64(st.Ino),
		Links:      uint64(st.Nlink),
		HasInode:   true,
	}
	info.setModTime(time.Unix(int64(st.Mtim.Sec), int64(st.Mtim.Nsec)))
	return info
}

// fileMode translates a mode as package os does.
func fileMode(mode uint32) fs.FileMode {
	m := fs.FileMode(mode&0o777) | fileType(mode)
	if mode&unix.S_ISUID != 0 {
		m |= fs.ModeSetuid
	}
	if mode&unix.S_ISGID != 0 {
		m |= fs.ModeSetgid
	}
	if mode&unix.S_ISVTX != 0 {
		m |= fs.ModeSticky
	}
	return m
}

func fileType(mode uint32) fs.FileMode {
	switch mode & unix.S_IFMT {
	case unix.S_IFDIR:
		return fs.ModeDir
	case unix.S_IFLNK:
		return fs.ModeSymlink
	case unix.S_IFIFO:
		return fs.ModeNamedPipe
	case unix.S_IFSOCK:
		return fs.ModeSocket
	case unix.S_IFBLK:
		return fs.ModeDevice
	case unix.S_IFCHR:
		return fs.ModeDevice | fs.ModeCharDevice
	}
	return 0
}
