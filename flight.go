package servery

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"

	"servery/internal/coded"
	"servery/internal/offload"
)

const defaultCacheBytes = 32 << 20

// CompressionCache holds coded bodies and lets all who ask for the same one at the
// same time share its making, which works even if it may hold nothing. A
// CompressionCache may be shared between handlers, and by any number of goroutines.
type CompressionCache struct {
	store      *coded.Store
	namespaces atomic.Uint64 // handed out to handlers whose files have no inodes
}

// NewCompressionCache returns a cache that holds up to maxBytes of coded bodies,
// overhead of about half a KiB each included, the least recently used going first.
// 0 holds nothing. It panics if maxBytes is negative.
//
// The limit is for what is held for later. A body that is being sent is in memory
// as long as that takes, held or not.
func NewCompressionCache(maxBytes int64) *CompressionCache {
	if maxBytes < 0 {
		panic(fmt.Sprintf("servery: NewCompressionCache: %d bytes", maxBytes))
	}
	return &CompressionCache{store: coded.NewStore(maxBytes)}
}

// CompressionCacheStats describes a [CompressionCache]. The counts are of its whole
// life, the others of this moment.
type CompressionCacheStats struct {
	Hits      uint64 // bodies that were held already
	Misses    uint64 // bodies that were not
	Joined    uint64 // misses that shared another's work
	Evictions uint64 // bodies that made room for others
	Bytes     int64  // held, with overhead
	Entries   int    // held
	Flights   int    // bodies that are being made or wait for their slot
	Cancelled uint64 // makings that all who asked had left
	Failed    uint64 // makings that ended in an error, saturation included
}

// Stats describes the cache now.
func (c *CompressionCache) Stats() CompressionCacheStats {
	kept, flights := c.store.Stats()
	return CompressionCacheStats{
		Hits:      kept.Hits,
		Misses:    kept.Misses,
		Joined:    flights.Joined,
		Evictions: kept.Evictions,
		Bytes:     kept.Cost,
		Entries:   kept.Entries,
		Flights:   int(flights.Active),
		Cancelled: flights.Cancelled,
		Failed:    flights.Failed,
	}
}

// Purge forgets all bodies that are held.
func (c *CompressionCache) Purge() { c.store.Purge() }

// Shutdown makes the cache refuse to make bodies, waits for those that are being
// made, and forgets what it holds. If ctx ends first it returns the cause. Handlers
// that use the cache then answer as if they were saturated.
func (c *CompressionCache) Shutdown(ctx context.Context) error { return c.store.Shutdown(ctx) }

// Limiter bounds the compression that runs at once. What is below the handlers'
// OffloadThreshold have slots of their own, so that large ones never delay them. A
// Limiter may be shared between handlers, and by any number of goroutines; it holds
// nothing while no compression runs.
type Limiter struct {
	large *offload.Limiter
	small *offload.Limiter
	open  *offload.Room
}

// LimiterOptions are the options of [NewLimiter]. The zero value means the defaults.
type LimiterOptions struct {
	// Workers is how many large compressions run at once. 0 means one less than
	// GOMAXPROCS, but at least one.
	Workers int

	// Queue is how many large compressions wait for a worker before others are
	// turned away. A response of [Compress] that has begun never is: it waits in the
	// same queue, beyond its end if need be. 0 means 64, negative means none.
	Queue int

	// Streams is how many responses of [Compress] may have an encoder at once, of one
	// to three megabytes each at the default levels, while their handlers write and
	// their clients read; one more is sent uncoded. Those that end within 16 KiB, and
	// are never flushed, need none. 0 means 128, negative means none.
	Streams int
}

const (
	defaultQueue   = 64
	defaultStreams = 128

	// Small compressions take a millisecond or so: more of them at once than there
	// are processors finish no sooner, and a queue as long as this is worked off
	// within a second.
	smallQueue = 1024
)

// NewLimiter returns a Limiter. It panics if Workers is negative.
func NewLimiter(o LimiterOptions) *Limiter {
	if o.Workers < 0 {
		panic(fmt.Sprintf("servery: NewLimiter: %d Workers", o.Workers))
	}
	procs := runtime.GOMAXPROCS(0)
	return &Limiter{
		large: offload.New(orDefault(o.Workers, max(1, procs-1)), max(orDefault(o.Queue, defaultQueue), 0)),
		small: offload.New(2*procs, smallQueue),
		open:  offload.NewRoom(max(orDefault(o.Streams, defaultStreams), 0)),
	}
}

// LimiterStats describes a [Limiter], large and small compressions together. The
// counts are of its whole life, the others of this moment.
type LimiterStats struct {
	Active    int    // compressions that run
	Queued    int    // compressions that wait
	HighWater int    // the most large ones that ran or waited at one moment
	Completed uint64 // compressions that had their slot; a large response of Compress takes many
	Rejected  uint64 // compressions that were turned away, for want of a slot or of a stream
	Cancelled uint64 // compressions that nobody waited for any more before they had a slot
	Streams   int    // responses of Compress that have an encoder
}

// Stats describes the limiter now.
func (l *Limiter) Stats() LimiterStats {
	large, small := l.large.Stats(), l.small.Stats()
	return LimiterStats{
		Active:    large.Active + small.Active,
		Queued:    large.Queued + small.Queued,
		HighWater: large.HighWater,
		Completed: large.Completed + small.Completed,
		Rejected:  large.Rejected + small.Rejected + l.open.Refused(),
		Cancelled: large.Cancelled + small.Cancelled,
		Streams:   l.open.Used(),
	}
}

// of returns the slots for a file of this size.
func (l *Limiter) of(size, threshold int64) *offload.Limiter {
	if size >= threshold {
		return l.large
	}
	return l.small
}
