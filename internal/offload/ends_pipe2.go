//go:build dragonfly || freebsd || linux || netbsd || openbsd || solaris

package offload

import "syscall"

// pipeEnds returns the descriptors of a pipe, which do not block and are not inherited by other programs.
func pipeEnds() (reader, writer int, err error) {
	var ends [2]int
	err = syscall.Pipe2(ends[:], syscall.O_NONBLOCK|syscall.O_CLOEXEC)
	return ends[0], ends[1], err
}
