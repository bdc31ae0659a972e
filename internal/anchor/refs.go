package anchor

import "sync/atomic"

// refs counts the references to something that the last of them closes. Once it has fallen to zero it never rises
// again: what is closed cannot be taken up by someone who still has a pointer to it.
type refs struct {
	n atomic.Int64
}

// init sets the count to the one reference of the maker.
func (r *refs) init() {
	r.n.Store(1)
}

// take adds a reference, unless there is none left.
func (r *refs) take() bool {
	for {
		n := r.n.Load()
		if n == 0 {
			return false
		}
		if r.n.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// drop gives a reference back and reports whether it was the last one.
func (r *refs) drop() bool {
	n := r.n.Add(-1)
	if n < 0 {
		panic("servery: anchor: released more often than acquired")
	}
	return n == 0
}
