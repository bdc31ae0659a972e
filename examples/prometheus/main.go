// Prometheus serves a directory and an API, and tells Prometheus what becomes of the
// requests, on an address of its own. The figures are in metrics.go, to be copied.
//
//	go run -C examples/prometheus . -dir ../../testdata/site -addr 127.0.0.1:8080 -metrics 127.0.0.1:9090
package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"servery"
	"servery/examples/internal/program"
)

func main() { program.Main(run) }

const about = `Prometheus serves a directory and, below /api/, an API, and has /metrics on an address of its own.`

func run(ctx context.Context, args []string, output io.Writer) error {
	flags := program.Flags(output, "prometheus", about)
	path := flags.String("dir", ".", "the `directory` to serve")
	addr := flags.String("addr", "127.0.0.1:8080", "the `address` to listen on")
	metricsAddr := flags.String("metrics", "127.0.0.1:9090", "the `address` for /metrics, which is not for the public")
	if err := program.Parse(flags, args); err != nil {
		return err
	}
	dir, err := servery.OpenDir(*path)
	if err != nil {
		return err
	}
	defer dir.Close()

	cache := servery.NewCompressionCache(64 << 20)
	limiter := servery.NewLimiter(servery.LimiterOptions{})
	registry := prometheus.NewRegistry()
	registry.MustRegister(stats{cache, limiter})
	m := newMetrics(registry)

	mux := http.NewServeMux()
	mux.Handle("/", servery.FileServer(dir, &servery.FileServerOptions{
		Cache:        cache,
		Limiter:      limiter,
		OnSaturation: servery.ServeIdentity,
		Observe:      m.observe("files"),
	}))
	mux.Handle("/api/", servery.Compress(&servery.CompressOptions{
		Limiter: limiter,
		Observe: m.observe("api"),
	})(http.HandlerFunc(squares)))

	metrics := http.NewServeMux()
	metrics.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))

	served := program.Serve(ctx, output,
		program.Site{Name: *path, Addr: *addr, Handler: mux},
		program.Site{Name: "metrics", Addr: *metricsAddr, Handler: metrics})
	limit, cancel := context.WithTimeout(context.Background(), program.Grace)
	defer cancel()
	return errors.Join(served, cache.Shutdown(limit))
}

// squares is an API.
func squares(w http.ResponseWriter, r *http.Request) {
	var list [500]int
	for i := range list {
		list[i] = i * i
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(list)
}
