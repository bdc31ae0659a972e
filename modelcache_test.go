//go:build unix

package servery_test

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"servery/internal/testkit"
)

// The long form is
//
//	go test -run '^TestModelCache$' -timeout 0 -modelcache.exchanges 1000000 .
var (
	modelExchanges = flag.Int("modelcache.exchanges", 0, "exchanges through the model cache; 0 means a few thousand")
	modelSeed      = flag.Uint64("modelcache.seed", 0, "seed of the model cache's clients and files; 0 means a new one")
)

// modelWire is a connection to an origin that is made anew where the origin closed it.
type modelWire struct {
	network, addr string
	retries       bool // as RFC 9112, section 9.3.1, has clients do

	conn   net.Conn
	reader *bufio.Reader
}

func (w *modelWire) close() {
	if w.conn != nil {
		w.conn.Close()
		w.conn = nil
	}
}

// head sends a request and reads the head of the answer.
func (w *modelWire) head(q modelRequest) (*http.Response, error) {
	if w.conn == nil {
		conn, err := net.DialTimeout(w.network, w.addr, testkit.Patience)
		if err != nil {
			return nil, err
		}
		w.conn, w.reader = conn, bufio.NewReader(conn)
	}
	w.conn.SetDeadline(time.Now().Add(testkit.Patience))
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: test\r\n", q.method, q.target)
	q.header.Write(&b)
	if _, err := io.WriteString(w.conn, b.String()+"\r\n"); err != nil {
		return nil, err
	}
	return http.ReadResponse(w.reader, &http.Request{Method: q.method})
}

// exchange sends a request, once more if it may and the other side had closed a connection that was used before. The
// answer's Err is set if none came, or not all of it.
func (w *modelWire) exchange(q modelRequest) testkit.Response {
	used := w.conn != nil
	response, err := w.head(q)
	if err != nil && used && w.retries {
		w.close()
		response, err = w.head(q)
	}
	if err != nil {
		w.close()
		return testkit.Response{Err: err}
	}
	body, err := io.ReadAll(response.Body)
	if err != nil || response.Close {
		w.close()
	}
	return testkit.Response{Status: response.StatusCode, Header: response.Header, Body: body, Err: err}
}

// modelRun is clients, a cache for each site between them and it, and what they met.
type modelRun struct {
	sites  []*modelSite
	caches []*modelCache
	fault  func(format string, args ...any)
	blind  bool // to what is wrong with the answers of origins

	mu  sync.Mutex
	met map[string]int
}

func (m *modelRun) count(what ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, what := range what {
		m.met[what]++
	}
}

// modelClients is how many clients there are at once, each with connections of its own.
const modelClients = 4

// run has the clients exchange so much in all, unless over is set before.
func (m *modelRun) run(seed uint64, exchanges int, over *atomic.Bool) {
	m.met = make(map[string]int)
	m.caches = make([]*modelCache, len(m.sites))
	for i := range m.sites {
		m.caches[i] = new(modelCache)
	}
	var clients sync.WaitGroup
	for n := range modelClients {
		clients.Go(func() {
			c := &modelClient{rand.New(rand.NewPCG(seed, uint64(n))), make(map[string][]holding)}
			wires := make([]*modelWire, len(m.sites))
			for i, site := range m.sites {
				wires[i] = &modelWire{network: "tcp", addr: site.addr}
				defer wires[i].close()
			}
			for done := 0; done < exchanges/modelClients && !over.Load(); {
				i := c.random.IntN(len(m.sites))
				if c.random.IntN(m.sites[i].calm()) == 0 {
					if err := m.sites[i].tree.change(c.random); err != nil {
						m.fault("%s: %v", m.sites[i].name, err)
					}
					continue
				}
				m.exchange(c, m.sites[i], m.caches[i], wires[i])
				done++
			}
		})
	}
	clients.Wait()
}

// calm is how many exchanges there are for each change.
func (s *modelSite) calm() int {
	if s.name == "deployed" {
		return 200
	}
	return 15
}

