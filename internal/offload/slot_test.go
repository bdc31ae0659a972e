package offload_test

import (
	"testing"
	"testing/synctest"
	"time"

	"servery/internal/offload"
)

func TestSlotIsDueAfterASlice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mustAcquire(t, offload.New(1, 0))
		defer s.Release()
		for range 3 {
			taken := time.Now()
			time.Sleep(offload.Slice - 1)
			s.GiveWayIfDue()
			if !s.LastWay().Equal(taken) {
				t.Error("gave way although it was not due")
			}
			time.Sleep(time.Nanosecond)
			s.GiveWayIfDue()
			if !s.LastWay().Equal(time.Now()) {
				t.Error("did not give way although it was due")
			}
		}
	})
}

func TestGivingWayUnaskedPutsOffTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mustAcquire(t, offload.New(1, 0))
		defer s.Release()
		time.Sleep(offload.Slice - 1)
		s.GiveWay()
		gave := time.Now()
		time.Sleep(offload.Slice - 1)
		s.GiveWayIfDue()
		if !s.LastWay().Equal(gave) {
			t.Error("the time before the last way given was counted")
		}
	})
}
