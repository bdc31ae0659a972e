package servery_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"unsafe"
	"weak"

	"servery"
	"servery/internal/testkit"
)

// stalledClient takes a response only when it is told to, and then ends as it is told.
type stalledClient struct {
	*httptest.ResponseRecorder
	begun chan int // is sent the status when the head is out
	end   chan func() error
}

func (c *stalledClient) Write([]byte) (int, error) {
	c.begun <- c.Code
	return 0, (<-c.end)()
}

// 128 listings are sent at once, however slowly, and one more is turned away. However
// each of them ends, it makes room for another.
func TestListingsUnderWayAreBounded(t *testing.T) {
	const most = 128
	var refusal servery.Outcome // told by the goroutine of this test
	handler := servery.FileServer(&crowdFS{total: 10}, &servery.FileServerOptions{Listing: true, Observe: func(_ *http.Request, out servery.Outcome) {
		if out.Status == http.StatusServiceUnavailable {
			refusal = out
		}
	}})
	begun, end, ended := make(chan int), make(chan func() error), make(chan any, most)
	serve := func(w http.ResponseWriter) {
		defer func() { ended <- recover() }()
		handler.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	}
	for _, tt := range []struct {
		end    func() error
		panics any
		reason string
	}{
		{func() error { return nil }, nil, "they are sent"},
		{func() error { return errors.New("gone") }, http.ErrAbortHandler, "their clients leave"},
		{func() error { panic("broken") }, "broken", "their writers panic"},
		{func() error { return nil }, nil, "there is room after those, too"},
	} {
		for i := range most {
			go serve(&stalledClient{httptest.NewRecorder(), begun, end})
			select {
			case status := <-begun:
				if status != 200 {
					t.Fatalf("%s: %d are sent, and the next one gets %d", tt.reason, i, status)
				}
			case got := <-ended:
				t.Fatalf("%s: %d are sent, and the next one ends by %v", tt.reason, i, got)
			}
		}
		refused := httptest.NewRecorder()
		serve(refused)
		<-ended
		if refused.Code != 503 || refused.Header().Get("Retry-After") == "" || refused.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: the next one gets %d with %v", tt.reason, refused.Code, refused.Header())
		}
		if refusal.Err == nil || refusal.Uncoded != servery.UncodedStatus {
			t.Errorf("%s: of the next one is told %+v, want what it was turned away for", tt.reason, refusal)
		}
		refusal = servery.Outcome{}
		for range most {
			end <- tt.end
		}
		for range most {
			if got := <-ended; got != tt.panics {
				t.Errorf("%s: it ended by %v, want %v", tt.reason, got, tt.panics)
			}
		}
	}
}

// heldFS has a directory of 1,500 files, and knows whether that is open and whether the
// name of the last one is still in memory.
type heldFS struct {
	fs.FS
	open int
	last weak.Pointer[byte]
}

func (h *heldFS) Open(name string) (fs.File, error) {
	root, err := h.FS.Open(name)
	if err != nil {
		return nil, err
	}
	h.open++
	return &heldDir{root, h, 0}, nil
}

type heldDir struct {
	fs.File
	fs   *heldFS
	next int
}

func (d *heldDir) Close() error {
	d.fs.open--
	return d.File.Close()
}

func (d *heldDir) ReadDir(n int) (entries []fs.DirEntry, err error) {
	for ; n > 0 && d.next < 1500; n-- {
		entry := namedEntry{name: fmt.Sprintf("%0100d", d.next), info: crowdEntry(1)}
		d.fs.last = weak.Make(unsafe.StringData(entry.name))
		entries = append(entries, entry)
		d.next++
	}
	if len(entries) == 0 {
		return nil, io.EOF
	}
	return entries, nil
}

// While a client takes its page, neither the directory is held open nor the entries of the
// other pages in memory.
func TestListingHoldsButThePage(t *testing.T) {
	for _, accept := range []string{"text/html", "application/json"} {
		files := &heldFS{FS: fstest.MapFS{}}
		handler := servery.FileServer(files, listingOn)
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept", accept)
		begun, end, ended := make(chan int), make(chan func() error), make(chan any)
		go func() {
			defer func() { ended <- recover() }()
			handler.ServeHTTP(&stalledClient{httptest.NewRecorder(), begun, end}, r)
		}()
		<-begun
		runtime.GC()
		if files.open != 0 {
			t.Errorf("%s: %d directories are open", accept, files.open)
		}
		if files.last.Value() != nil {
			t.Errorf("%s: the name of an entry of another page is held", accept)
		}
		end <- func() error { return nil }
		if got := <-ended; got != nil {
			t.Errorf("%s: it ended by %v", accept, got)
		}
	}
}

// Each row repeats how the client gets to the directory. A path for which that is long,
// which nobody has by accident, is not found.
func TestListingRefusesLongBase(t *testing.T) {
	handler := servery.FileServer(&crowdFS{total: 10}, listingOn)
	for _, tt := range []struct {
		levels, status int
		reason         string
	}{
		{0, 200, "the root itself"},
		{340, 200, "there and back, by a reference of 1,020 bytes"},
		{342, 404, "and of 1,026"},
		{1365, 404, "the longest path"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.URL.Path = strings.Repeat("/a", tt.levels) + strings.Repeat("/", tt.levels+1) + strings.Repeat("../", tt.levels)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != tt.status || w.Body.Len() > 40_000 {
			t.Errorf("%d levels, %s: got %d with %d bytes, want %d", tt.levels, tt.reason, w.Code, w.Body.Len(), tt.status)
		}
	}
}

// Observe is told how large the listing is, whatever of it is sent.
func TestObserveListing(t *testing.T) {
	outcomes := newTold()
	server, _ := serveTree(t, map[string]string{"d/x": ""}, &servery.FileServerOptions{Listing: true, Observe: outcomes.observe})
	whole := server.Get("/d/")
	for _, tt := range []struct {
		got    testkit.Response
		status int
	}{
		{whole, 200},
		{server.Do("HEAD", "/d/"), 200},
		{server.Get("/d/", "If-None-Match: "+whole.Header.Get("Etag")), 304},
	} {
		out := <-outcomes
		if out.Status != tt.status || tt.got.Status != tt.status || out.PlainSize != int64(len(whole.Body)) || len(whole.Body) == 0 ||
			(out.Uncoded == servery.UncodedListing) != (tt.status == http.StatusOK) {
			t.Errorf("told %+v of an answer with %d bytes:\n%s", out, len(whole.Body), tt.got.Head)
		}
	}
}
