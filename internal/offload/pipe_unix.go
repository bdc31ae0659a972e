//go:build unix

package offload

import (
	"io"
	"os"
	"syscall"
	"time"
)

// patience bounds how long the byte of a pipe is waited for. It comes with the next look at the network, so the bound
// is for the case that something is wrong: work then stands still for twice that time at most and goes on.
const patience = 100 * time.Millisecond

// pipe parks a goroutine until the network poller has run: the goroutine waits for a byte that it sends itself.
// The poller reports the byte together with all that has become readable elsewhere. A pipe belongs to one slot, or to
// the limiter's list.
type pipe struct {
	reader *os.File // known to the poller
	writer int      // a bare descriptor: nobody waits for it, so the poller need not know it
	conn   syscall.RawConn
	turn   func(uintptr) bool // the method readByte: to make a method value costs an allocation
	armed  time.Time          // the reader's deadline

	sent bool    // since pass was called
	err  error   // of sending or receiving
	buf  [1]byte // what is sent and received
}

// newPipe fails if the process has no descriptors left.
func newPipe() (*pipe, error) {
	reader, writer, err := pipeEnds()
	if err != nil {
		return nil, err
	}
	p := &pipe{reader: os.NewFile(uintptr(reader), "pipe"), writer: writer}
	p.turn = p.readByte
	if p.conn, err = p.reader.SyscallConn(); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// pass returns after the network poller has run. After an error the pipe is of no use any more.
func (p *pipe) pass() error {
	p.sent, p.err = false, nil
	if err := p.arm(); err != nil {
		return err
	}
	if err := p.conn.Read(p.turn); err != nil {
		return err
	}
	return p.err
}

// arm moves the deadline only when less than patience is left of it, since that takes a lock of the poller. The first
// time it finds the zero time, long past.
func (p *pipe) arm() error {
	now := time.Now()
	if p.armed.Sub(now) >= patience {
		return nil
	}
	p.armed = now.Add(2 * patience)
	return p.reader.SetReadDeadline(p.armed)
}

// readByte is called by RawConn.Read, at once and after each event of the reader, until it reports true.
//
// The byte must be sent in here. Before it calls readByte, Read has told the poller to forget earlier events: that of
// a byte sent before would be lost, no other would come, and the goroutine would wait for ever.
func (p *pipe) readByte(reader uintptr) bool {
	if !p.sent {
		p.sent = true
		_, p.err = syscall.Write(p.writer, p.buf[:])
		return p.err != nil
	}
	// Any error ends the wait, EINTR and EAGAIN as well. Neither is to be expected of a byte that is there, and trying
	// again would need a bound of its own.
	var n int
	if n, p.err = syscall.Read(int(reader), p.buf[:]); n == 0 && p.err == nil {
		p.err = io.ErrUnexpectedEOF // the writer is gone
	}
	return true
}

func (p *pipe) close() {
	p.reader.Close() // errors would change nothing: the descriptors are gone
	syscall.Close(p.writer)
}
