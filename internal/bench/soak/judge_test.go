package soak

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"servery"
)

// steady is a run with nothing the matter.
func steady() Record {
	r := Record{Idle: []time.Duration{time.Millisecond}, Loaded: []time.Duration{11 * time.Millisecond}}
	for range 9 {
		r.Samples = append(r.Samples, Sample{Stats{Resident: 100 << 20}, 1, 1})
	}
	return r
}

func TestJudge(t *testing.T) {
	for _, tt := range []struct {
		change func(r *Record)
		untold bool   // without timing nothing is wrong
		want   string // "" is nothing
		reason string
	}{
		{func(*Record) {}, true, "", "all is well"},
		{func(r *Record) { r.Samples[8].Resident = 130 << 20 }, true, "", "memory within the slack"},
		{func(r *Record) { r.Samples[8].Resident = 132 << 20 }, true, "bytes of memory", "memory above the slack"},
		{func(r *Record) { r.Samples[0].Resident = 1 << 40 }, true, "", "memory that was given back in time"},
		{func(r *Record) { r.Samples = r.Samples[:2] }, true, "too short", "no thirds"},
		{func(r *Record) { r.Samples[4].Answers = 0 }, true, "stands still", "a second without an answer"},
		{func(r *Record) { r.Samples[4].Small = 0 }, true, "stands still", "a second without a small answer"},
		{func(r *Record) { r.Loaded[0] += 2 * time.Millisecond }, true, "p99", "too slow beside the load"},
		{func(r *Record) { r.Loaded = nil }, true, "p99", "no small answers"},
		{func(r *Record) { r.Failures, r.Errors = 1, []error{io.ErrUnexpectedEOF} }, false, "unexpected EOF", "a wrong answer"},
		{func(r *Record) { r.Failures = 1 }, false, "1 answers", "a wrong answer"},
		{func(r *Record) { r.Samples[1].Cache.Bytes = cacheBytes + 1 }, false, "limits", "the cache"},
		{func(r *Record) { r.Samples[1].Limiter.Streams = streams + 1 }, false, "limits", "the streams"},
	} {
		r := steady()
		tt.change(&r)
		const slack = 10 * time.Millisecond
		if err := Judge(r, Config{Timing: true, Slack: slack}); (err != nil) != (tt.want != "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.reason, err, tt.want)
		}
		if err := Judge(r, Config{}); (err == nil) != tt.untold {
			t.Errorf("%s, without timing: %v", tt.reason, err)
		}
	}
}

func TestRestless(t *testing.T) {
	before := Stats{Goroutines: 5, Descriptors: 10}
	for reason, s := range map[string]Stats{
		"a goroutine":   {Goroutines: 6, Descriptors: 10},
		"a descriptor":  {Goroutines: 5, Descriptors: 11},
		"a flight":      {Cache: servery.CompressionCacheStats{Flights: 1}},
		"a slot":        {Limiter: servery.LimiterStats{Active: 1}},
		"a queued call": {Limiter: servery.LimiterStats{Queued: 1}},
		"a stream":      {Limiter: servery.LimiterStats{Streams: 1}},
	} {
		if restless(before, s) == nil {
			t.Errorf("%s is not noticed", reason)
		}
	}
	if err := restless(before, before); err != nil {
		t.Error(err)
	}
}

// What verifies the answers sees every byte that is wrong.
func TestMatcher(t *testing.T) {
	tx := newText(4<<10, 1)
	f := &file{name: "a", size: 1000}
	body := func(version int64) []byte {
		d := tx.document("a", version, 1000)
		return slices.Concat(d.head, d.rest)
	}
	for version := range int64(3) {
		m := &matcher{documents: f.documents(tx, 0, 2)}
		if _, err := m.Write(body(version)); err != nil || len(m.documents) != 1 || m.documents[0].version != version || m.at != 1000 {
			t.Errorf("version %d: %v, %d documents remain, at %d", version, err, len(m.documents), m.at)
		}
	}
	for at := range 1000 {
		wrong := body(1)
		wrong[at] ^= 1
		m := &matcher{documents: f.documents(tx, 0, 2)}
		if _, err := m.Write(wrong); err == nil {
			t.Errorf("a wrong byte %d is not noticed", at)
		}
	}
	for reason, p := range map[string][]byte{
		"too old": body(0), "too new": body(3), "mixed": slices.Concat(body(1)[:500], body(2)[500:]), "too long": append(body(1), 'x'),
	} {
		m := &matcher{documents: f.documents(tx, 1, 2)}
		if _, err := m.Write(p); err == nil {
			t.Errorf("%s is not noticed", reason)
		}
	}
}

func TestTagged(t *testing.T) {
	var f file
	if err := errors.Join(f.tagged(`"a"`, 1), f.tagged(`"b"`, 2), f.tagged(`"a"`, 1)); err != nil {
		t.Error(err)
	}
	if f.tagged(`"a"`, 2) == nil {
		t.Error("one tag of two versions is not noticed")
	}
}
