package soak

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"servery"
)

const (
	// cacheBytes and hotBytes are less than the cold files have.
	cacheBytes = 4 << 20
	hotBytes   = 1 << 20
	streams    = 32
)

// Stats are what a server holds at a moment.
type Stats struct {
	Goroutines, Descriptors int
	Resident                int64 // bytes of memory
	Cache                   servery.CompressionCacheStats
	Limiter                 servery.LimiterStats
}

// Served says where a server listens: for clients, and for who wants its Stats.
type Served struct{ Addr, Stats string }

// Serve serves the files of a directory and the answers of handlers, cut from a text of
// that size and seed. It writes Served as JSON to out and ends when in does.
func Serve(dir string, textSize int, seed uint64, in io.Reader, out io.Writer) error {
	root, err := servery.OpenDir(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	cache := servery.NewCompressionCache(cacheBytes)
	limiter := servery.NewLimiter(servery.LimiterOptions{Streams: streams})
	files := servery.FileServer(root, &servery.FileServerOptions{Cache: cache, Limiter: limiter, HotBytes: hotBytes})
	mux := http.NewServeMux()
	mux.Handle("/files/", http.StripPrefix("/files", files))
	mux.Handle("/", servery.Compress(&servery.CompressOptions{Limiter: limiter})(handlers(newText(textSize, seed))))

	main, addr, err := listen(mux)
	if err != nil {
		return err
	}
	stats, statsAddr, err := listen(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		json.NewEncoder(w).Encode(statsOf(cache, limiter))
	}))
	if err != nil {
		return err
	}
	if err := json.NewEncoder(out).Encode(Served{addr, statsAddr}); err != nil {
		return err
	}
	io.Copy(io.Discard, in)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return errors.Join(main.Shutdown(ctx), cache.Shutdown(ctx), stats.Shutdown(ctx))
}

func listen(handler http.Handler) (*http.Server, string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	server := &http.Server{Handler: handler}
	go server.Serve(l)
	return server, l.Addr().String(), nil
}

func statsOf(cache *servery.CompressionCache, limiter *servery.Limiter) Stats {
	entries, _ := os.ReadDir("/proc/self/fd")
	return Stats{runtime.NumGoroutine(), len(entries), resident(), cache.Stats(), limiter.Stats()}
}

// resident is 0 where the system does not say.
func resident() int64 {
	data, _ := os.ReadFile("/proc/self/statm")
	fields := strings.Fields(string(data))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

// handlers answer with a document of the size that is asked for, with numbered events, and
// with lines that are flushed one by one.
func handlers(t text) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/json/{name}/{size}", func(w http.ResponseWriter, r *http.Request) {
		size, err := strconv.ParseInt(r.PathValue("size"), 10, 64)
		if err != nil || size < headSize || size > int64(len(t)/2) {
			http.Error(w, "no such size", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		t.document(r.PathValue("name"), 0, size).writeTo(w)
	})
	mux.HandleFunc("/events", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		pieces(w, r, "data: %d\n\n")
	})
	mux.HandleFunc("/lines", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/x-ndjson")
		pieces(w, r, "{\"line\":%d}\n")
	})
	return mux
}

const pieceCount = 10

// pieces takes its time, so that many streams are open at once.
func pieces(w http.ResponseWriter, r *http.Request, format string) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for i := range pieceCount {
		fmt.Fprintf(w, format, i)
		if http.NewResponseController(w).Flush() != nil {
			return // the client has left
		}
		select {
		case <-r.Context().Done():
			return
		case <-tick.C:
		}
	}
}
