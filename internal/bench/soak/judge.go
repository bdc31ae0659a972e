package soak

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// A Sample is what was seen in one second.
type Sample struct {
	Stats
	Answers uint64 // of all kinds
	Small   uint64 // small ones that a single client got beside the others
}

// A Record is all that a verdict is made of.
type Record struct {
	Samples  []Sample
	Idle     []time.Duration // small answers before the load, sorted
	Loaded   []time.Duration // small answers beside the load, sorted
	Errors   []error         // the first ones
	Failures uint64          // how many there were
}

// What the server may take. It keeps what its caches and its slots are for, so its memory
// grows until these are full, and the collector lets it swing around that: a seventh and
// some MiB between two thirds of a run. A leak of 20 bytes a request is more than that
// after half an hour.
const (
	growth      = 1.15
	growthSlack = 16 << 20

	// A small answer beside the load waits for the processors, for which the slack of the
	// Config stands: the clients use them as well, and others of the machine.
	slowdown = 2
)

// Judge returns what is wrong with a run. What depends on how fast the machine is, it
// judges only where that is asked for.
func Judge(r Record, c Config) error {
	problems := slices.Clone(r.Errors)
	if r.Failures > 0 {
		problems = append(problems, fmt.Errorf("%d answers were wrong", r.Failures))
	}
	for i, s := range r.Samples {
		if s.Cache.Bytes > cacheBytes || s.Limiter.Streams > streams {
			problems = append(problems, fmt.Errorf("second %d: the cache has %d bytes and %d streams are open, above their limits %d and %d",
				i, s.Cache.Bytes, s.Limiter.Streams, cacheBytes, streams))
			break
		}
	}
	if c.Timing {
		problems = append(problems, stalls(r.Samples), grows(r.Samples), slows(r.Idle, r.Loaded, c.Slack))
	}
	return errors.Join(problems...)
}

// stalls reports the first second without progress.
func stalls(samples []Sample) error {
	for i, s := range samples {
		if s.Answers == 0 || s.Small == 0 {
			return fmt.Errorf("second %d: %d answers, %d small ones beside them: it stands still", i, s.Answers, s.Small)
		}
	}
	return nil
}

// grows compares the last third of a run with the second. The first third is for caches
// and pools to fill.
func grows(samples []Sample) error {
	third := len(samples) / 3
	if third == 0 {
		return errors.New("too short to say anything about memory")
	}
	before, after := mostResident(samples[third:2*third]), mostResident(samples[2*third:])
	if limit := int64(growth*float64(before)) + growthSlack; after > limit {
		return fmt.Errorf("%d bytes of memory in the last third, above %d, which %d in the second third allow", after, limit, before)
	}
	return nil
}

func mostResident(samples []Sample) (most int64) {
	for _, s := range samples {
		most = max(most, s.Resident)
	}
	return most
}

func slows(idle, loaded []time.Duration, slack time.Duration) error {
	before, after := percentile(idle, 99), percentile(loaded, 99)
	if limit := slowdown*before + slack; after > limit || len(idle) == 0 || len(loaded) == 0 {
		return fmt.Errorf("p99 of %d small answers is %v beside the load, above %v, which %v of %d without it allow",
			len(loaded), after, limit, before, len(idle))
	}
	return nil
}

// percentile returns the smallest value that p percent of the sorted values do not
// exceed, 0 of none.
func percentile(sorted []time.Duration, p int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[max((len(sorted)*p+99)/100, 1)-1]
}

// restless reports what a server still holds that it did not hold before the load.
func restless(before, now Stats) error {
	l := now.Limiter
	if now.Goroutines > before.Goroutines || now.Descriptors > before.Descriptors || now.Cache.Flights > 0 ||
		l.Active > 0 || l.Queued > 0 || l.Streams > 0 {
		return fmt.Errorf("when all clients had left it did not come to rest: before the load\n%+v, then\n%+v", before, now)
	}
	return nil
}
