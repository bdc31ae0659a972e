package servery_test

import (
	"net/http"
	"sync/atomic"
	"testing"

	"servery"
)

// However well a body compresses, it does not keep its slot from those who wait for one.
func TestCompressLetsGoOfItsSlot(t *testing.T) {
	const size, most = 4 << 20, 1 << 20
	limiter := servery.NewLimiter(servery.LimiterOptions{Workers: 1})
	var plain, longest atomic.Int64 // with the slot that is held, and with any
	var slot atomic.Uint64
	encoder := (&watched{act: func(p []byte) error {
		if now := limiter.Stats().Completed; slot.Swap(now) != now {
			plain.Store(0)
		}
		longest.Store(max(longest.Load(), plain.Add(int64(len(p)))))
		return nil
	}}).encoder()
	server := serveHandler(t, servery.Compress(&servery.CompressOptions{Encoders: []servery.Encoder{encoder}, Limiter: limiter})(
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.Write(make([]byte, size))
		})))
	got := fetch(t, server, "GET", "/", acceptGzip)
	if plain, err := undo("gzip", got.Body); err != nil || len(plain) != size {
		t.Errorf("%d bytes, %v, want %d", len(plain), err, size)
	}
	if longest.Load() > most {
		t.Errorf("%d KiB were encoded with one slot, want at most %d", longest.Load()>>10, most>>10)
	}
}
