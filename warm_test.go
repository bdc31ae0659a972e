package servery_test

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"servery"
	"servery/internal/testkit"
)

// warmTree has of each kind of file one.
func warmTree(t *testing.T) map[string]string {
	return map[string]string{
		"a.txt":               realText(t, 3000),
		"deep/b.js":           realText(t, 2000),
		"large.txt":           realText(t, 200<<10),
		".well-known/d.txt":   realText(t, 1500),
		"text":                realText(t, 1100), // by its content
		"noise.txt":           incompressible(2000),
		"small.txt":           realText(t, 1000),
		"above.txt":           realText(t, 300<<10), // MaxCompressSize
		"image.png":           realText(t, 4000),
		".hidden.txt":         realText(t, 4000),
		".git/e.txt":          realText(t, 4000),
		"binary":              "\x00" + incompressible(4000), // by its content
		"packed.html":         realText(t, 4000),
		"packed.html.zst":     "\x28\xb5\x2f\xfd\x20\x01\x01\x00\x00x", // not of the original's length, so it is passed over
		"deep/packed.css":     realText(t, 5000),
		"deep/packed.css.zst": string(frameOf(t, realText(t, 5000))),
	}
}

func frameOf(t *testing.T, text string) []byte {
	t.Helper()
	var b strings.Builder
	w, err := servery.Zstd(3).New()
	if err != nil {
		t.Fatal(err)
	}
	w.Reset(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return []byte(b.String())
}

// TestWarmMakesWhatRequestsGet: after it each request finds what it would have made.
func TestWarmMakesWhatRequestsGet(t *testing.T) {
	files := warmTree(t)
	memory := make(fstest.MapFS)
	for name, content := range files {
		memory[name] = &fstest.MapFile{Data: []byte(content), Mode: 0o644, ModTime: testkit.Past}
	}
	for name, root := range map[string]fs.FS{"dir": openDir(t, testkit.Tree(t, files)), "memory": memory} {
		t.Run(name, func(t *testing.T) {
			cache := servery.NewCompressionCache(32 << 20)
			handler := servery.FileServer(root, &servery.FileServerOptions{
				Cache: cache, MaxCompressSize: 250 << 10, Sidecars: []string{"zstd"},
			})
			stats, err := servery.Warm(t.Context(), handler)
			if err != nil {
				t.Fatal(err)
			}
			// Six files in two codings, one in gzip alone, and the verdict on the noise.
			if stats.Made != 2*6+1 || stats.Unworthy != 2 || stats.Failed+stats.Held != 0 || stats.Full {
				t.Errorf("%+v", stats)
			}
			before := cache.Stats()
			if before.Hits+before.Misses != 0 {
				t.Errorf("%+v: the counts are those of requests", before)
			}
			server := testkit.Serve(t, handler)
			for name, content := range files {
				for _, coding := range []string{"zstd", "gzip"} {
					got := server.Get("/"+name, "Accept-Encoding: "+coding)
					if got.Status == 200 && decoded(t, got.Header.Get("Content-Encoding"), got.Body) != content {
						t.Errorf("%s in %s is something else:\n%s", name, coding, got.Head)
					}
				}
			}
			after := cache.Stats()
			if after.Misses != before.Misses || after.Hits-before.Hits != 15 || after.Entries != before.Entries || after.Entries != 15 {
				t.Errorf("cache before the requests %+v, after them %+v", before, after)
			}
			if again, err := servery.Warm(t.Context(), handler); err != nil || again.Held != 15 || again.Made+again.Unworthy != 0 {
				t.Errorf("the second time: %+v, %v", again, err)
			}
		})
	}
}

// TestWarmStaysWithinTheCache: nothing is evicted, small files come first, and the
// preferred coding before the other.
func TestWarmStaysWithinTheCache(t *testing.T) {
	files := make(map[string]string)
	for i, name := range strings.Split("ihgfedcba", "") {
		files[name+".txt"] = realText(t, 4000+i) // i.txt is the smallest
	}
	for _, tt := range []struct {
		cache       int64
		zstd, gzip  string
		full        bool
		most, least int // of Files
		reason      string
	}{
		{0, "", "", true, 0, 0, "nothing may be held"},
		{511, "", "", true, 0, 0, "not even an overhead"},
		{4000, "", "", true, 7, 7, "no room for the first, if it does not shrink"},
		{12 << 10, "ihg", "", true, 9, 9, "room for three or four"},
		{26 << 10, "ihgfedcba", "i", true, 9, 9, "the second coding comes last"},
		{1 << 20, "ihgfedcba", "ihgfedcba", false, 9, 9, "room for all"},
	} {
		cache := servery.NewCompressionCache(tt.cache)
		root := openDir(t, testkit.Tree(t, files))
		handler := servery.FileServer(root, &servery.FileServerOptions{Cache: cache})
		stats, err := servery.Warm(t.Context(), handler)
		if err != nil || stats.Full != tt.full || stats.Files > tt.most || stats.Files < tt.least {
			t.Errorf("%s: %+v, %v", tt.reason, stats, err)
		}
		if got := cache.Stats(); got.Evictions != 0 || got.Bytes > tt.cache || got.Entries != stats.Made {
			t.Errorf("%s: %+v with %+v", tt.reason, got, stats)
		}
		server := testkit.Serve(t, handler)
		for coding, names := range map[string]string{"zstd": tt.zstd, "gzip": tt.gzip} {
			for _, name := range strings.Split(names, "") {
				before := cache.Stats()
				server.Get("/"+name+".txt", "Accept-Encoding: "+coding)
				if cache.Stats().Hits != before.Hits+1 {
					t.Errorf("%s: %s.txt is not held in %s", tt.reason, name, coding)
				}
			}
		}
	}
}

func TestWarmWantsAFileServer(t *testing.T) {
	root := openDir(t, testkit.Tree(t, warmTree(t)))
	inner := servery.FileServer(root, nil)
	for _, handler := range []http.Handler{nil, http.NotFoundHandler(), http.StripPrefix("/x", inner), servery.Compress(nil)(inner)} {
		if stats, err := servery.Warm(t.Context(), handler); err == nil || stats != (servery.WarmStats{}) {
			t.Errorf("%T: %+v, %v, want an error", handler, stats, err)
		}
	}
	none := servery.FileServer(root, &servery.FileServerOptions{Encoders: []servery.Encoder{}})
	if stats, err := servery.Warm(t.Context(), none); err != nil || stats != (servery.WarmStats{}) {
		t.Errorf("without encoders: %+v, %v", stats, err)
	}
}

// hookedGzip calls a function when it gets a writer.
func hookedGzip(hook func() error) servery.Encoder {
	e := servery.Gzip(6)
	inner := e.New
	e.New = func() (servery.EncoderWriter, error) {
		if err := hook(); err != nil {
			return nil, err
		}
		return inner()
	}
	return e
}

func TestWarmEnds(t *testing.T) {
	path := testkit.Tree(t, warmTree(t))
	cause := errors.New("enough")
	for _, tt := range []struct {
		reason string
		hook   func(cancel context.CancelCauseFunc, dir *servery.Dir, cache *servery.CompressionCache)
		want   error // nil for any
	}{
		{"with its context", func(cancel context.CancelCauseFunc, _ *servery.Dir, _ *servery.CompressionCache) { cancel(cause) }, cause},
		{"with the directory", func(_ context.CancelCauseFunc, dir *servery.Dir, _ *servery.CompressionCache) { dir.Close() }, fs.ErrClosed},
		{"with the cache", func(_ context.CancelCauseFunc, _ *servery.Dir, cache *servery.CompressionCache) {
			ended, cancel := context.WithCancel(context.Background())
			cancel()
			cache.Shutdown(ended)
		}, nil},
	} {
		dir, err := servery.OpenDir(path)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		cache := servery.NewCompressionCache(1 << 20)
		handler := servery.FileServer(dir, &servery.FileServerOptions{
			Cache:    cache,
			Encoders: []servery.Encoder{hookedGzip(func() error { tt.hook(cancel, dir, cache); return nil })},
		})
		stats, err := servery.Warm(ctx, handler)
		if err == nil || tt.want != nil && !errors.Is(err, tt.want) || stats.Made > 1 || stats.Failed > 0 {
			t.Errorf("%s: %+v, %v", tt.reason, stats, err)
		}
		if _, err := servery.Warm(ctx, handler); err == nil {
			t.Errorf("%s: it begins again", tt.reason)
		}
		cancel(nil)
		dir.Close()
		if err := cache.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// TestWarmGoesOn after files and encoders that fail.
func TestWarmGoesOn(t *testing.T) {
	files := map[string]string{"a.txt": realText(t, 2000), "b.txt": realText(t, 3000), "c.txt": realText(t, 4000)}
	path := testkit.Tree(t, files)
	calls := 0
	cache := servery.NewCompressionCache(1 << 20)
	broken := hookedGzip(func() error {
		if calls++; calls == 1 {
			return errors.New("broken")
		}
		return nil
	})
	handler := servery.FileServer(os.DirFS(path), &servery.FileServerOptions{Cache: cache, Encoders: []servery.Encoder{broken}})
	stats, err := servery.Warm(t.Context(), handler)
	if want := (servery.WarmStats{Files: 3, Made: 2, Failed: 1, Bytes: stats.Bytes}); err != nil || stats != want {
		t.Errorf("an encoder that fails: (-want +got)\n%s %v", cmp.Diff(want, stats), err)
	}
	cache.Purge()
	if err := os.WriteFile(filepath.Join(path, "a.txt"), []byte(files["a.txt"]), 0o644); err != nil {
		t.Fatal(err)
	}
	// Unless this machine takes 20 ms for it, nothing can be held of what was just written.
	stats, err = servery.Warm(t.Context(), handler)
	if err != nil || stats.Made < 2 || stats.Made+stats.Failed != 3 {
		t.Errorf("a file that was changed just now: %+v, %v", stats, err)
	}
}

// TestWarmWaitsForRequests: it takes no slot and is not turned away while requests have
// them all.
func TestWarmWaitsForRequests(t *testing.T) {
	files := map[string]string{"a.txt": realText(t, 2000), "b.txt": realText(t, 3000)}
	begun, goOn := make(chan struct{}, 1), make(chan struct{})
	first := true
	encoder := hookedGzip(func() error {
		if first {
			first = false
			begun <- struct{}{}
			<-goOn
		}
		return nil
	})
	limiter := servery.NewLimiter(servery.LimiterOptions{Workers: 1, Queue: -1})
	handler := servery.FileServer(openDir(t, testkit.Tree(t, files)), &servery.FileServerOptions{
		Encoders: []servery.Encoder{encoder}, Limiter: limiter, OffloadThreshold: 1,
	})
	server := testkit.Serve(t, handler)
	c := server.Dial()
	c.Send("GET", "/b.txt", "Accept-Encoding: gzip")
	<-begun
	type result struct {
		stats servery.WarmStats
		err   error
	}
	warmed := make(chan result, 1)
	go func() {
		stats, err := servery.Warm(t.Context(), handler)
		warmed <- result{stats, err}
	}()
	for limiter.Stats().Rejected < 2 { // it was turned away and came again
		select {
		case got := <-warmed:
			t.Fatalf("it did not wait: %+v", got)
		case <-time.After(time.Millisecond):
		}
	}
	close(goOn)
	if got := c.Read("GET"); got.Status != 200 || got.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("the request got\n%s", got.Head)
	}
	if got := <-warmed; got.err != nil || got.stats.Made+got.stats.Held != 2 || got.stats.Failed != 0 {
		t.Errorf("%+v", got)
	}
}
