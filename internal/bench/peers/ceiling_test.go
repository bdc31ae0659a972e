package peers

import (
	"bytes"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestCeilingAnswersAsServeryDoes is what makes it a ceiling.
func TestCeilingAnswersAsServeryDoes(t *testing.T) {
	s := siteOf(t, bytes.Repeat([]byte("text of some length\n"), 3000))
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(s.Dir, "a.txt"), old, old); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		ceiling, own func(Site) (http.Handler, error)
		reason       string
	}{
		{newCeiling, newServery, "a file"},
		{newCompressCeiling, around(serveryCompress), "an answer of the application"},
	} {
		for _, coding := range []string{"", "gzip"} {
			ceiling, own := record(t, test.ceiling, s, coding), record(t, test.own, s, coding)
			// A file that was written this very moment has a weak tag until the clock has
			// moved on, for which there is no event.
			for begin := time.Now(); isWeak(own) && time.Since(begin) < time.Minute; time.Sleep(time.Millisecond) {
				own = record(t, test.own, s, coding)
			}
			if own.Code != http.StatusOK || own.Header().Get("Content-Encoding") != coding {
				t.Errorf("servery: status %d, Content-Encoding %q: %s", own.Code, own.Header().Get("Content-Encoding"), test.reason)
			}
			if own.Header().Get("Content-Length") == "" {
				// The application declares none, and what passes through it is not known.
				ceiling.Header().Del("Content-Length")
			}
			if !maps.EqualFunc(ceiling.Header(), own.Header(), slices.Equal) {
				t.Errorf("Accept-Encoding %q: the ceiling sends\n%v\nservery\n%v: %s", coding, ceiling.Header(), own.Header(), test.reason)
			}
			if !bytes.Equal(ceiling.Body.Bytes(), own.Body.Bytes()) {
				t.Errorf("Accept-Encoding %q: the bodies differ: %s", coding, test.reason)
			}
		}
	}
}

func isWeak(w *httptest.ResponseRecorder) bool {
	return strings.HasPrefix(w.Header().Get("Etag"), "W/")
}

func record(t *testing.T, handlerOf func(Site) (http.Handler, error), s Site, coding string) *httptest.ResponseRecorder {
	t.Helper()
	handler, err := handlerOf(s)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodGet, "/a.txt", nil)
	if coding != "" {
		r.Header.Set("Accept-Encoding", coding)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

func TestCeilingRevalidates(t *testing.T) {
	handler, err := newCeiling(siteOf(t, []byte("text")))
	if err != nil {
		t.Fatal(err)
	}
	full := httptest.NewRecorder()
	handler.ServeHTTP(full, httptest.NewRequest(http.MethodGet, "/a.txt", nil))
	tag := full.Header().Get("ETag")
	for match, want := range map[string]int{tag: 304, `"other"`: 200} {
		r := httptest.NewRequest(http.MethodGet, "/a.txt", nil)
		r.Header.Set("If-None-Match", match)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != want || w.Header().Get("ETag") != tag || (w.Body.Len() == 0) != (want == 304) {
			t.Errorf("If-None-Match %s: status %d, ETag %s, %d bytes", match, w.Code, w.Header().Get("ETag"), w.Body.Len())
		}
	}
}
