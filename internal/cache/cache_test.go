package cache

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"weak"
)

func TestRandomOperationsAgreeWithTheModel(t *testing.T) {
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(1, seed))
		data := make([]byte, 1+3*1000)
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		if seed%2 == 0 { // small costs below a middling limit: many entries live together
			data[0] = 200
			for i := 3; i < len(data); i += 3 {
				data[i] %= 64
			}
		}
		replay(t, data)
	}
}

func FuzzLRU(f *testing.F) { f.Fuzz(replay) }

func TestAdd(t *testing.T) {
	type costs []int64 // of keys 0, 1, 2 ... in the order of their adding
	tests := map[string]struct {
		reason   string
		limit    int64
		held     costs
		key      byte
		cost     int64
		retained bool
		want     Stats
	}{
		"fits exactly": {
			"the limit itself is allowed",
			10, costs{4, 4}, 9, 2, true, Stats{Entries: 3, Cost: 10},
		},
		"one too many": {
			"only what is needed goes",
			10, costs{4, 4}, 9, 3, true, Stats{Entries: 2, Cost: 7, Evictions: 1},
		},
		"as large as the limit": {
			"everything else goes",
			10, costs{4, 4}, 9, 10, true, Stats{Entries: 1, Cost: 10, Evictions: 2},
		},
		"larger than the limit": {
			"nobody is evicted in vain",
			10, costs{4, 4}, 9, 11, false, Stats{Entries: 2, Cost: 8},
		},
		"outdated and larger than the limit": {
			"the old value is wrong whether or not the new one can be kept",
			10, costs{4, 4}, 0, 11, false, Stats{Entries: 1, Cost: 4},
		},
		"replacing makes its own room": {
			"the old value of the key counts no longer, so nobody else has to go",
			10, costs{4, 4}, 0, 6, true, Stats{Entries: 2, Cost: 10},
		},
		"limit 0": {
			"the cache is off, for values without cost as well",
			0, nil, 0, 0, false, Stats{},
		},
		"no cost": {
			"it fits into a full cache",
			10, costs{10}, 9, 0, true, Stats{Entries: 2, Cost: 10},
		},
		"largest costs": {
			"their sum would overflow",
			math.MaxInt64, costs{math.MaxInt64}, 9, math.MaxInt64, true,
			Stats{Entries: 1, Cost: math.MaxInt64, Evictions: 1},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := New[byte, int](tt.limit)
			for i, cost := range tt.held {
				c.Add(byte(i), 0, cost)
			}
			if got := c.Add(tt.key, 1, tt.cost); got != tt.retained {
				t.Errorf("retained: got %v, want %v: %s", got, tt.retained, tt.reason)
			}
			if got := c.Stats(); got != tt.want {
				t.Errorf("stats: got %+v, want %+v: %s", got, tt.want, tt.reason)
			}
		})
	}
}

func TestGetSavesFromEviction(t *testing.T) {
	c := New[string, int](2)
	c.Add("old", 1, 1)
	c.Add("new", 2, 1)
	c.Get("old")
	c.Add("newest", 3, 1)
	if _, ok := c.Get("new"); ok {
		t.Error("the least recently used is still there")
	}
	if v, ok := c.Get("old"); v != 1 || !ok {
		t.Errorf("the one just used: got %d, %v, want 1, true", v, ok)
	}
}

func TestMistakesPanicAndLeaveTheCacheUsable(t *testing.T) {
	c := New[any, int](10)
	for want, mistake := range map[string]func(){
		"servery: negative limit of a cache":      func() { New[string, int](-1) },
		"servery: negative cost of a cache entry": func() { c.Add("k", 1, -1) },
	} {
		if got := recovered(mistake); got != want {
			t.Errorf("panic: got %v, want %q", got, want)
		}
	}
	if recovered(func() { c.Get([]int{}) }) == nil {
		t.Error("an unhashable key did not panic")
	}
	if !c.Add("k", 1, 1) { // would wait for ever for a lock left behind
		t.Error("the cache refuses values after the mistakes")
	}
}

func recovered(f func()) (p any) {
	defer func() { p = recover() }()
	f()
	return nil
}

func TestHitDoesNotAllocate(t *testing.T) {
	c := New[string, []byte](10)
	c.Add("a", []byte("body"), 1)
	c.Add("b", []byte("body"), 1)
	allocs := testing.AllocsPerRun(1000, func() {
		c.Get("a")
		c.Get("b")
	})
	if allocs != 0 {
		t.Errorf("two hits allocate %v times, want 0", allocs)
	}
}

// body is too large for the allocator to put it together with others, which would keep them alive with it.
type body struct{ _ [64]*byte }

// fill adds entries with keys and values of their own, and keeps no strong pointer to any.
//
//go:noinline
func fill(c *LRU[*body, *body], entries int) (held []weak.Pointer[body]) {
	for range entries {
		key, value := new(body), new(body)
		c.Add(key, value, 1)
		held = append(held, weak.Make(key), weak.Make(value))
	}
	return held
}

func alive(pointers []weak.Pointer[body]) (n int) {
	runtime.GC()
	for _, p := range pointers {
		if p.Value() != nil {
			n++
		}
	}
	return n
}

func TestWhatLeftIsFreed(t *testing.T) {
	const limit = 8
	for name, leave := range map[string]func(*LRU[*body, *body]){
		"evicted":  func(c *LRU[*body, *body]) { fill(c, limit) },
		"purged":   func(c *LRU[*body, *body]) { c.Purge() },
		"removed":  func(c *LRU[*body, *body]) { removeAll(c) },
		"replaced": func(c *LRU[*body, *body]) { c.Add(new(body), nil, limit) },
	} {
		t.Run(name, func(t *testing.T) {
			c := New[*body, *body](limit)
			held := fill(c, limit)
			if got := alive(held); got != len(held) {
				t.Fatalf("%d of %d keys and values alive in the cache, want all", got, len(held))
			}
			leave(c)
			if got := alive(held); got != 0 {
				t.Errorf("%d of %d keys and values alive after they left, want none", got, len(held))
			}
			runtime.KeepAlive(c)
		})
	}
}

//go:noinline
func removeAll(c *LRU[*body, *body]) {
	for c.ring.next != &c.ring {
		c.Remove(c.ring.next.key)
	}
}

func TestConcurrentUseKeepsTheLimit(t *testing.T) {
	const users, rounds, limit = 8, 5000, 100
	c := New[byte, int](limit)
	var gets [users]uint64
	var wg sync.WaitGroup
	for i := range users {
		random := rand.New(rand.NewPCG(1, uint64(i)))
		wg.Go(func() {
			for range rounds {
				key := byte(random.IntN(32))
				switch random.IntN(8) {
				case 0:
					c.Remove(key)
				case 1, 2, 3:
					c.Add(key, int(key), random.Int64N(limit/4))
				default:
					gets[i]++
					if v, ok := c.Get(key); ok && v != int(key) {
						t.Errorf("key %d has the value of %d", key, v)
					}
				}
				if s := c.Stats(); s.Cost < 0 || s.Cost > limit {
					t.Errorf("cost %d beyond the limit %d", s.Cost, limit)
				}
			}
		})
	}
	wg.Wait()
	var want uint64
	for _, n := range gets {
		want += n
	}
	if s := c.Stats(); s.Hits+s.Misses != want {
		t.Errorf("%d hits and %d misses, want %d together", s.Hits, s.Misses, want)
	}
	contents(t, c)
}
