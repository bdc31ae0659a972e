//go:build unix && !darwin && !freebsd && !netbsd

package anchor

import (
	"syscall"
	"time"
)

// setInode takes what the portable part of a FileInfo leaves out, if sys comes from this system.
func (i *Info) setInode(sys any) {
	st, ok := sys.(*syscall.Stat_t)
	if !ok || st == nil {
		return
	}
	i.Device, i.Inode, i.Links, i.HasInode = uint64(st.Dev), uint64(st.Ino), uint64(st.Nlink), true
	i.ChangeTime = unixNano(time.Unix(int64(st.Ctim.Sec), int64(st.Ctim.Nsec)))
}
