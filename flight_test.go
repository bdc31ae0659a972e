package servery_test

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"servery"
	"servery/internal/testkit"
)

func TestColdBodyIsMadeOnce(t *testing.T) {
	for _, limit := range []int64{0, 32 << 20} {
		text := realText(t, 64<<10)
		c, g := newCoding(limit, servery.LimiterOptions{}), newGate()
		c.act = g.pass
		server, _ := serveTree(t, map[string]string{"file.txt": text}, c.options())
		var clients []*testkit.Conn
		for range 64 {
			clients = append(clients, ask(t, server, "/file.txt", acceptGzip))
		}
		eventually(t, "all but one have joined", func() bool { return c.cache.Stats().Joined == 63 })
		if got := c.cache.Stats(); got.Flights != 1 || got.Misses != 64 || got.Bytes != 0 {
			t.Errorf("limit %d: %+v, want one flight for 64 who found nothing", limit, got)
		}
		close(g.open)
		var first testkit.Response
		for i, client := range clients {
			got := client.Read("GET")
			if i == 0 {
				first = got
				wantCoded(t, got, text, "the first")
			}
			if undated(got) != undated(first) || string(got.Body) != string(first.Body) {
				t.Errorf("limit %d: one got\n%s, another\n%s", limit, first.Head, got.Head)
			}
		}
		if begun, ended := c.begun.Load(), c.ended.Load(); begun != 1 || ended != 1 {
			t.Errorf("limit %d: made %d times, %d finished, want 1", limit, begun, ended)
		}
		again := int64(1)
		if limit == 0 {
			again = 2
		}
		wantCoded(t, server.Get("/file.txt", acceptGzip), text, "afterwards")
		if got := c.cache.Stats(); c.begun.Load() != again || (got.Bytes > 0) != (limit > 0) || got.Entries > 1 {
			t.Errorf("limit %d: made %d times by then, %+v, want %d", limit, c.begun.Load(), got, again)
		}
		c.atRest(t)
	}
}

// Clients who keep overlapping keep neither a body nor an error: each of the answers
// that a client gets is of work that was not finished when it asked.
func TestOverlappingClientsKeepNothing(t *testing.T) {
	text := realText(t, 20_000)
	c := newCoding(0, servery.LimiterOptions{})
	var pieces atomic.Int64
	var healed atomic.Bool
	c.act = func([]byte) error {
		if pieces.Add(1)%7 == 0 && !healed.Load() {
			return errors.New("not this time")
		}
		return nil
	}
	server, _ := serveTree(t, map[string]string{"file.txt": text}, c.options())
	const each = 100
	var clients sync.WaitGroup
	var failed atomic.Int64
	for range 6 {
		client := server.Dial()
		clients.Go(func() {
			for range each {
				switch got := client.Do("GET", "/file.txt", acceptGzip); got.Status {
				case http.StatusOK:
					wantCoded(t, got, text, "one of many")
				case http.StatusInternalServerError:
					failed.Add(1)
				default:
					t.Errorf("got\n%s", got.Head)
				}
			}
		})
	}
	clients.Wait()
	c.atRest(t)
	got := c.cache.Stats()
	if begun := c.begun.Load(); begun < each || got.Failed == 0 || got.Failed > uint64(failed.Load()) {
		t.Errorf("made %d times, %+v, %d answers 500, want each client to see as many results as it asked for", begun, got, failed.Load())
	}
	if got.Misses != 6*each || got.Misses != got.Joined+uint64(c.begun.Load()) || got.Entries != 0 || got.Bytes != 0 {
		t.Errorf("%+v, made %d times, want as many misses as there were requests", got, c.begun.Load())
	}
	healed.Store(true)
	wantCoded(t, server.Get("/file.txt", acceptGzip), text, "after the errors")
}

// counted tells how many requests the handler has come back from.
type counted struct {
	http.Handler
	returned atomic.Int64
}

func (c *counted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer c.returned.Add(1)
	c.Handler.ServeHTTP(w, r)
}

func (c *counted) came(t *testing.T, want int64) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d requests are over", want), func() bool { return c.returned.Load() == want })
}

func TestClientsThatLeave(t *testing.T) {
	text := realText(t, 300_000)
	for _, tt := range []struct {
		leave  int
		reason string
	}{
		{1, "the one who began leaves, the others get what it began"},
		{2, "one is left"},
		{3, "all leave, and the work ends"},
	} {
		c, g := newCoding(0, servery.LimiterOptions{}), newGate()
		c.act = g.pass
		handler := &counted{Handler: servery.FileServer(openDir(t, testkit.Tree(t, map[string]string{"file.txt": text})), c.options())}
		server := testkit.Serve(t, handler)
		server.Do("OPTIONS", "/")
		before := testkit.Holding()
		clients := []*testkit.Conn{ask(t, server, "/file.txt", acceptGzip)}
		<-g.reached
		clients = append(clients, ask(t, server, "/file.txt", acceptGzip), ask(t, server, "/file.txt", acceptGzip))
		eventually(t, "two have joined", func() bool { return c.cache.Stats().Joined == 2 })
		for _, client := range clients[:tt.leave] {
			client.Close()
		}
		handler.came(t, 2+int64(tt.leave)) // the server asks twice at the beginning
		close(g.open)
		for _, client := range clients[tt.leave:] {
			wantCoded(t, client.Read("GET"), text, tt.reason)
			client.Close()
		}
		c.atRest(t)
		want := uint64(0)
		if tt.leave == len(clients) {
			want = 1
		}
		if got := c.cache.Stats(); got.Cancelled != want || got.Failed != 0 || c.begun.Load() != 1 || c.ended.Load() != 1-int64(want) {
			t.Errorf("%s: %+v, %d bodies finished, want %d cancelled", tt.reason, got, c.ended.Load(), want)
		}
		if err := before.Regained(); err != nil {
			t.Errorf("%s: %v", tt.reason, err)
		}
	}
}

// Who waits for a worker and leaves makes room for another.
func TestClientsThatLeaveTheQueue(t *testing.T) {
	text := realText(t, 200_000)
	c, g := newCoding(0, servery.LimiterOptions{Workers: 1, Queue: 1}), newGate()
	c.act = g.pass
	server, _ := serveTree(t, map[string]string{"a.txt": text, "b.txt": text, "c.txt": text}, c.options())
	running := ask(t, server, "/a.txt", acceptGzip)
	<-g.reached
	for range 3 {
		waits := ask(t, server, "/b.txt", acceptGzip)
		eventually(t, "one waits", func() bool { return c.limiter.Stats().Queued == 1 })
		waits.Close()
		eventually(t, "it is withdrawn", func() bool { return c.limiter.Stats().Queued == 0 })
	}
	stays := ask(t, server, "/c.txt", acceptGzip)
	eventually(t, "another waits", func() bool { return c.limiter.Stats().Queued == 1 })
	close(g.open)
	wantCoded(t, running.Read("GET"), text, "the one that ran")
	wantCoded(t, stays.Read("GET"), text, "the one that waited")
	c.atRest(t)
	if got := c.limiter.Stats(); got.Cancelled != 3 || got.Rejected != 0 || got.Completed != 2 || got.HighWater != 2 || c.begun.Load() != 2 {
		t.Errorf("%+v, made %d times, want 3 withdrawn and 2 done", got, c.begun.Load())
	}
	if got := c.cache.Stats(); got.Cancelled != 3 || got.Failed != 0 {
		t.Errorf("%+v, want 3 cancelled", got)
	}
}
