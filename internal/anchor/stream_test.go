package anchor

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net"
	"testing"
	"testing/iotest"
)

func TestFileIsReadSeeker(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789abcdef"), 4096)
	for _, w := range ways() {
		f := openFile(t, w, string(content))
		for _, through := range []string{"descriptor", "os.File"} {
			if err := iotest.TestReader(f, content); err != nil {
				t.Errorf("%s, %s: %v", w.name, through, err)
			}
			if _, err := f.Seek(-1, io.SeekStart); err == nil {
				t.Errorf("%s, %s: sought before the start", w.name, through)
			}
			f.OSFile()
			if _, err := f.Seek(0, io.SeekStart); err != nil {
				t.Errorf("%s: %v", w.name, err)
			}
		}
	}
}

func TestReadSome(t *testing.T) {
	for _, w := range ways() {
		f := openFile(t, w, "0123456789")
		p := make([]byte, 20)
		if n, err := f.ReadSome(p, 4); string(p[:n]) != "456789" || err != nil && err != io.EOF {
			t.Errorf("%s: read %q, %v", w.name, p[:n], err)
		}
		if n, err := f.ReadSome(p, 10); n != 0 || err != io.EOF {
			t.Errorf("%s: read %d bytes at the end, %v, want io.EOF", w.name, n, err)
		}
	}
}

// What package net copies from a File over a socket is the file from its offset
// on, whichever way it takes.
func TestCopyToSocket(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789abcdef"), 65536)
	for _, w := range ways() {
		f := openFile(t, w, string(content))
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		must(t, err)
		client, err := net.Dial("tcp", listener.Addr().String())
		must(t, err)
		server, err := listener.Accept()
		must(t, err)
		_, err = f.Seek(16, io.SeekStart)
		must(t, err)
		sent := make(chan error, 1)
		go func() {
			_, err := io.Copy(server, &io.LimitedReader{R: f, N: 500_000})
			server.Close()
			sent <- err
		}()
		got, err := io.ReadAll(client)
		must(t, err)
		must(t, <-sent)
		if !bytes.Equal(got, content[16:500_016]) {
			t.Errorf("%s: %d bytes that are not the file's", w.name, len(got))
		}
		if at, err := f.Seek(0, io.SeekCurrent); at != 500_016 || err != nil {
			t.Errorf("%s: offset %d, %v, want 500016", w.name, at, err)
		}
		client.Close()
		listener.Close()
	}
}

func TestStreamAfterClose(t *testing.T) {
	for _, w := range ways() {
		f := openFile(t, w, "content")
		conn, err := f.SyscallConn()
		must(t, err)
		must(t, f.Close())
		if _, err := f.Read(make([]byte, 1)); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("%s: Read: %v, want fs.ErrClosed", w.name, err)
		}
		if _, err := f.Seek(0, io.SeekStart); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("%s: Seek: %v, want fs.ErrClosed", w.name, err)
		}
		if err := conn.Control(func(uintptr) { t.Errorf("%s: a descriptor after Close", w.name) }); err == nil {
			t.Errorf("%s: no error after Close", w.name)
		}
	}
}
