package cache

import (
	"math"
	"slices"
	"testing"
)

// entry is what the model, and the walk through the ring, know of an entry.
type entry struct {
	key   byte
	value int
	cost  int64
}

// model is the cache as one would explain it: a slice, most recently used first.
type model struct {
	limit   int64
	entries []entry
	stats   Stats // Entries and Cost are left to check
}

func (m *model) find(key byte) int {
	return slices.IndexFunc(m.entries, func(e entry) bool { return e.key == key })
}

func (m *model) remove(key byte) {
	m.entries = slices.DeleteFunc(m.entries, func(e entry) bool { return e.key == key })
}

func (m *model) get(key byte) (int, bool) {
	i := m.find(key)
	if i < 0 {
		m.stats.Misses++
		return 0, false
	}
	m.stats.Hits++
	e := m.entries[i]
	m.entries = slices.Insert(slices.Delete(m.entries, i, i+1), 0, e)
	return e.value, true
}

func (m *model) add(e entry) bool {
	m.remove(e.key)
	if m.limit == 0 || e.cost > m.limit {
		return false
	}
	m.entries = slices.Insert(m.entries, 0, e)
	for !m.fits() {
		m.entries = m.entries[:len(m.entries)-1]
		m.stats.Evictions++
	}
	return true
}

// fits takes the costs from the limit one by one, in unlimited precision so to speak.
func (m *model) fits() bool {
	left := m.limit
	for _, e := range m.entries {
		if e.cost > left {
			return false
		}
		left -= e.cost
	}
	return true
}

func (m *model) cost() (sum int64) {
	for _, e := range m.entries {
		sum += e.cost
	}
	return sum
}

// contents walks the ring both ways and fails if they differ, or if the map knows other nodes.
func contents(t *testing.T, c *LRU[byte, int]) []entry {
	t.Helper()
	var forth, back []entry
	for n := c.ring.next; n != &c.ring; n = n.next {
		forth = append(forth, entry{n.key, n.value, n.cost})
		if c.nodes[n.key] != n {
			t.Fatalf("the map knows another node for key %d than the ring", n.key)
		}
	}
	for n := c.ring.prev; n != &c.ring; n = n.prev {
		back = append(back, entry{n.key, n.value, n.cost})
	}
	slices.Reverse(back)
	if !slices.Equal(forth, back) || len(forth) != len(c.nodes) {
		t.Fatalf("forth %v, back %v and the map's %d nodes differ", forth, back, len(c.nodes))
	}
	return forth
}

func (m *model) check(t *testing.T, c *LRU[byte, int]) {
	t.Helper()
	if got := contents(t, c); !slices.Equal(got, m.entries) {
		t.Fatalf("content: got %v, want %v", got, m.entries)
	}
	want := m.stats
	want.Entries, want.Cost = len(m.entries), m.cost()
	if got := c.Stats(); got != want {
		t.Fatalf("stats: got %+v, want %+v", got, want)
	}
	if want.Cost > m.limit || want.Cost < 0 {
		t.Fatalf("cost %d beyond the limit %d", want.Cost, m.limit)
	}
}

// amount makes a byte a limit or a cost. The largest stand for those at which sums overflow.
func amount(b byte) int64 {
	if b >= 0xf0 {
		return math.MaxInt64 - int64(0xff-b)
	}
	return int64(b)
}

// replay lets cache and model do what data says and compares them after every step. The first byte is the limit, then
// three bytes make a step: operation, key, cost.
func replay(t *testing.T, data []byte) {
	if len(data) == 0 {
		return
	}
	limit := amount(data[0])
	c, m := New[byte, int](limit), &model{limit: limit}
	for i, op := range slices.Collect(slices.Chunk(data[1:], 3)) {
		if len(op) < 3 {
			break
		}
		step(t, c, m, op[0], entry{key: op[1] % 16, value: i, cost: amount(op[2])})
		m.check(t, c)
	}
}

// step draws Add most often and Purge rarely, as a cache that is mostly empty shows little.
func step(t *testing.T, c *LRU[byte, int], m *model, op byte, e entry) {
	t.Helper()
	switch op % 16 {
	default:
		if got, want := c.Add(e.key, e.value, e.cost), m.add(e); got != want {
			t.Fatalf("Add(%+v): got %v, want %v", e, got, want)
		}
	case 0, 1, 2, 3, 4, 5:
		got, ok := c.Get(e.key)
		if want, wantOK := m.get(e.key); got != want || ok != wantOK {
			t.Fatalf("Get(%d): got %d, %v, want %d, %v", e.key, got, ok, want, wantOK)
		}
	case 6, 7:
		c.Remove(e.key)
		m.remove(e.key)
	case 8:
		c.Purge()
		m.entries = nil
	}
}
