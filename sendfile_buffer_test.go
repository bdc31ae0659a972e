//go:build !race

package servery_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"testing"

	"servery"
	"servery/internal/testkit"
)

// stalled is a response whose client does not read: with sendfile, as that of
// net/http has it. It lets go when told.
type stalled struct {
	discarding
	begun *sync.WaitGroup
	goOn  chan struct{}
}

func (s *stalled) ReadFrom(r io.Reader) (int64, error) {
	s.begun.Done()
	<-s.goOn
	return s.discarding.ReadFrom(r)
}

// What is sent by sendfile holds no buffer while it is sent: clients that are slow
// cost what net/http needs for them and no more.
func TestSendfileHoldsNoBuffer(t *testing.T) {
	const downloads = 200
	const most = 8 << 10 // bytes a download, goroutine and header included
	dir := testkit.Tree(t, map[string]string{"large.txt": realText(t, 2<<20)})
	handler := servery.FileServer(openDir(t, dir), &servery.FileServerOptions{SmallFileBuffer: 256 << 10})
	var begun, ended sync.WaitGroup
	goOn := make(chan struct{})
	before := inUse()
	for range downloads {
		begun.Add(1)
		ended.Go(func() {
			w := &stalled{discarding{header: make(http.Header)}, &begun, goOn}
			handler.ServeHTTP(w, httptest.NewRequest("GET", "/large.txt", nil))
		})
	}
	begun.Wait()
	during := inUse()
	close(goOn)
	ended.Wait()
	if each := (int64(during) - int64(before)) / downloads; each > most {
		t.Errorf("%d bytes are held for each download by sendfile, want %d at most", each, most)
	}
}

func inUse() uint64 {
	runtime.GC()
	runtime.GC() // what a sync.Pool keeps lasts for two
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
