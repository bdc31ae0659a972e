package offload_test

import (
	"testing"

	"servery/internal/offload"
)

func BenchmarkAcquireRelease(b *testing.B) {
	l, ctx := offload.New(1, 0), b.Context()
	b.ReportAllocs()
	for b.Loop() {
		s, err := l.Acquire(ctx)
		if err != nil {
			b.Fatal(err)
		}
		s.Release()
	}
}

// With more goroutines than slots, each call waits in the queue.
func BenchmarkAcquireReleaseQueued(b *testing.B) {
	l := offload.New(1, 0)
	b.ReportAllocs()
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			s, err := l.Wait(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			s.Release()
		}
	})
}

func BenchmarkGiveWay(b *testing.B) {
	s := mustAcquire(b, offload.New(1, 0))
	defer s.Release()
	b.ReportAllocs()
	for b.Loop() {
		s.GiveWay()
	}
}

func BenchmarkGiveWayNotDue(b *testing.B) {
	s := mustAcquire(b, offload.New(1, 0))
	defer s.Release()
	s.GiveWay()
	for b.Loop() {
		s.GiveWayIfDue()
	}
}

// What work that runs alone pays once when it is due for the first time: a pipe is made and closed.
func BenchmarkGiveWayOnce(b *testing.B) {
	l := offload.New(1, 0)
	b.ReportAllocs()
	for b.Loop() {
		s := mustAcquire(b, l)
		s.GiveWay()
		s.Release()
	}
}
