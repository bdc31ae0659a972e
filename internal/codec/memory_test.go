package codec_test

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"runtime"
	"slices"
	"testing"
	"weak"

	"servery/internal/codec"
)

// An idle writer, and a lease that somebody holds on to, may keep no response alive.
func TestEndedLeaseLetsGoOfItsDestination(t *testing.T) {
	ends := map[string]func(l *codec.Lease){
		"Close":   func(l *codec.Lease) { _ = l.Close() },
		"Discard": func(l *codec.Lease) { l.Discard() },
	}
	text := lines(200_000)
	eachLevel(t, func(t *testing.T, e codec.Encoder) {
		s := set(t, 1, e)
		for name, end := range ends {
			l, gone := ended(t, s, text, end)
			for range 3 {
				runtime.GC()
			}
			if gone.Value() != nil {
				t.Errorf("%s holds on to the destination", name)
			}
			runtime.KeepAlive(l)
		}
		runtime.KeepAlive(s)
	})
}

// ended is a function of its own so that none of its variables lives on.
func ended(t *testing.T, s *codec.Set, text []byte, end func(*codec.Lease)) (*codec.Lease, weak.Pointer[bytes.Buffer]) {
	w := new(bytes.Buffer)
	l := lease(t, s, w)
	if _, err := l.Write(text); err != nil {
		t.Fatal(err)
	}
	end(l)
	return l, weak.Make(w)
}

func TestFailedLeaseLetsGoOfItsDestination(t *testing.T) {
	type destination struct {
		io.Writer
		self *byte // so that it is no part of a larger object
	}
	s := set(t, 1, encoder(t, "gzip", 1))
	w := &destination{writerFunc(func([]byte) (int, error) { return 0, errDestination }), new(byte)}
	l, gone := lease(t, s, w), weak.Make(w)
	w = nil
	if _, err := l.Write([]byte("x")); err == nil {
		t.Fatal("no error")
	}
	for range 3 {
		runtime.GC()
	}
	if gone.Value() != nil {
		t.Error("the lease holds on to the destination")
	}
	runtime.KeepAlive(l)
	runtime.KeepAlive(s)
}

// Nor does the pool keep a writer that left it.
func TestPoolLetsGoOfWriters(t *testing.T) {
	var gone weak.Pointer[fake]
	made := 0
	s := set(t, 1, fakes(&made, func(f *fake) { gone = weak.Make(f) }))
	open(t, s, 1)
	lease(t, s, io.Discard).Discard()
	for range 3 {
		runtime.GC()
	}
	if made != 1 || gone.Value() != nil {
		t.Error("the set holds on to the writer")
	}
	runtime.KeepAlive(s)
}

// The memory of a writer is what bounds how many may work and wait: the documentation of Gzip and Zstd tells it.
func TestWriterHoldsNoMoreThanIsSaid(t *testing.T) {
	notRaced(t)
	most := map[string]int{"gzip": 1200, "gzip9": 1440, "zstd1": 1230, "zstd3": 2560, "zstd6": 5630, "zstd10": 37_000} // KiB
	// What matches well, what does not match, and what fits one block use different buffers.
	bodies := [][]byte{append(lines(300_000), noise(300_000)...), noise(100_000), noise(60_000)}
	eachLevel(t, func(t *testing.T, e codec.Encoder) {
		limit := cmp.Or(most[fmt.Sprint(e.Coding, e.Level)], most[e.Coding])
		got := held(t, e, bodies)
		t.Logf("%d KiB", got)
		if got > limit {
			t.Errorf("holds %d KiB, want at most %d", got, limit)
		}
	})
}

// held returns what one of several writers holds after these bodies, in KiB. That is also what it holds in the midst
// of the last one: no writer gives up a buffer.
func held(t *testing.T, e codec.Encoder, bodies [][]byte) int {
	const writers = 2
	var all [writers]codec.Writer
	before := heap()
	for i := range all {
		all[i] = fresh(t, e)
		for _, body := range bodies {
			encode(t, all[i], body)
			all[i].Reset(io.Discard)
		}
	}
	after := heap()
	runtime.KeepAlive(all)
	return (after - before) / writers
}

// heap is what is reachable, in KiB.
func heap() int {
	runtime.GC()
	runtime.GC() // the first one may only have moved pools to where the second one empties them
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc >> 10)
}

// A body costs the lease, with zstd also a few bytes of header and of checksum, and nothing that grows with it.
func TestUsedWriterAllocatesOnlyItsLease(t *testing.T) {
	notRaced(t)
	text := lines(200_000)
	eachLevel(t, func(t *testing.T, e codec.Encoder) {
		s := set(t, 1, e)
		use := func() { _ = writeAll(lease(t, s, io.Discard), text) }
		if got := slices.Min([]float64{testing.AllocsPerRun(5, use), testing.AllocsPerRun(5, use)}); got > 3 {
			t.Errorf("%v allocations", got)
		}
	})
}
