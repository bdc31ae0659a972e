package offload

// queue is a ring of waiters. One that leaves from the middle costs no more than the first: there may be thousands.
type queue struct {
	ring waiter // the sentinel: ring.next has waited longest, ring.prev came last
}

// waiter is a call that waits for a slot and at the same time its place in the queue.
type waiter struct {
	prev, next *waiter       // nil outside the queue
	turn       chan struct{} // closed when the waiter is handed a slot, after it left the queue
}

func newWaiter() *waiter { return &waiter{turn: make(chan struct{})} }

func (q *queue) init() { q.ring.prev, q.ring.next = &q.ring, &q.ring }

func (q *queue) push(w *waiter) {
	w.prev, w.next = q.ring.prev, &q.ring
	w.prev.next, w.next.prev = w, w
}

// pop takes out the one who has waited longest. It returns nil if nobody waits.
func (q *queue) pop() *waiter {
	w := q.ring.next
	if w == &q.ring {
		return nil
	}
	w.unlink()
	return w
}

// queued tells a waiter that still waits from one that was handed a slot.
func (w *waiter) queued() bool { return w.next != nil }

func (w *waiter) unlink() {
	w.prev.next, w.next.prev = w.next, w.prev
	w.prev, w.next = nil, nil
}
