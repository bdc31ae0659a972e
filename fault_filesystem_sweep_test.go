package servery_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"servery"
	"servery/internal/testkit"
)

// bentRequests are the ways through a file system.
type bentRequest struct{ method, target, field, name string }

var bentRequests = []bentRequest{
	{"GET", "/small.txt", "Accept: */*", "small.txt"},
	{"HEAD", "/small.txt", "Accept: */*", "small.txt"},
	{"GET", "/untyped", "Accept: */*", "untyped"},
	{"GET", "/medium.txt", "Accept: */*", "medium.txt"},
	{"GET", "/medium.txt", "Range: bytes=100-18000", "medium.txt"},
	{"GET", "/medium.txt", acceptGzip, "medium.txt"},
	{"GET", "/packed.txt", acceptGzip, "packed.txt"},
	{"GET", "/docs/", "Accept: */*", "docs/index.html"},
}

// Each call that a request makes of somebody else's file system goes wrong once, and once
// with all that follow. The answer is whole, an error, or torn; every file is closed,
// nothing is held, and the next request is answered well.
func TestEachCallOfAFileSystemGoesWrong(t *testing.T) {
	held := bentFiles(t)
	before := testkit.Holding()
	t.Run("kinds", func(t *testing.T) {
		for _, kind := range []string{"", "seek", "read at offsets"} {
			t.Run(kind, func(t *testing.T) {
				t.Parallel()
				for _, request := range bentRequests {
					sweep(t, held, kind, request)
				}
			})
		}
	})
	if err := before.Regained(); err != nil {
		t.Error(err)
	}
}

// sweep asks once to see the calls, and once more for each of them and each way in which
// it can go wrong.
func sweep(t *testing.T, held fstest.MapFS, kind string, request bentRequest) {
	t.Helper()
	straight := newBentRun(t, held, kind, nil)
	straight.check(request, held[request.name].Data)
	calls := straight.fsys.calls[:len(straight.fsys.calls)/2] // it has been asked twice
	for i, call := range calls {
		for _, way := range bends() {
			for _, more := range []bool{false, true} {
				if more && raced { // there are no other goroutines in it
					continue
				}
				if way.at, way.more = i+1, more; way.applies(call) {
					run := newBentRun(t, held, kind, &way)
					run.label = fmt.Sprintf("%s %s, %s; files that %q; %s as call %d (%s), more: %v",
						request.method, request.target, request.field, kind, way.name, i+1, call, more)
					run.check(request, held[request.name].Data)
				}
			}
		}
	}
}

type bentRun struct {
	*coding
	t       *testing.T
	fsys    *bending
	handler http.Handler
	label   string
}

func newBentRun(t *testing.T, held fstest.MapFS, kind string, bend *bend) *bentRun {
	fsys := &bending{held: held, kind: kind, bend: bend}
	run := &bentRun{coding: newCoding(32<<20, servery.LimiterOptions{}), t: t, fsys: fsys}
	run.handler = servery.FileServer(fsys, &servery.FileServerOptions{
		Encoders:         []servery.Encoder{servery.Gzip(1)},
		Sidecars:         []string{"gzip"},
		Cache:            run.cache,
		Limiter:          run.limiter,
		OffloadThreshold: 10_000,
	})
	return run
}

// headWatch tells what of the file system's calls went wrong before the head was out.
type headWatch struct {
	*httptest.ResponseRecorder
	fsys *bending
	hits int // then, or -1
}

func (w *headWatch) WriteHeader(status int) {
	w.fsys.mu.Lock()
	w.hits = len(w.fsys.hits)
	w.fsys.mu.Unlock()
	w.ResponseRecorder.WriteHeader(status)
}

