//go:build unix

package servery_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"servery/internal/testkit"
)

const (
	churned = 64 // names are changed in turns, so that each is settled, and remembered, by the time of its next turn
	burst   = 51 // changes make a turn, an odd number, so that each state is the last one at times
	// settling is how long it takes after a turn until the file is settled, and has been asked for.
	settling = 30 * time.Millisecond
	current  = 2 * churned // is the word of a journal that says whose turn it is
)

// journal is what a process that changes files tells others of it, in memory that they share. For each
// name there is the number of its last change that was begun, and of the last that was completed, and
// there is the name whose turn it is.
type journal []atomic.Int64

// openJournal makes the journal of a directory, or joins it.
func openJournal(dir string) (journal, error) {
	const size = (current + 1) * 8
	file, err := os.OpenFile(filepath.Join(dir, "journal"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if err := file.Truncate(size); err != nil {
		return nil, err
	}
	memory, err := syscall.Mmap(int(file.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*atomic.Int64)(unsafe.Pointer(&memory[0])), current+1), nil
}

func (j journal) close() error {
	return syscall.Munmap(unsafe.Slice((*byte)(unsafe.Pointer(&j[0])), len(j)*8))
}

func (j journal) begun(name int) *atomic.Int64 { return &j[2*name] }
func (j journal) done(name int) *atomic.Int64  { return &j[2*name+1] }

// ground is a directory with a root in it, and in that a folder with a file.txt for each name.
type ground string

func (p ground) folder(name int) string { return filepath.Join(string(p), "root", folderOf(name)) }
func (p ground) file(name int) string   { return filepath.Join(p.folder(name), "file.txt") }
func (p ground) aside(name int) string  { return filepath.Join(string(p), "aside"+strconv.Itoa(name)) }
func (p ground) outside() string        { return filepath.Join(string(p), "outside") }
func (p ground) temporary() string      { return filepath.Join(string(p), "temporary") }
func (p ground) link(from, to string) error {
	return errors.Join(os.Symlink(to, p.temporary()), os.Rename(p.temporary(), from))
}

func folderOf(name int) string { return fmt.Sprintf("d%02d", name) }

// numbered is the content of a file that was changed for the nth time. All are of one length.
func numbered(n int64) string { return strings.Repeat(fmt.Sprintf("%09d ", n), 100) }

const secret = "what is outside is nobody's to see"

// prepare makes the first state of all that there is.
func (p ground) prepare(w way) error {
	var failed error
	write := func(path, content string) {
		failed = errors.Join(failed, os.MkdirAll(filepath.Dir(path), 0o755), put(path, os.O_CREATE, content))
	}
	write(filepath.Join(p.outside(), "file.txt"), secret)
	for i := range int64(2) {
		write(filepath.Join(string(p), "root", "inside"+strconv.FormatInt(i, 10), "file.txt"), numbered(i))
	}
	for name := range churned {
		write(p.file(name), numbered(0))
		if w.first != nil {
			failed = errors.Join(failed, w.first(p, name))
		}
	}
	return failed
}

// put writes a file and gives it the date that all have: nothing tells two of them apart but what nobody
// can set.
func put(path string, flags int, content string) error {
	fd, err := syscall.Open(path, flags|os.O_WRONLY|syscall.O_CLOEXEC, 0o644)
	if err != nil {
		return &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer syscall.Close(fd)
	if _, err := syscall.Write(fd, []byte(content)); err != nil {
		return &fs.PathError{Op: "write", Path: path, Err: err}
	}
	date := unix.NsecToTimeval(testkit.Past.UnixNano())
	return unix.Futimes(fd, []unix.Timeval{date, date})
}

// changeFiles is a role: it changes files in one way until they were changed as often as it says. Its
// arguments are the directory, the way and the number.
func changeFiles(args []string) error {
	p := ground(args[0])
	way := wayNamed(args[1])
	changes, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	j, err := openJournal(args[0])
	if err != nil {
		return err
	}
	defer j.close()
	var settled [churned]time.Time
	for i := range changes {
		name := i / burst % churned
		if i%burst == 0 {
			<-time.After(time.Until(settled[name])) // the passing of time is the event itself
			j[current].Store(int64(name))
		}
		settled[name] = time.Now().Add(settling)
		n := j.begun(name).Add(1)
		if err := way.change(p, name, n); err != nil {
			return err
		}
		j.done(name).Store(n)
	}
	return nil
}

// serveFiles is a role: it serves the files of the directory that is its argument.
func serveFiles(args []string) error { return serveDirectory(args[0], nil) }

func init() {
	roles["change files"] = changeFiles
	roles["serve files"] = serveFiles
}
