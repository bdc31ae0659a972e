package anchor

import "golang.org/x/sys/unix"

// lookIn asks by the directory's descriptor: wherever it has been moved, its entries are in it.
func (r *Root) lookIn(directory *File, element string) (Info, error) {
	conn, err := directory.SyscallConn()
	if err != nil {
		return Info{}, err
	}
	var st unix.Stat_t
	var looked error
	err = conn.Control(func(fd uintptr) {
		_, looked = uninterrupted(func() (struct{}, error) {
			return struct{}{}, unix.Fstatat(int(fd), element, &st, unix.AT_SYMLINK_NOFOLLOW)
		})
	})
	if err == nil {
		err = looked
	}
	return infoOfStat(&st), err
}
