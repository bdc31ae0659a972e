package servery_test

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"servery"
	"servery/internal/testkit"
)

// heapInUse is what is reachable.
func heapInUse() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// Two links that lead nowhere else give one file as many names as anybody likes. What is remembered stays
// within its limit, whatever the names are sent with.
func TestMemoryOfManyNames(t *testing.T) {
	const limit = 2 << 20
	path := testkit.Tree(t, map[string]string{"f.txt": realText(t, 1100)})
	for _, link := range []string{"x", "y"} {
		if err := os.Symlink(".", filepath.Join(path, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		open   func(tb testing.TB, path string) fs.FS
		names  int
		query  string
		coding string
		reason string
	}{
		{anchored, scaled(30_000), "", "", "many names"},
		{anchored, scaled(1000), strings.Repeat("q", 100_000), "", "long request lines"},
		{foreign, scaled(1000), strings.Repeat("q", 100_000), "gzip", "long request lines, and tags and bodies that are kept by name"},
	} {
		handler := servery.FileServer(tt.open(t, path), &servery.FileServerOptions{HotBytes: limit})
		before, holding := heapInUse(), testkit.Holding()
		for i := range tt.names {
			bits := strings.NewReplacer("0", "x/", "1", "y/").Replace(fmt.Sprintf("%017b", i))
			r := httptest.NewRequest(http.MethodGet, "/"+bits+"f.txt?"+tt.query, nil)
			r.Header.Set("Accept-Encoding", tt.coding)
			w := httptest.NewRecorder()
			if handler.ServeHTTP(w, r); w.Code != http.StatusOK {
				t.Fatalf("%s: status %d for %s", tt.reason, w.Code, bits)
			}
		}
		if grown := heapInUse() - before; grown > 2*limit {
			t.Errorf("%s: %d bytes are held after %d requests, want %d at most", tt.reason, grown, tt.names, 2*limit)
		} else {
			t.Logf("%s: %d bytes are held after %d requests", tt.reason, grown, tt.names)
		}
		if err := holding.Regained(); err != nil {
			t.Errorf("%s: %v", tt.reason, err)
		}
		runtime.KeepAlive(handler)
	}
}
