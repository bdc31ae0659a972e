package identity

import (
	"time"

	"servery/internal/anchor"
)

// A file's times move in steps: two writes within one step leave the same times
// behind. An identity is settled once a further write could no longer hide in
// the step of the last one. The grains are two steps, since the clock that stamps
// files may lag one step behind the one that is read here.
const (
	fineGrain   = 20 * time.Millisecond // two ticks of a kernel with 100 Hz, the slowest in use
	coarseGrain = 2 * time.Second       // a file system that keeps whole seconds (FAT: two)
)

// settled reports whether info, read after now, can be trusted to change with
// the next write. Where there is a change time it decides: nobody can set it
// back. The epoch is none: file systems that know inodes and no change times say
// that. Elsewhere the modification time must do, and a file without one, or with
// one in the future, is taken for unchanging: nothing better is known of it.
func settled(info anchor.Info, now time.Time) bool {
	stamp := info.ChangeTime
	hasChangeTime := info.HasInode && stamp > 0
	if !hasChangeTime {
		if !info.HasModTime {
			return true
		}
		stamp = info.ModTime
	}
	grain := fineGrain
	if stamp%int64(time.Second) == 0 {
		grain = coarseGrain
	}
	age := now.UnixNano() - stamp
	if !hasChangeTime && age < -int64(grain) {
		return true
	}
	return age >= int64(grain)
}

// modTime returns the file's date to the second, or the zero time where it means
// nothing: archives and reproducible builds write zero or one, and a date in the
// future is nobody's (RFC 9110, section 8.8.2.1).
func modTime(info anchor.Info, now time.Time) time.Time {
	if !info.HasModTime || info.ModTime <= int64(time.Second) || info.ModTime > now.UnixNano() {
		return time.Time{}
	}
	return time.Unix(info.ModTime/int64(time.Second), 0).UTC()
}
