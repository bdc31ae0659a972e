package anchor

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// isAbsenceHere continues isAbsence with the errors that only Windows has.
func isAbsenceHere(errno syscall.Errno) bool {
	switch errno {
	case windows.ERROR_INVALID_NAME,
		windows.ERROR_BAD_PATHNAME,
		windows.ERROR_FILENAME_EXCED_RANGE,
		windows.ERROR_DIRECTORY,
		windows.ERROR_CANT_RESOLVE_FILENAME,
		windows.ERROR_STOPPED_ON_SYMLINK:
		return true
	}
	return false
}
