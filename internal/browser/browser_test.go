//go:build unix

package browser

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"servery/internal/testkit"
)

func TestMain(m *testing.M) { os.Exit(testkit.Main(m)) }

// A fetch is one request of a page, as the browser tells of it.
type fetch struct {
	path       string // with the query
	status     int64  // as it came over the wire, 0 if nothing did
	coding     string // as it came over the wire
	accept     string // the Accept-Encoding that was sent
	protocol   string
	fromMemory bool // nothing was asked
	fromDisk   bool // the body is what the browser had
	media      bool // sound or video
	ranged     bool
	failed     string
	told       bool // nothing more is to come that is of interest
	more       bool // but what came over the wire is
}

// A tab is a page in a browser, and what the browser tells of it.
type tab struct {
	t   *testing.T
	ctx context.Context
	url string

	changed chan struct{} // has room for one; what is received says that something below changed

	mu       sync.Mutex // guards all below
	fetches  map[network.RequestID]*fetch
	order    []*fetch // since take was called last
	events   []string // of event streams, in the order and with the times of their coming
	times    []float64
	problems []string // what a developer would see in the console
}

// start starts a browser that trusts the certificate of httptest. It ends with the test,
// with all of its processes.
func start(t *testing.T) context.Context {
	t.Helper()
	home, err := os.MkdirTemp("", "browser") // a short path: Chromium makes a socket in it
	must(t, err)
	certified := httptest.NewTLSServer(nil)
	certified.Close()
	// A certificate that is merely put up with would keep answers out of the cache.
	sum := sha256.Sum256(certified.Certificate().RawSubjectPublicKeyInfo)
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(testkit.Tool(t, "chromium")), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(home),
		chromedp.Flag("ignore-certificate-errors-spki-list", base64.StdEncoding.EncodeToString(sum[:])),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("no-proxy-server", true),
		chromedp.Flag("autoplay-policy", "no-user-gesture-required"),
		chromedp.Env("HOME="+home, "TMPDIR="+home, "XDG_CONFIG_HOME="+home, "XDG_CACHE_HOME="+home))
	limited, stop := context.WithTimeout(context.Background(), 6*testkit.Patience)
	allocated, free := chromedp.NewExecAllocator(limited, options...)
	ctx, cancel := chromedp.NewContext(allocated)
	t.Cleanup(func() {
		chromedp.Cancel(ctx)
		cancel()
		free()
		stop()
		must(t, os.RemoveAll(home))
	})
	must(t, chromedp.Do(ctx))
	return ctx
}

// open opens a tab for pages at the URL, which is closed with the test.
func open(t *testing.T, browser context.Context, url string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx, url: url, changed: make(chan struct{}, 1), fetches: map[network.RequestID]*fetch{}}
	must(t, chromedp.Listen(ctx, b.note))
	_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	must(t, err)
	_, err = chromedp.Call(ctx, log.Enable, cdp.Empty{})
	must(t, err)
	return b
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// do has the browser do something, and waits for it.
func (b *tab) do(action chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	await(b, action)
}

// await has the browser do something and returns what that comes to.
func await[T any](b *tab, action chromedp.Action[T]) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, testkit.Patience)
	defer cancel()
	value, err := chromedp.Run(ctx, action)
	if err != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.t.Fatalf("%v; problems: %q", err, b.problems)
	}
	return value
}

// promised evaluates an expression in the page and waits for the promise that it is.
func promised[T any](expression string) chromedp.Action[T] {
	return chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise)
}

// note takes note of what the browser tells.
func (b *tab) note(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer func() {
		select {
		case b.changed <- struct{}{}:
		default:
		}
	}()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		f := b.fetch(e.RequestID)
		f.path, f.media = strings.TrimPrefix(e.Request.URL, b.url), f.media || e.Type == network.ResourceTypeMedia
	case *network.EventRequestWillBeSentExtraInfo:
		f := b.fetch(e.RequestID)
		f.accept, f.ranged = field(e.Headers, "Accept-Encoding"), field(e.Headers, "Range") != ""
		f.media = f.media || f.ranged // the event with its type may come later
	case *network.EventResponseReceivedExtraInfo:
		f := b.fetch(e.RequestID)
		f.status, f.coding, f.more = e.StatusCode, field(e.Headers, "Content-Encoding"), false
	case *network.EventRequestServedFromCache:
		f := b.fetch(e.RequestID)
		f.fromMemory, f.told = true, true
	case *network.EventResponseReceived:
		f := b.fetch(e.RequestID)
		f.protocol, f.fromDisk, f.told = e.Response.Protocol, e.Response.FromDiskCache, true
		f.more = e.HasExtraInfo && f.status == 0
	case *network.EventLoadingFailed:
		f := b.fetch(e.RequestID)
		f.failed, f.told, f.more = e.ErrorText, true, false
	case *network.EventEventSourceMessageReceived:
		b.events = append(b.events, e.Data)
		b.times = append(b.times, float64(e.Timestamp))
	case *log.EventEntryAdded:
		b.problems = append(b.problems, string(e.Entry.Level)+": "+e.Entry.Text+" "+e.Entry.URL)
	case *runtime.EventExceptionThrown:
		b.problems = append(b.problems, "exception: "+e.ExceptionDetails.Text+" in "+e.ExceptionDetails.URL)
	case *runtime.EventConsoleAPICalled:
		b.problems = append(b.problems, "console."+string(e.Type))
	}
}

func (b *tab) fetch(id network.RequestID) *fetch {
	if b.fetches[id] == nil {
		b.fetches[id] = &fetch{}
		b.order = append(b.order, b.fetches[id])
	}
	return b.fetches[id]
}

func field(h network.Headers, name string) string {
	for n, value := range h {
		if strings.EqualFold(n, name) {
			s, _ := value.(string)
			return s
		}
	}
	return ""
}

// take waits until the browser has told all of its requests since take was called last,
// and of as many parts of media as are wanted. It returns them and reports the problems.
func (b *tab) take(parts map[string]int) (fetches []fetch) {
	b.t.Helper()
	limit := time.After(testkit.Patience)
	for untold := b.untold(parts); untold != nil; untold = b.untold(parts) {
		select {
		case <-b.changed:
		case <-limit:
			b.t.Fatalf("the browser does not tell what came of %+v", untold)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range b.order {
		fetches = append(fetches, *f)
	}
	b.order = nil
	for _, problem := range b.problems {
		b.t.Errorf("the browser complains: %s", problem)
	}
	b.problems = nil
	return fetches
}

// untold returns those requests of which there is more to come, and the names of media of
// which there is to be one more part. A single request for media is not waited for: the
// browser keeps back what it has no use for yet, and then lets the next one for the same
// name wait for that.
func (b *tab) untold(parts map[string]int) (untold []fetch) {
	b.mu.Lock()
	defer b.mu.Unlock()
	missing := map[string]int{}
	maps.Copy(missing, parts)
	for _, f := range b.order {
		switch path, _, _ := strings.Cut(f.path, "?"); {
		case !f.media:
			if !f.told || f.more && !f.fromMemory {
				untold = append(untold, *f)
			}
		case f.ranged && f.status == http.StatusPartialContent && f.coding == "":
			missing[path]--
		}
	}
	for path, n := range missing {
		if n > 0 {
			untold = append(untold, fetch{path: path, media: true})
		}
	}
	return untold
}
