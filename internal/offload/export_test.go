package offload

import "time"

// Slice is how long work may run before it is due.
const Slice = slice

// LastWay is when the slot was taken or last gave way.
func (s *Slot) LastWay() time.Time { return s.last }
