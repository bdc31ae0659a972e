//go:build unix

package anchor

import (
	"os"
	"syscall"
)

// openFlags keep opening from waiting for the other end of a FIFO, and from making a terminal ours.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK | syscall.O_NOCTTY
