//go:build unix

package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"

	"servery"
)

// What is flushed through Compress comes to a page piece by piece, while the handler waits
// for the test to have seen it: events as they are, lines of JSON coded.
func TestStreams(t *testing.T) {
	browser := start(t)
	const pieces = 5
	for _, tt := range []struct {
		target, contentType, format, coding string
	}{
		{"/events", "text/event-stream", "data: %d\n\n", ""},
		{"/lines", "application/x-ndjson", "{\"line\":%d}\n", "zstd"},
	} {
		t.Run(tt.target, func(t *testing.T) {
			goOn := make(chan struct{})
			mux := http.NewServeMux()
			mux.Handle("/", servery.FileServer(app(t), nil))
			mux.Handle(tt.target, servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", tt.contentType)
				for i := range pieces {
					fmt.Fprintf(w, tt.format, i)
					if err := http.NewResponseController(w).Flush(); err != nil {
						t.Error(err)
					}
					select {
					case <-goOn:
					case <-r.Context().Done():
						return
					}
				}
			})))
			server := httptest.NewServer(mux)
			t.Cleanup(server.Close)
			b := open(t, browser, server.URL)
			b.do(chromedp.Navigate(server.URL + "/"))
			await(b, promised[page]("page"))
			b.take(parts(false))
			b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("stream(%q)", tt.target)))
			for i := range pieces {
				got := await(b, promised[string]("next()"))
				if want := fmt.Sprintf("%d open", i); got != want {
					t.Fatalf("piece %d: got %q, want %q", i, got, want)
				}
				goOn <- struct{}{}
			}
			if end := await(b, promised[string]("next()")); end != "end" {
				t.Errorf("after the last piece: %q", end)
			}
			b.checkStream(tt.target, tt.coding, pieces)
		})
	}
}

// checkStream checks what DevTools say of it.
func (b *tab) checkStream(target, coding string, pieces int) {
	b.t.Helper()
	b.mu.Lock()
	events, times := slices.Clone(b.events), slices.Clone(b.times)
	b.mu.Unlock()
	if coding == "" && (len(events) != pieces || !slices.IsSorted(events) || !slices.IsSorted(times)) {
		b.t.Errorf("events %q at %v, want %d in order", events, times, pieces)
	}
	fetches := slices.DeleteFunc(b.take(nil), func(f fetch) bool { return f.path != target }) // the page's sound may still be coming
	if len(fetches) != 1 || fetches[0].status != 200 || fetches[0].coding != coding {
		b.t.Errorf("got %+v, want one 200 in %q", fetches, coding)
	}
}
