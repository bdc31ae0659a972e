package stream

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
)

// outward returns the writer with the optional interfaces that the inner one has: handlers ask for them to find out what
// the connection can do.
func (s *writer) outward() http.ResponseWriter {
	_, flushes := s.inner.(http.Flusher)
	_, closes := s.inner.(closeNotifier)
	_, pushes := s.inner.(http.Pusher)
	_, hijacks := find[http.Hijacker](s.inner) // deeper ones, too: a controller finds them, and would pass by here
	switch {
	case flushes && hijacks && closes:
		return http1{flushHijacker{flusher{s}}}
	case flushes && pushes && closes:
		return http2{flushPusher{flusher{s}}}
	case flushes && hijacks:
		return flushHijacker{flusher{s}}
	case flushes && pushes:
		return flushPusher{flusher{s}}
	case flushes:
		return flusher{s}
	case hijacks:
		return hijacker{s}
	case pushes:
		return pusher{s}
	}
	return s
}

// http1 is for the writer of net/http's HTTP/1.
type http1 struct{ flushHijacker }

func (w http1) CloseNotify() <-chan bool { return w.inner.(closeNotifier).CloseNotify() }

// http2 is for the writer of net/http's HTTP/2.
type http2 struct{ flushPusher }

func (w http2) CloseNotify() <-chan bool { return w.inner.(closeNotifier).CloseNotify() }

// closeNotifier is what net/http's writers are although it is deprecated. Frameworks still panic without it.
type closeNotifier interface{ CloseNotify() <-chan bool }

type flusher struct{ *writer }

func (w flusher) Flush() { _ = w.FlushError() }

type hijacker struct{ *writer }

func (w hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) { return w.hijack() }

type pusher struct{ *writer }

func (w pusher) Push(target string, o *http.PushOptions) error {
	return w.inner.(http.Pusher).Push(target, o)
}

type flushHijacker struct{ flusher }

func (w flushHijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) { return w.hijack() }

type flushPusher struct{ flusher }

func (w flushPusher) Push(target string, o *http.PushOptions) error {
	return w.inner.(http.Pusher).Push(target, o)
}

// find looks for an interface as [http.ResponseController] does.
func find[T any](w http.ResponseWriter) (found T, ok bool) {
	for {
		if found, ok = w.(T); ok {
			return found, true
		}
		wrapper, wraps := w.(interface{ Unwrap() http.ResponseWriter })
		if !wraps {
			return found, false
		}
		w = wrapper.Unwrap()
	}
}

// FlushError sends all that was written so far, in a form that can be decoded. Where the inner writer cannot do that it
// fails and changes nothing.
func (s *writer) FlushError() error {
	if err := s.over(); err != nil {
		return err
	}
	if !s.flushes() {
		return fmt.Errorf("servery: Flush: %w", http.ErrNotSupported)
	}
	if !s.opened && s.state == undecided {
		s.open(http.StatusOK)
	}
	if err := s.push(); err != nil {
		return err
	}
	return http.NewResponseController(s.inner).Flush()
}

// flushes reports whether the inner writer can flush, as far as that can be told without doing it.
func (s *writer) flushes() bool {
	for w := s.inner; ; {
		switch inner := w.(type) {
		case interface{ flushes() bool }: // another one of these, which would say yes whatever is within
			return inner.flushes()
		case interface{ FlushError() error }, http.Flusher:
			return true
		case interface{ Unwrap() http.ResponseWriter }:
			w = inner.Unwrap()
		default:
			return false
		}
	}
}

// push hands all that was written so far to the inner writer.
func (s *writer) push() error {
	if s.state == undecided {
		if err := s.ask(flushed, nil); err != nil {
			return err
		}
	}
	switch {
	case s.state != encoding:
		return nil
	case s.failed != nil:
		return s.failed
	}
	if !s.begun || s.dirty || len(s.kept.bytes()) > 0 {
		if err := s.feed(nil, flushing); err != nil || s.state != encoding {
			return err
		}
	}
	return s.drain(-1)
}

// hijack gives the connection to the handler. What it wrote before is not kept from the client.
func (s *writer) hijack() (net.Conn, *bufio.ReadWriter, error) {
	if err := s.over(); err != nil {
		return nil, nil, err
	}
	if s.opened {
		if err := s.push(); err != nil {
			return nil, nil, err
		}
	}
	conn, rw, err := http.NewResponseController(s.inner).Hijack()
	if err == nil {
		s.drop()
		s.release()
		s.state = hijacked
	}
	return conn, rw, err
}

// ReadFrom is for [io.Copy]. What passes is left to the inner writer, which may have sendfile.
func (s *writer) ReadFrom(src io.Reader) (int64, error) {
	n, ended, err := s.readUntilPassing(src)
	if ended || err != nil {
		return n, err
	}
	inner, ok := s.inner.(io.ReaderFrom)
	if !ok {
		buffer := copyBuffers.Get().(*[copyBuffer]byte)
		defer copyBuffers.Put(buffer)
		rest, err := io.CopyBuffer(struct{ io.Writer }{s.inner}, src, buffer[:])
		s.gauge.passed += rest
		return n + rest, err
	}
	rest, err := inner.ReadFrom(src)
	s.gauge.passed += rest
	return n + rest, err
}

const copyBuffer = 32 << 10

var copyBuffers = sync.Pool{New: func() any { return new([copyBuffer]byte) }}

// readUntilPassing reads and writes until the source ends or the response passes.
func (s *writer) readUntilPassing(src io.Reader) (n int64, ended bool, err error) {
	if s.through() {
		return 0, false, nil // without a buffer, which a slow client would keep
	}
	buffer := copyBuffers.Get().(*[copyBuffer]byte)
	defer copyBuffers.Put(buffer)
	for !s.through() {
		room := buffer[:]
		if s.state == undecided {
			room = room[:sniffLength] // whatever it turns out to be, the rest of it can still be sendfile's
		}
		read, err := src.Read(room)
		if read > 0 {
			if _, err := s.Write(room[:read]); err != nil {
				return n, false, err
			}
			n += int64(read)
		}
		switch {
		case err == io.EOF:
			return n, true, nil
		case err != nil:
			return n, false, err
		}
	}
	return n, false, nil
}