func (r *bentRun) check(request bentRequest, data []byte) {
	r.t.Helper()
	w, panicked := r.ask(request)
	switch {
	case len(r.fsys.hits) > 0:
		r.judge(w, panicked, request.method, data)
	case r.fsys.bend != nil:
		r.t.Errorf("%s: it has not come to it", r.label)
	}
	r.fsys.mu.Lock()
	r.fsys.bend = nil
	r.fsys.mu.Unlock()
	w, panicked = r.ask(request)
	if plain, err := plainOf(w, request.method); panicked != nil || err != nil || w.Code >= 400 || request.method != "HEAD" && !isAnswer(w, plain, data) {
		r.t.Errorf("%s: then panic %v, %v, status %d with %d bytes", r.label, panicked, err, w.Code, len(plain))
	}
	if r.fsys.open != 0 {
		r.t.Errorf("%s: %d files left open", r.label, r.fsys.open)
	}
	if c, l := r.cache.Stats(), r.limiter.Stats(); c.Flights != 0 || l.Active != 0 || l.Queued != 0 {
		r.t.Errorf("%s: %+v %+v", r.label, c, l)
	}
}

// ask fails a test whose request is not over in time.
func (r *bentRun) ask(asked bentRequest) (*headWatch, any) {
	r.t.Helper()
	w := &headWatch{httptest.NewRecorder(), r.fsys, -1}
	request := httptest.NewRequest(asked.method, asked.target, nil)
	name, value, _ := strings.Cut(asked.field, ": ")
	request.Header.Set(name, value)
	over := make(chan any, 1)
	go func() { over <- panicOf(func() { r.handler.ServeHTTP(w, request) }) }()
	select {
	case panicked := <-over:
		return w, panicked
	case <-time.After(testkit.Patience / 4):
		r.t.Fatalf("%s: hangs", r.label)
		return nil, nil
	}
}

// judge demands the outcome that the place of the first wrong call leaves.
func (r *bentRun) judge(w *headWatch, panicked any, method string, data []byte) {
	r.t.Helper()
	bend, hit := r.fsys.bend, r.fsys.hits[0]
	call, name, _ := strings.Cut(hit, " ")
	plain, err := plainOf(w, method)
	whole := panicked == nil && w.Code < 400 && err == nil && (method == "HEAD" || isAnswer(w, plain, data))
	begun := panicked == nil && w.Code < 400 && err == nil && strings.HasPrefix(string(data), plain)
	failed := panicked == nil && w.Code == http.StatusInternalServerError
	aborted := panicked == http.ErrAbortHandler
	optional := strings.HasSuffix(name, ".gz") || name == "docs" && (call == "Read" || call == "ReadAt" || call == "Seek")
	ok := whole || failed || aborted
	switch {
	case bend.name == "panic":
		ok = panicked == errBent || aborted && w.hits == 0
	case bend.name == "error" && call == "Close":
		ok = whole
	case bend.name == "error" && w.hits == 0: // the head was out
		ok = aborted || whole && !bend.more
	case bend.name == "error" && bend.more && !optional:
		ok = failed || whole && call == "Read" // the one that would have said that there is no more
	case bend.name == "error" && bend.more:
		ok = whole || failed
	case bend.name == "a directory" || bend.name == "a device":
		ok = ok || w.Code == http.StatusNotFound || w.Code == http.StatusMovedPermanently
	case bend.name == "shorter" || bend.name == "empty":
		ok = ok || begun || optional && bend.more // who says always the same is believed
	}
	if !ok {
		r.t.Errorf("%s: at %s, head out %v: panic %v, status %d, %d bytes, %v", r.label, hit, w.hits == 0, panicked, w.Code, len(plain), err)
	}
}

// isAnswer reports whether the plain bytes are all that was asked for. Files that only
// read have no ranges.
func isAnswer(w *headWatch, plain string, data []byte) bool {
	if w.Code == http.StatusPartialContent {
		return plain == string(data[100:18001])
	}
	return plain == string(data)
}

func plainOf(w *headWatch, method string) (string, error) {
	body := w.Body.String()
	if length := w.Header().Get("Content-Length"); method != "HEAD" && length != "" && length != strconv.Itoa(len(body)) {
		return body, fmt.Errorf("Content-Length %s of %d bytes", length, len(body))
	}
	if w.Header().Get("Content-Encoding") != "" && method != "HEAD" && w.Code == 200 {
		return undo("gzip", []byte(body))
	}
	return body, nil
}
