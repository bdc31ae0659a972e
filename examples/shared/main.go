// Shared serves two directories and an API that share what they hold and what they may
// use of the processors, and tells their figures on an address of its own.
//
//	go run ./examples/shared -a docs -b public -addr 127.0.0.1:8080 -admin 127.0.0.1:8081
//	curl http://127.0.0.1:8081/debug/vars
package main

import (
	"context"
	"encoding/json"
	"errors"
	"expvar"
	"fmt"
	"io"
	"net/http"
	"strings"

	"servery"
	"servery/examples/internal/program"
)

func main() { program.Main(run) }

const about = `Shared serves one directory below /a/, another below /b/ and an API below /api/.`

func run(ctx context.Context, args []string, output io.Writer) error {
	flags := program.Flags(output, "shared", about)
	a := flags.String("a", ".", "the `directory` for /a/")
	b := flags.String("b", ".", "the `directory` for /b/")
	addr := flags.String("addr", "127.0.0.1:8080", "the `address` to listen on")
	adminAddr := flags.String("admin", "127.0.0.1:8081", "the `address` for figures, which is not for the public")
	if err := program.Parse(flags, args); err != nil {
		return err
	}
	dirA, err := servery.OpenDir(*a)
	if err != nil {
		return err
	}
	defer dirA.Close()
	dirB, err := servery.OpenDir(*b)
	if err != nil {
		return err
	}
	defer dirB.Close()

	cache := servery.NewCompressionCache(64 << 20)
	limiter := servery.NewLimiter(servery.LimiterOptions{})
	outcomes := publish(cache, limiter)

	mux := http.NewServeMux()
	for prefix, dir := range map[string]*servery.Dir{"/a/": dirA, "/b/": dirB} {
		mux.Handle(prefix, http.StripPrefix(strings.TrimSuffix(prefix, "/"), servery.FileServer(dir, &servery.FileServerOptions{
			Cache:   cache,
			Limiter: limiter,
			// Long responses of the API wait in the same queue. When it is full a file is
			// better sent as it is than refused.
			OnSaturation: servery.ServeIdentity,
			Observe:      count(outcomes, prefix),
		})))
	}
	mux.Handle("/api/", servery.Compress(&servery.CompressOptions{
		Limiter: limiter,
		Observe: count(outcomes, "/api/"),
	})(http.HandlerFunc(squares)))

	// expvar registers itself with http.DefaultServeMux, which is served nowhere here:
	// its figures tell the command line and more.
	admin := http.NewServeMux()
	admin.Handle("GET /debug/vars", expvar.Handler())

	served := program.Serve(ctx, output,
		program.Site{Name: "the public", Addr: *addr, Handler: mux},
		program.Site{Name: "figures", Addr: *adminAddr, Handler: admin})

	// Nobody asks any more. What is being made for those who have gone still reads from
	// the directories, and so it ends before they are closed.
	limit, cancel := context.WithTimeout(context.Background(), program.Grace)
	defer cancel()
	return errors.Join(served, cache.Shutdown(limit))
}

// stats is what /debug/vars tells of servery. A name can be published only once.
var stats = expvar.NewMap("servery")

// publish publishes the figures of cache and limiter, which are read when somebody asks
// for them, and returns a map for counts that is published beside them.
func publish(cache *servery.CompressionCache, limiter *servery.Limiter) *expvar.Map {
	outcomes := new(expvar.Map)
	stats.Set("cache", expvar.Func(func() any { return cache.Stats() }))
	stats.Set("limiter", expvar.Func(func() any { return limiter.Stats() }))
	stats.Set("outcomes", outcomes)
	return outcomes
}

// count counts the kinds of answers below a prefix, of which there are not many.
func count(outcomes *expvar.Map, prefix string) func(*http.Request, servery.Outcome) {
	return func(_ *http.Request, out servery.Outcome) {
		how := "uncoded: " + string(out.Uncoded)
		if out.Coding != "" {
			how = out.Coding
		}
		if out.Body != "" {
			how += ", " + string(out.Body)
		}
		outcomes.Add(fmt.Sprintf("%s %d %s", prefix, out.Status, how), 1)
	}
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
