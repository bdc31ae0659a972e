package identity

import (
	"testing"
	"time"

	"servery/internal/anchor"
)

var noon = time.Date(2026, time.January, 2, 12, 0, 0, 500_000_007, time.UTC)

func ago(d time.Duration) int64 { return noon.Add(-d).UnixNano() }

func TestSettled(t *testing.T) {
	second := noon.Truncate(time.Second).UnixNano()
	for _, tt := range []struct {
		info   anchor.Info
		want   bool
		reason string
	}{
		{anchor.Info{HasInode: true, ChangeTime: ago(time.Hour)}, true, "changed long ago"},
		{anchor.Info{HasInode: true, ChangeTime: ago(fineGrain)}, true, "just out of the grain"},
		{anchor.Info{HasInode: true, ChangeTime: ago(fineGrain - 1)}, false, "just within it"},
		{anchor.Info{HasInode: true, ChangeTime: ago(0)}, false, "now"},
		{anchor.Info{HasInode: true, ChangeTime: ago(-time.Hour)}, false, "a clock that went back may reach that time again"},
		{anchor.Info{HasInode: true, ChangeTime: ago(time.Hour), HasModTime: true, ModTime: ago(0)}, true, "a date that was set does not unsettle"},
		{anchor.Info{HasInode: true, ChangeTime: ago(0), HasModTime: true, ModTime: ago(time.Hour)}, false, "a date that was put back hides nothing"},
		{anchor.Info{HasInode: true, ChangeTime: second - int64(time.Second)}, false, "a file system that keeps seconds has the coarse grain"},
		{anchor.Info{HasInode: true, ChangeTime: second - 2*int64(time.Second)}, true, "out of the coarse grain"},
		{anchor.Info{HasInode: true, HasModTime: true, ModTime: ago(time.Hour)}, true, "an inode without a change time: the date must do"},
		{anchor.Info{HasInode: true, HasModTime: true, ModTime: ago(time.Millisecond)}, false, "and it is young"},
		{anchor.Info{HasInode: true, HasModTime: true, ModTime: ago(-time.Hour)}, true, "and it is in the future, and says nothing"},
		{anchor.Info{HasInode: true, ChangeTime: -5, HasModTime: true, ModTime: ago(0)}, false, "before the epoch nothing was changed"},
		{anchor.Info{HasInode: true, ChangeTime: 1, HasModTime: true, ModTime: ago(0)}, true, "just after it: a change time like any other"},
		{anchor.Info{HasInode: true}, true, "an inode without any time"},
		{anchor.Info{HasModTime: true, ModTime: ago(time.Hour)}, true, "no change time: the date must do"},
		{anchor.Info{HasModTime: true, ModTime: ago(time.Millisecond)}, false, "no change time, and the date is young"},
		{anchor.Info{HasModTime: true, ModTime: ago(-time.Millisecond)}, false, "young by a clock that is slightly ahead"},
		{anchor.Info{HasModTime: true, ModTime: ago(-time.Hour)}, true, "a date in the future says nothing"},
		{anchor.Info{}, true, "embedded: it cannot change"},
	} {
		if got := settled(tt.info, noon); got != tt.want {
			t.Errorf("settled(%+v) = %v, want %v: %s", tt.info, got, tt.want, tt.reason)
		}
	}
}

func TestModTime(t *testing.T) {
	for _, tt := range []struct {
		info   anchor.Info
		want   time.Time
		reason string
	}{
		{anchor.Info{HasModTime: true, ModTime: ago(0)}, noon.Truncate(time.Second), "to the second"},
		{anchor.Info{HasModTime: true, ModTime: ago(-1)}, time.Time{}, "in the future"},
		{anchor.Info{HasModTime: true, ModTime: int64(time.Second)}, time.Time{}, "the epoch and one second"},
		{anchor.Info{HasModTime: true, ModTime: int64(time.Second) + 1}, time.Unix(1, 0).UTC(), "just after it"},
		{anchor.Info{HasModTime: true, ModTime: 0}, time.Time{}, "the epoch"},
		{anchor.Info{HasModTime: true, ModTime: -5}, time.Time{}, "before the epoch"},
		{anchor.Info{}, time.Time{}, "none"},
	} {
		if got := modTime(tt.info, noon); !got.Equal(tt.want) {
			t.Errorf("modTime(%+v) = %v, want %v: %s", tt.info, got, tt.want, tt.reason)
		}
	}
}
