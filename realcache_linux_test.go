package servery_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"servery"
	"servery/internal/testkit"
)

// realPolicy gives some files the least life in a cache that there is. Caches count in whole seconds, so that what
// they send can be twice as old, and realLag is what a busy machine adds.
func realPolicy(name string) string {
	if strings.HasPrefix(name, "aged") || strings.HasPrefix(name, "still") {
		return "max-age=1"
	}
	return modelPolicy(name)
}

const realLag = 5 * time.Second

// realOrigin is a FileServer beneath /files/ and Compress beneath /handled/, over files of the same names.
type realOrigin struct {
	addr     string
	trees    map[string]*modelTree
	answered [600]atomic.Int64 // by status
}

func newRealOrigin(t *testing.T) *realOrigin {
	t.Helper()
	o := &realOrigin{trees: make(map[string]*modelTree)}
	random, words := rand.New(rand.NewPCG(rand.Uint64(), 0)), newModelWords(realText(t, 64<<10))
	names := []string{"aged.txt", "aged.json", "asked.txt", "image.png", "never.txt", "still.txt", "still.json"}
	for _, name := range []string{"files", "handled"} {
		tree, err := newModelTree(t.TempDir(), words, names, random, modelReplace)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range tree.files {
			switch {
			case strings.HasPrefix(f.name, "still"):
				f.changing.Lock() // for good
				fallthrough
			case strings.HasPrefix(f.name, "aged"):
				f.lag = realLag
			}
		}
		o.trees[name] = tree
	}
	testkit.Settle()
	mux := http.NewServeMux()
	files := servery.FileServer(openDir(t, o.trees["files"].dir), &servery.FileServerOptions{CacheControl: realPolicy})
	mux.Handle("/files/", http.StripPrefix("/files", files))
	mux.Handle("/handled/", http.StripPrefix("/handled", servery.Compress(nil)(modelHandler(o.trees["handled"].dir, realPolicy))))
	o.addr = testkit.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		counted := &countedStatus{ResponseWriter: w}
		mux.ServeHTTP(counted, r)
		o.answered[counted.status].Add(1)
	})).Addr
	return o
}

type countedStatus struct {
	http.ResponseWriter
	status int
}

func (w *countedStatus) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *countedStatus) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(p)
}

func (w *countedStatus) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// realRun is clients of a real cache, and what they met.
type realRun struct {
	*realOrigin
	socket string
	fate   func(testkit.Response) string // tells a hit from what was fetched

	mu  sync.Mutex
	met map[string]int
}

// run has clients ask while the files change, until they have met everything that they were sent out for.
func (run *realRun) run(t *testing.T, want ...string) {
	t.Helper()
	run.met = make(map[string]int)
	start := time.Now()
	complete := func() bool {
		run.mu.Lock()
		defer run.mu.Unlock()
		return run.answered[http.StatusNotModified].Load() > 0 && time.Since(start) > time.Second &&
			!slices.ContainsFunc(want, func(what string) bool { return run.met[what] == 0 })
	}
	var clients sync.WaitGroup
	for range modelClients {
		clients.Go(func() {
			c := &modelClient{rand.New(rand.NewPCG(rand.Uint64(), 0)), make(map[string][]holding)}
			wire := &modelWire{network: "unix", addr: run.socket, retries: true}
			defer wire.close()
			for !complete() && !t.Failed() && time.Since(start) < testkit.Patience {
				for range 20 {
					run.ask(t, c, wire)
				}
			}
		})
	}
	clients.Wait()
	t.Logf("%v, of the origin 304: %d, in %v", run.met, run.answered[http.StatusNotModified].Load(), time.Since(start))
	if !t.Failed() && !complete() {
		t.Errorf("the clients did not meet all of %q, and 304 of the origin", want)
	}
}

// ask changes a file at times, and lets a client ask once.
func (run *realRun) ask(t *testing.T, c *modelClient, wire *modelWire) {
	site := [...]string{"files", "handled"}[c.random.IntN(2)]
	tree := run.trees[site]
	if c.random.IntN(100) == 0 {
		if err := tree.change(c.random); err != nil {
			t.Error(err)
		}
	}
	f := tree.files[c.random.IntN(len(tree.files))]
	target := "/" + site + "/" + f.name
	q, held := c.next(target, target)
	for _, name := range []string{"If-None-Match", "If-Match"} { // of which nginx lets through no second line
		if lines := q.header[name]; len(lines) > 1 {
			q.header[name] = []string{strings.Join(lines, ", ")}
		}
	}
	from := f.open()
	r := wire.exchange(q)
	_, err := modelJudge{file: f, cached: true}.judge(q, r, from)
	if err = errors.Join(err, r.Err, isRestOf(held, q, r)); err != nil {
		t.Errorf("%s %s %v\n%d %v, %d bytes:\n%v", q.method, target, q.header, r.Status, r.Header, len(r.Body), err)
		return
	}
	c.remember(target, q, r)
	fate := run.fate(r)
	run.mu.Lock()
	defer run.mu.Unlock()
	run.met[fate]++
	run.met[fmt.Sprint(fate, " ", r.Status)]++
	if coding := r.Header.Get("Content-Encoding"); coding != "" {
		run.met[fmt.Sprint(fate, " ", coding)]++
		if r.Status == http.StatusPartialContent {
			run.met[fate+" part of "+coding]++
		}
	}
	if tag := r.Header.Get("Etag"); r.Status == http.StatusOK && strings.HasPrefix(tag, "W/") {
		run.met[fate+" weak"]++
	}
	if held != nil && r.Status == http.StatusPartialContent {
		run.met[fate+" resumed"]++
	}
}
