// Package cache keeps values within a limit of their summed cost. The least recently used go first.
package cache

import "sync"

// LRU is a cache of values whose costs never sum up to more than its limit. [New] makes one. It may be shared by any
// number of goroutines and must not be copied.
//
// The unit of a cost is the caller's. Charge every entry something, also an empty value: only costs bound the number
// of entries. A key must equal itself: one with a NaN in it could not be found again.
type LRU[K comparable, V any] struct {
	limit int64 // never changes

	mu sync.Mutex

	// The fields below and all nodes are protected by mu. It is held for a few map and pointer operations, and never
	// while code of the caller runs: values that leave are left to the garbage collector, nobody is told.

	nodes map[K]*node[K, V]
	ring  node[K, V] // the sentinel: ring.next is the most recently used, ring.prev the least
	stats Stats      // Entries is len(nodes) and filled in by Stats
}

// node is an entry and at the same time its place in the ring, which saves an allocation and the boxing of a list
// element's value. Nodes never leave the package.
type node[K comparable, V any] struct {
	prev, next *node[K, V] // nil outside the ring
	key        K
	value      V
	cost       int64
}

// Stats describes a cache. The counts run since it was made.
type Stats struct {
	Hits      uint64 // Gets that found their key
	Misses    uint64 // Gets that did not
	Evictions uint64 // entries that made room for others; not those removed, purged or replaced
	Entries   int    // entries held now
	Cost      int64  // the sum of their costs, never more than the limit
}

// New returns an empty cache with a limit for the sum of all costs. A limit of 0 retains nothing, a negative one is a
// mistake and panics.
func New[K comparable, V any](limit int64) *LRU[K, V] {
	if limit < 0 {
		panic("servery: negative limit of a cache")
	}
	c := &LRU[K, V]{limit: limit}
	c.clearLocked() // nobody else knows c yet
	return c
}

// Get returns the value of key and makes it the most recently used. It does not allocate.
func (c *LRU[K, V]) Get(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock() // deferred here and below: an unhashable key panics in the map

	n := c.nodes[key]
	if n == nil {
		c.stats.Misses++
		var none V
		return none, false
	}
	c.stats.Hits++
	n.unlink()
	n.linkAfter(&c.ring)
	return n.value, true
}

// Peek returns the value of key, and neither counts nor makes it more recently used.
func (c *LRU[K, V]) Peek(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n, ok := c.nodes[key]; ok {
		return n.value, true
	}
	return value, false
}

// Add makes value the one of key and the most recently used, in place of an earlier value, and evicts the least
// recently used others until it fits. It reports whether value is retained.
//
// A cost above the limit is refused before anything is evicted for it. The earlier value of key goes even then: the
// caller has just said that it is outdated. A negative cost is a mistake and panics.
func (c *LRU[K, V]) Add(key K, value V, cost int64) bool {
	if cost < 0 {
		panic("servery: negative cost of a cache entry")
	}
	c.mu.Lock()
	defer c.mu.Unlock()

	c.dropLocked(c.nodes[key])
	// A limit of 0 would have room for any number of entries without cost, and is meant as "off".
	if cost > c.limit || c.limit == 0 {
		return false
	}
	// Room is made first, so that the limit holds at every instant. Both sides lie between 0 and the limit: the
	// subtraction cannot overflow as a sum could.
	for c.stats.Cost > c.limit-cost {
		c.dropLocked(c.ring.prev)
		c.stats.Evictions++
	}
	n := &node[K, V]{key: key, value: value, cost: cost}
	c.nodes[key] = n
	n.linkAfter(&c.ring)
	c.stats.Cost += cost
	return true
}

// Limit is what the costs never sum up to more than.
func (c *LRU[K, V]) Limit() int64 { return c.limit }

// Room is how much can be added at this moment without an eviction.
func (c *LRU[K, V]) Room() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.limit - c.stats.Cost
}

// Remove forgets key.
func (c *LRU[K, V]) Remove(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dropLocked(c.nodes[key])
}

// Purge forgets every entry. The counts of hits, misses and evictions go on.
func (c *LRU[K, V]) Purge() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clearLocked()
}

// Stats returns the counts of this moment.
func (c *LRU[K, V]) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	s.Entries = len(c.nodes)
	return s
}

// clearLocked starts over with a new map, because a map that is only emptied keeps the room it once needed.
func (c *LRU[K, V]) clearLocked() {
	c.nodes = make(map[K]*node[K, V])
	c.ring.prev, c.ring.next = &c.ring, &c.ring
	c.stats.Cost = 0
}

// dropLocked takes n out of map, ring and cost. A nil n, the answer of the map for an unknown key, is no entry.
func (c *LRU[K, V]) dropLocked(n *node[K, V]) {
	if n == nil {
		return
	}
	delete(c.nodes, n.key)
	n.unlink()
	c.stats.Cost -= n.cost
}

// unlink also forgets the neighbours, so that a node used after it left fails at once instead of spoiling the ring.
func (n *node[K, V]) unlink() {
	n.prev.next, n.next.prev = n.next, n.prev
	n.prev, n.next = nil, nil
}

func (n *node[K, V]) linkAfter(at *node[K, V]) {
	n.prev, n.next = at, at.next
	at.next.prev = n
	at.next = n
}
