package servery_test

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"time"

	"servery"
	"servery/internal/testkit"
)

// peak is the most memory that the heap had in use while run ran, looked at every
// fifth of a millisecond.
func peak(run func() error) (bytes uint64, err error) {
	over, ended := make(chan struct{}), make(chan struct{})
	look := func() {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"}}
		metrics.Read(sample)
		bytes = max(bytes, sample[0].Value.Uint64()+sample[1].Value.Uint64())
	}
	go func() {
		defer close(ended)
		ticks := time.NewTicker(200 * time.Microsecond)
		defer ticks.Stop()
		for {
			look()
			select {
			case <-ticks.C:
			case <-over:
				return
			}
		}
	}()
	err = run()
	close(over)
	<-ended
	look()
	return bytes, err
}

// coldFiles is how many files are asked for at once.
const coldFiles = 500

// serveCoded is a role: it serves the directory that is its argument, says its peak
// of memory once it is told that all answers have come, and ends.
func serveCoded(args []string) error {
	dir, err := servery.OpenDir(args[0])
	if err != nil {
		return err
	}
	defer dir.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	cache := servery.NewCompressionCache(0)
	var gzip watched
	gzip.act = func([]byte) error { // nobody finishes before all have asked
		for cache.Stats().Misses < coldFiles {
			<-time.After(time.Millisecond)
		}
		return nil
	}
	go http.Serve(listener, servery.FileServer(dir, &servery.FileServerOptions{
		Encoders: []servery.Encoder{gzip.encoder()},
		Cache:    cache,
	}))
	fmt.Println(listener.Addr())
	runtime.GC()
	bytes, err := peak(pause)
	fmt.Println(bytes, runtime.GOMAXPROCS(0), cache.Stats().Misses)
	return err
}

// However many ask for however many files at once, there are only as many encoders
// at work as there are slots.
func TestMemoryOfManyColdFiles(t *testing.T) {
	leaveToPlain(t)
	const files, size, mib = coldFiles, 64 << 10, 1 << 20
	tree := make(map[string]string)
	text := realText(t, size+files)
	for i := range files {
		tree[fmt.Sprintf("%d.txt", i)] = text[i : i+size]
	}
	path := testkit.Tree(t, tree)
	other := another(t, "serve coded", path)
	defer other.end()
	address, ok := other.line()
	if !ok {
		t.Fatal("no server")
	}
	server := testkit.Connect(t, strings.TrimSpace(address))
	other.line() // it looks at its memory from now on

	var clients sync.WaitGroup
	start := make(chan struct{})
	for name, content := range tree {
		c := server.Dial()
		clients.Go(func() {
			<-start
			wantCoded(t, c.Do("GET", "/"+name, acceptGzip), content, name)
		})
	}
	close(start)
	clients.Wait()
	other.goOn()
	line, _ := other.line()
	var bytes uint64
	var procs, misses int
	if _, err := fmt.Sscan(line, &bytes, &procs, &misses); err != nil || misses != files {
		t.Fatalf("%q: %v, want the peak after %d cold files", line, err, files)
	}
	// An encoder takes about 1 MiB and collects up to three times its output, and a
	// request its goroutines, its buffers and the body that it sends. The collector
	// lets the heap grow to the double of that.
	slots, request := 2*procs, 96<<10
	most := uint64(2 * (slots*2*mib + files*request + 4*mib))
	t.Logf("peak of the heap %.1f MiB, want at most %.1f MiB", float64(bytes)/mib, float64(most)/mib)
	if bytes > most {
		t.Errorf("the heap had %d bytes in use, want at most %d", bytes, most)
	}
	if entries, err := os.ReadDir(filepath.Clean(path)); err != nil || len(entries) != files {
		t.Errorf("%d files by now, %v, want nothing written into the root", len(entries), err)
	}
}
