package servery_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"servery"
	"servery/internal/testkit"
)

// serveStreams is a role: it answers all requests through Compress with the text in
// the file that is its last argument, says its peak of memory once it is told that
// enough has come, and ends. The others are how many responses may be encoded at once
// and how many may wait.
func serveStreams(args []string) error {
	streams, err := strconv.Atoi(args[0])
	queue, err2 := strconv.Atoi(args[1])
	text, err3 := os.ReadFile(args[2])
	listener, err4 := net.Listen("tcp", "127.0.0.1:0")
	if err := errors.Join(err, err2, err3, err4); err != nil {
		return err
	}
	compress := servery.Compress(&servery.CompressOptions{
		Encoders: []servery.Encoder{servery.Gzip(6)},
		Limiter:  servery.NewLimiter(servery.LimiterOptions{Streams: streams, Queue: queue}),
	})
	server := &http.Server{
		Handler: compress(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.Write(text)
		})),
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			_ = c.(*net.TCPConn).SetWriteBuffer(64 << 10) // so that the system takes no body as a whole
			return ctx
		},
	}
	go server.Serve(listener)
	fmt.Println(listener.Addr())
	runtime.GC()
	bytes, err := peak(pause)
	fmt.Println(bytes)
	return err
}

// streamText returns size bytes: each 20 KiB of real text four times in a row, which
// gzip finds out. It encodes in a third of the time that the text itself would take,
// and becomes much more than the system buffers for a slow client all the same.
func streamText(tb testing.TB, size int) []byte {
	tb.Helper()
	var b bytes.Buffer
	for b.Len() < size {
		for part := range slices.Chunk([]byte(realText(tb, 100<<10)), 20<<10) {
			b.Write(bytes.Repeat(part, 4))
		}
	}
	return b.Bytes()[:size]
}

// A streamReader is one client of serveStreams. A slow one stops reading after the
// head, and its connection stays open until the test ends.
type streamReader struct {
	slow  bool
	coded bool
	sum   [sha256.Size]byte // of the body as it came, unless the client is slow
	err   error
}

func (s *streamReader) run(c *testkit.Conn) {
	c.Send("GET", "/", acceptGzip)
	s.err = s.read(c.Conn)
}

func (s *streamReader) read(c net.Conn) error {
	// More patience than for one answer: all of them are made before the last is complete.
	if err := c.SetDeadline(time.Now().Add(10 * testkit.Patience)); err != nil {
		return err
	}
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return err
	}
	s.coded = response.Header.Get("Content-Encoding") == "gzip"
	if s.slow {
		return nil
	}
	body := sha256.New()
	_, err = io.Copy(body, response.Body)
	body.Sum(s.sum[:0])
	return err
}

// However many large responses are under way, however slowly they are read, there are
// only as many encoders as may be lent, and none of the bodies is ever in memory as a
// whole.
func TestMemoryOfManyStreams(t *testing.T) {
	const mib = 1 << 20
	clients, text := scaled(500), streamText(t, scaled(10)*mib)
	file := filepath.Join(testkit.Tree(t, map[string]string{"text": string(text)}), "text")
	for _, tt := range []struct {
		streams int // what the option says
		coded   int // at the least
		reason  string
	}{
		{16, min(16, clients), "few encoders for many clients"},
		{0, min(128, clients), "as many as there are by default"},
		{clients, clients, "one for each client"},
	} {
		peak, readers := peakOfStreams(t, tt.streams, clients, file)
		coded := wantStreams(t, readers, text, tt.reason)
		if coded < tt.coded {
			t.Errorf("%d of %d responses are coded, want %d at the least: %s", coded, clients, tt.coded, tt.reason)
		}
		// An encoder takes up to 1.2 MiB, and what it made of one slice has room in 128 KiB
		// with all buffers on the way. The rest of a request is net/http's. The collector lets
		// the heap grow to the double of that.
		const encoder, request = 1_200<<10 + 128<<10, 32 << 10
		most := uint64(2 * (tt.coded*encoder + clients*request + len(text) + 4*mib))
		t.Logf("%d coded: peak of the heap %.1f MiB, want at most %.1f MiB", coded, float64(peak)/mib, float64(most)/mib)
		if peak > most {
			t.Errorf("the heap had %d bytes in use, want at most %d: %s", peak, most, tt.reason)
		}
	}
}

// peakOfStreams lets all clients ask at once. Every other one is slow.
func peakOfStreams(t *testing.T, streams, clients int, file string) (uint64, []streamReader) {
	t.Helper()
	other := another(t, "serve streams", strconv.Itoa(streams), strconv.Itoa(clients), file)
	defer other.end()
	address, ok := other.line()
	if !ok {
		t.Fatal("no server")
	}
	server := testkit.Connect(t, strings.TrimSpace(address))
	other.line() // it looks at its memory from now on

	readers := make([]streamReader, clients)
	var all sync.WaitGroup
	for i := range readers {
		r, c := &readers[i], server.Dial()
		r.slow = i%2 == 0
		if tcp, ok := c.Conn.(*net.TCPConn); ok && r.slow {
			_ = tcp.SetReadBuffer(4 << 10) // so that the system does not read in its place
		}
		all.Go(func() { r.run(c) })
	}
	all.Wait() // by then the slow ones have begun, and the others are complete
	other.goOn()
	line, _ := other.line()
	peak, err := strconv.ParseUint(strings.TrimSpace(line), 10, 64)
	if err != nil {
		t.Fatalf("%q: %v, want the peak", line, err)
	}
	return peak, readers
}

// wantStreams compares what came with the text and returns how many were coded.
func wantStreams(t *testing.T, readers []streamReader, text []byte, reason string) (coded int) {
	t.Helper()
	encoder, err := servery.Gzip(6).New()
	if err != nil {
		t.Fatal(err)
	}
	whole := sha256.New()
	encoder.Reset(whole)
	if _, err := encoder.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := encoder.Close(); err != nil {
		t.Fatal(err)
	}
	want := map[bool][sha256.Size]byte{true: [sha256.Size]byte(whole.Sum(nil)), false: sha256.Sum256(text)}
	for i, r := range readers {
		if r.err != nil || !r.slow && r.sum != want[r.coded] {
			t.Errorf("client %d: %v, or a body that is not the text: %s", i, r.err, reason)
		}
		if r.coded {
			coded++
		}
	}
	return coded
}
