//go:build unix

package offload

import "time"

// Parks tells a slot that has a pipe from one that had to do without.
func (s *Slot) Parks() bool { return s.pipe != nil }

// SwapWriter replaces the descriptor that the slot's pipe sends its byte to, and returns the one before.
func (s *Slot) SwapWriter(writer int) int {
	before := s.pipe.writer
	s.pipe.writer = writer
	return before
}

// CloseReader makes the slot's pipe useless.
func (s *Slot) CloseReader() { s.pipe.reader.Close() }

// Rest does to the slot's pipe what passing time does.
func (s *Slot) Rest(passing time.Duration) error {
	s.pipe.armed = s.pipe.armed.Add(-passing)
	return s.pipe.reader.SetReadDeadline(s.pipe.armed)
}
