package protocols

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/summerwind/h2spec/config"
	"github.com/summerwind/h2spec/generic"
	"github.com/summerwind/h2spec/hpack"
	"github.com/summerwind/h2spec/http2"
	"github.com/summerwind/h2spec/spec"

	"servery"
	"servery/internal/testkit"
)

// h2specURL is where a process finds the URL that it is to test instead of all else.
// h2spec leaves connections open and writes to the standard output, neither of which
// there is an option for; and it waits more than it works, so that many go at once.
const h2specURL = "SERVERY_H2SPEC_URL"

// A conformance is what came of h2spec.
type conformance struct {
	Failed []string // the tests by their numbers, such as http2/5.1/9, sorted
	Run    int      // how many tests there were
}

// h2spec lets h2spec loose on a URL, in a process of its own: all of it, or one test.
func h2spec(ctx context.Context, url, only string) (c conformance, err error) {
	cmd := exec.CommandContext(ctx, os.Args[0], only)
	cmd.Env = append(os.Environ(), h2specURL+"="+url)
	out, err := cmd.Output()
	if err != nil {
		return c, fmt.Errorf("h2spec: %w\n%s", err, out)
	}
	return c, json.Unmarshal(out, &c)
}

// runH2Spec is that process. It writes a conformance as JSON.
func runH2Spec(raw, only string) error {
	out := os.Stdout
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	os.Stdout = null
	u, err := url.Parse(raw)
	if err != nil {
		return err
	}
	port, err := strconv.Atoi(u.Port())
	if err != nil {
		return err
	}
	given := &config.Config{
		Host: u.Hostname(), Port: port, Path: u.Path, TLS: u.Scheme == "https", Insecure: true,
		Timeout: time.Second, MaxHeaderLen: 4000, Strict: true,
	}
	if only != "" {
		given.Sections = []string{only}
	}
	var c conformance
	for _, group := range []*spec.TestGroup{generic.Spec(), http2.Spec(), hpack.Spec()} {
		group.Test(given)
		c.Run += group.PassedCount + group.FailedCount
		c.Failed = append(c.Failed, failures(group)...)
	}
	slices.Sort(c.Failed)
	return json.NewEncoder(out).Encode(c)
}

func failures(group *spec.TestGroup) (failed []string) {
	for _, test := range slices.Concat(group.Tests, group.StrictTests) {
		if test.Result != nil && test.Result.Failed {
			failed = append(failed, fmt.Sprintf("%s/%d", group.ID(), test.Result.Sequence))
		}
	}
	for _, inner := range group.Groups {
		failed = append(failed, failures(inner)...)
	}
	return failed
}

// always makes every request one that accepts gzip, since h2spec never asks for it.
func always(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Accept-Encoding", "gzip")
		handler.ServeHTTP(w, r)
	})
}

// isRace reports whether a test is about frames for streams that are closed already, or
// about the last frame before the connection's end: what net/http answers with depends on
// which of two goroutines is first, and it fails these now and then whatever the handler.
func isRace(test string) bool {
	return strings.HasPrefix(test, "http2/5.1/") || strings.HasPrefix(test, "http2/5.4.1/")
}

// failsAlways reports whether a test fails each time. Some depend on what comes first, the
// end of the connection or the frame that says why.
func failsAlways(ctx context.Context, t *testing.T, url, test string) bool {
	t.Helper()
	for range 15 {
		c, err := h2spec(ctx, url, test)
		if err != nil || c.Run != 1 {
			t.Errorf("%d tests are %s (%v)", c.Run, test, err)
		}
		if len(c.Failed) == 0 {
			return false
		}
	}
	return true
}

// What net/http gets wrong of HTTP/2 it does without servery's handlers as well: they add
// no fault, with bodies as they are and coded, over TLS and without.
func TestH2Spec(t *testing.T) {
	t.Parallel() // it waits for others most of the time
	files := fileServer(t)
	bare := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, text(10_000))
	})
	type subject struct {
		name, target string
		handler      http.Handler
		url          string
		conformance
		err error
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*testkit.Patience)
	defer cancel()
	var all sync.WaitGroup
	var subjects []*subject
	for _, protocol := range []string{"HTTP/2.0", "h2c"} {
		for _, s := range []*subject{
			{name: "bare", target: "/", handler: bare},
			{name: "files", target: "/medium.txt", handler: files},
			{name: "coded files", target: "/medium.txt", handler: always(files)},
			{name: "Compress", target: "/", handler: always(servery.Compress(nil)(bare))},
		} {
			s.name = protocol + ", " + s.name
			s.url = serve(t, protocol, s.handler).url + s.target
			subjects = append(subjects, s)
			all.Go(func() { s.conformance, s.err = h2spec(ctx, s.url, "") })
		}
	}
	all.Wait()
	for i, s := range subjects {
		reference := subjects[i-i%4]
		if s.err != nil || s.Run != reference.Run || s.Run < 100 {
			t.Errorf("%s: %d tests, of the bare server %d (%v)", s.name, s.Run, reference.Run, s.err)
		}
		t.Logf("%s: %d tests, failed %q", s.name, s.Run, s.Failed)
		for _, test := range s.Failed {
			if slices.Contains(reference.Failed, test) || isRace(test) {
				continue
			}
			all.Go(func() {
				if failsAlways(ctx, t, s.url, test) && !failsAlways(ctx, t, reference.url, test) {
					t.Errorf("%s: fails %s, which the bare server does not", s.name, test)
				}
			})
		}
	}
	all.Wait()
}
