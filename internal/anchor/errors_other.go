//go:build !windows

package anchor

import "syscall"

// isAbsenceHere continues isAbsence with the errors that only one system has.
func isAbsenceHere(syscall.Errno) bool {
	return false
}
