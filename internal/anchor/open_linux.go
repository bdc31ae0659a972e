package anchor

import (
	"os"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// maxAgain bounds how often openat2 is repeated. It reports EAGAIN where a rename anywhere on the machine, while it
// walked over a "..", keeps it from knowing that it is still beneath the directory.
const maxAgain = 16

// opener is the way to open beneath a directory, shared by all generations of a Dir.
type opener struct {
	openat2 func(dirfd int, name string) (int, error)

	// refused is set for good once openat2 turned out not to be there (kernels before 5.6) or not to be allowed (a
	// seccomp filter). Both are matters of the process, not of the directory.
	refused atomic.Bool
}

func newOpener() *opener {
	return &opener{openat2: openat2}
}

// openat2 opens name beneath the directory. The result is a bare descriptor: an *os.File would cost three system
// calls more, for a poller that refuses regular files.
func openat2(dirfd int, name string) (int, error) {
	how := unix.OpenHow{
		Flags:   uint64(openFlags | unix.O_CLOEXEC | unix.O_LARGEFILE),
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS,
	}
	return unix.Openat2(dirfd, name, &how)
}

// held is the descriptor that openat2 starts from.
type held struct {
	dir *os.File // owned; keeps fd open
	fd  int      // of dir
}

// hold takes the descriptor out of root, so that both ways of opening start from the same directory.
func hold(root *os.Root) (held, error) {
	dir, err := root.Open(".")
	if err != nil {
		return held{}, err
	}
	return held{dir: dir, fd: int(dir.Fd())}, nil
}

// close does nothing to the zero value.
func (h held) close() {
	h.dir.Close()
}

// CanLook says that [Root.Look] ever finds anything out.
const CanLook = true

// look asks what name leads to. Descriptors and their reading aside, that is a third of an opening.
func (h held) look(name string) (Info, bool) {
	var st unix.Stat_t
	_, err := uninterrupted(func() (struct{}, error) { return struct{}{}, unix.Fstatat(h.fd, name, &st, 0) })
	return infoOfStat(&st), err == nil
}

// open opens name with openat2, or with os.Root where openat2 has no answer.
func (r *Root) open(name string) (*File, error) {
	if r.opener.refused.Load() {
		return r.openThroughOS(name)
	}
	fd, err := r.opener.beneath(r.held.fd, name)
	switch err {
	case nil:
		return newRawFile(name, fd), nil
	case unix.ENOSYS, unix.EPERM:
		r.opener.settle(r.held.fd)
		return r.openThroughOS(name)
	case unix.EAGAIN:
		return r.openThroughOS(name)
	}
	return nil, err
}

// beneath calls openat2 until it has an answer, which may be EAGAIN in the end.
func (o *opener) beneath(dirfd int, name string) (fd int, err error) {
	for range maxAgain {
		fd, err = uninterrupted(func() (int, error) { return o.openat2(dirfd, name) })
		if err != unix.EAGAIN {
			break
		}
	}
	return fd, err
}

// settle finds out whether a refusal holds for openat2 as such. A security module or a device rule can answer EPERM
// for a single file, which must not slow down all the others for good.
func (o *opener) settle(dirfd int) {
	fd, err := o.beneath(dirfd, ".")
	switch err {
	case nil:
		unix.Close(fd)
	case unix.ENOSYS, unix.EPERM:
		o.refused.Store(true)
	}
}

// uninterrupted repeats a system call that a signal interrupted. The runtime's own signals restart calls, but
// handlers that C code installs, and some network file systems, do not.
func uninterrupted[T any](call func() (T, error)) (T, error) {
	for {
		v, err := call()
		if err != unix.EINTR {
			return v, err
		}
	}
}
