//go:build aix || darwin

package offload

import "syscall"

// pipeEnds returns the descriptors of a pipe, which do not block and are not inherited by other programs. The system
// has no call that does all of it at once: the lock keeps programs from being started in between.
func pipeEnds() (reader, writer int, err error) {
	var ends [2]int
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := syscall.Pipe(ends[:]); err != nil {
		return 0, 0, err
	}
	for _, end := range ends {
		syscall.CloseOnExec(end)
		syscall.SetNonblock(end, true) // cannot fail for a descriptor of ours
	}
	return ends[0], ends[1], nil
}
