package offload

import (
	"fmt"
	"sync/atomic"
)

// Room bounds what may be there at a time and has nothing to wait for, such as memory that is held for a client of
// any speed. It may be used by any number of goroutines.
type Room struct {
	most    int64 // never changes
	used    atomic.Int64
	refused atomic.Uint64
}

// NewRoom returns room for that many. A negative number is a mistake and panics.
func NewRoom(most int) *Room {
	if most < 0 {
		panic(fmt.Sprintf("servery: room for %d", most))
	}
	return &Room{most: int64(most)}
}

// Enter takes a place, which is to be given back by Leave, or reports that there is none.
func (r *Room) Enter() bool {
	for {
		used := r.used.Load()
		if used >= r.most {
			r.refused.Add(1)
			return false
		}
		if r.used.CompareAndSwap(used, used+1) {
			return true
		}
	}
}

// Leave gives a place back.
func (r *Room) Leave() { r.used.Add(-1) }

// Used is how many places are taken.
func (r *Room) Used() int { return int(r.used.Load()) }

// Refused is how often Enter turned somebody away.
func (r *Room) Refused() uint64 { return r.refused.Load() }
