package identity

import (
	"bytes"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"
)

// A file above the limit whose date means nothing is read once as well.
func TestContentTagAboveTheLimitIsMadeOnce(t *testing.T) {
	content := bytes.Repeat([]byte("content "), 10_000)
	f := newFixture(content, false)
	f.fsys.MapFS["file"].ModTime = time.Unix(0, 0)
	f.tags = NewTags(1000)
	for i := range 3 {
		before := f.fsys.reads.Load()
		tag, err := f.tag(t.Context(), t)
		if tag != tagOf(content) || err != nil {
			t.Errorf("tag %s, error %v, want the content's", tag, err)
		}
		if read := f.fsys.reads.Load() != before; read != (i == 0) {
			t.Errorf("request %d read the file: %v", i, read)
		}
	}
}

// However many files are asked for, no more are read at once than there are
// processors, and all get their tags.
func TestReadingIsBounded(t *testing.T) {
	most := int64(runtime.GOMAXPROCS(0))
	f := newFixture(nil, false)
	files := int(most) * 4
	for i := range files {
		content := bytes.Repeat([]byte{byte(i)}, 100_000)
		f.fsys.MapFS[fmt.Sprint(i)] = &fstest.MapFile{Data: content, ModTime: past()}
	}
	full, proceed := make(chan struct{}), make(chan struct{})
	var reading, peak, arrived atomic.Int64
	f.fsys.onRead = func() {
		now := reading.Add(1)
		defer reading.Add(-1)
		for old := peak.Load(); now > old && !peak.CompareAndSwap(old, now); old = peak.Load() {
		}
		if arrived.Add(1) == most {
			close(full)
		}
		<-proceed
	}
	var clients sync.WaitGroup
	for i := range files {
		clients.Go(func() {
			o, err := f.loader.Open(f.view, fmt.Sprint(i), Facts)
			if err != nil {
				t.Error(err)
				return
			}
			defer o.Close()
			if tag, err := f.tags.Of(t.Context(), o); err != nil || tag != tagOf(bytes.Repeat([]byte{byte(i)}, 100_000)) {
				t.Errorf("file %d: tag %s, error %v", i, tag, err)
			}
		})
	}
	<-full
	for f.tags.reading.Stats().Active < uint64(files) {
		runtime.Gosched() // until every file has its flight
	}
	close(proceed)
	clients.Wait()
	if got := peak.Load(); got > most {
		t.Errorf("%d files were read at once, want %d at most", got, most)
	}
	if open := f.fsys.open.Load(); open != 0 {
		t.Errorf("%d files open, want 0", open)
	}
}
