//go:build !race

package servery_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"servery"
	"servery/internal/testkit"
)

// slowClient is a response whose client does not read: with sendfile, as that of
// net/http has it. It lets go when told.
type slowClient struct {
	header http.Header
	begun  *sync.WaitGroup
	goOn   chan struct{}
}

func (s *slowClient) Header() http.Header         { return s.header }
func (s *slowClient) WriteHeader(int)             {}
func (s *slowClient) Write(p []byte) (int, error) { return len(p), nil }

func (s *slowClient) ReadFrom(r io.Reader) (int64, error) {
	s.begun.Done()
	<-s.goOn
	return 0, nil
}

// What passes to sendfile holds no buffer of Compress while it is sent: clients that
// are slow cost what net/http needs for them and no more.
func TestCompressPassingHoldsNoBuffer(t *testing.T) {
	const downloads = 200
	const most = 8 << 10 // bytes a download, goroutine and header included
	path := filepath.Join(testkit.Tree(t, map[string]string{"large.txt": realText(t, 200_000)}), "large.txt")
	handler := servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, err := os.Open(path)
		if err != nil {
			panic(err)
		}
		defer file.Close()
		w.Header().Set("Content-Type", "image/png")
		w.Header().Set("Content-Length", "200000")
		io.Copy(w, file)
	}))
	var begun, ended sync.WaitGroup
	goOn := make(chan struct{})
	before := inUse()
	for range downloads {
		begun.Add(1)
		ended.Go(func() {
			w := &slowClient{make(http.Header), &begun, goOn}
			r := httptest.NewRequest("GET", "/", nil)
			r.Header.Set("Accept-Encoding", "gzip")
			handler.ServeHTTP(w, r)
		})
	}
	begun.Wait()
	during := inUse()
	close(goOn)
	ended.Wait()
	if each := (int64(during) - int64(before)) / downloads; each > most {
		t.Errorf("%d bytes are held for each download that passes, want %d at most", each, most)
	}
}