// exchange lets a client ask once.
func (m *modelRun) exchange(c *modelClient, site *modelSite, cache *modelCache, wire *modelWire) {
	f := site.tree.files[c.random.IntN(len(site.tree.files))]
	judge := site.judge
	judge.file = f
	key := site.name + "/" + f.name
	q, held := c.next(key, "/"+f.name)
	from := f.open()
	var faults error
	got := cache.ask(q, func(onward modelRequest) (testkit.Response, *modelText) {
		r := wire.exchange(onward)
		if r.Err == nil && site.lints {
			for _, fault := range testkit.Lint(onward.method, onward.lines(), r) {
				faults = errors.Join(faults, errors.New(fault))
			}
		}
		text, err := judge.judge(onward, r, from)
		if r.Err == nil && r.Status/100 != 4 && text == nil {
			m.count("torn")
		}
		f.followed(text)
		if faults = errors.Join(faults, err); m.blind {
			faults = nil
		}
		return r, text
	})
	faults = errors.Join(faults, judge.client(q, got, from))
	if !(got.outcome == passed && judge.mayTearRest(held, from)) {
		faults = errors.Join(faults, isRestOf(held, q, got.Response))
	}
	if faults != nil {
		m.fault("%s %s %v\n%s, %d %v, %d bytes, %v:\n%v", q.method, key, q.header, got.outcome, got.Status, got.Header, len(got.Body), got.Err, faults)
		return
	}
	m.note(q, held, got)
	if got.outcome != passed || got.text != nil {
		c.remember(key, q, got.Response)
	}
}

// client judges what a client gets from the cache without another word of the origin, or after a 304.
func (j modelJudge) client(q modelRequest, got modelAnswer, from opening) error {
	if got.outcome == passed {
		return nil
	}
	err := errors.Join(acceptable(q, got.Response, j.refuses), j.conditionsHold(q, got.Response, from), j.fits(q, got.Response, got.text))
	if got.outcome == validated {
		w := from.strict.window()
		if strings.HasPrefix(got.Header.Get("Etag"), "W/") {
			w = from.weak.window()
		}
		err = errors.Join(err, unless(w.holds(got.text), "validated, and of no text among %d", len(w)))
	}
	return err
}

// note counts what a test of everything must have met.
func (m *modelRun) note(q modelRequest, held *holding, got modelAnswer) {
	m.count(string(got.outcome), fmt.Sprint(got.Status), fmt.Sprint(got.outcome, " ", got.Status))
	if coding := got.Header.Get("Content-Encoding"); coding != "" {
		m.count(fmt.Sprint(got.outcome, " ", coding))
	}
	switch {
	case got.Err != nil:
		m.count("broken off")
	case got.Status == http.StatusPartialContent && held != nil:
		m.count("resumed")
	case strings.HasPrefix(got.Header.Get("Content-Type"), "multipart/"):
		m.count("multipart")
	case q.method == http.MethodHead:
		m.count("HEAD")
	}
	if got.stored != nil && got.stored.combined {
		m.count("combined")
	}
	if strings.HasPrefix(got.Header.Get("Etag"), "W/") {
		m.count("weak")
	}
}

// Whatever a cache makes of the answers while the files change, each client gets the bytes of one version in a coding
// that it accepts, and what was validated is not older than the request.
func TestModelCache(t *testing.T) {
	seed, exchanges := *modelSeed, *modelExchanges
	if seed == 0 {
		seed = rand.Uint64()
	}
	if exchanges == 0 {
		exchanges = 6_000
		if raced {
			exchanges = 2_000
		}
	}
	defer func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	}()
	var over atomic.Bool
	m := &modelRun{fault: func(format string, args ...any) {
		over.Store(true)
		t.Errorf(format, args...)
	}}
	m.sites = modelSites(t, rand.New(rand.NewPCG(seed, modelClients)))
	start := time.Now()
	m.run(seed, exchanges, &over)
	t.Logf("seed %d, %d exchanges in %v", seed, exchanges, time.Since(start))
	for _, what := range slices.Sorted(maps.Keys(m.met)) {
		t.Logf("%8d %s", m.met[what], what)
	}
	for _, what := range []string{"hit 200", "hit 206", "hit 304", "validated 200", "validated 206", "validated 304", "passed 200", "passed 206",
		"passed 304", "hit gzip", "hit zstd", "validated gzip", "validated zstd", "404", "406", "412", "416", "resumed", "multipart", "combined", "HEAD"} {
		if m.met[what] == 0 && !over.Load() {
			t.Errorf("no exchange was %q", what)
		}
	}
}
