package servery_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"servery"
	"servery/internal/testkit"
)

// saturated is a server with one worker, at work on large1.txt, and one place in the
// queue, taken by large2.txt. The other files are cold but for warm.txt.
type saturated struct {
	*coding
	t       *testing.T
	server  *testkit.Server
	files   map[string]string
	gate    *gate
	waiting []*testkit.Conn
}

func saturate(t *testing.T, change func(*servery.FileServerOptions)) *saturated {
	t.Helper()
	s := &saturated{coding: newCoding(32<<20, servery.LimiterOptions{Workers: 1, Queue: 1}), t: t, gate: newGate()}
	text := realText(t, 200_000)
	s.files = map[string]string{"warm.txt": text, "small.txt": text[:50_000]}
	for _, name := range []string{"large1.txt", "large2.txt", "large3.txt", "large4.txt"} {
		s.files[name] = name + text
	}
	s.act = func(plain []byte) error {
		if bytes.HasPrefix(plain, []byte("large")) {
			return s.gate.pass(plain)
		}
		return nil
	}
	opts := s.options()
	change(opts)
	s.server, _ = serveTree(t, s.files, opts)
	wantCoded(t, s.server.Get("/warm.txt", acceptGzip), text, "to be warm")
	s.waiting = append(s.waiting, ask(t, s.server, "/large1.txt", acceptGzip))
	<-s.gate.reached
	s.waiting = append(s.waiting, ask(t, s.server, "/large2.txt", acceptGzip))
	eventually(t, "one waits", func() bool { return s.limiter.Stats().Queued == 1 })
	return s
}

// recover lets the work go on and demands that everybody is served again.
func (s *saturated) recover() {
	s.t.Helper()
	close(s.gate.open)
	for i, c := range s.waiting {
		wantCoded(s.t, c.Read("GET"), s.files[[]string{"large1.txt", "large2.txt"}[i]], "it ran or waited")
	}
	for name, text := range s.files {
		wantCoded(s.t, s.server.Get("/"+name, acceptGzip), text, name+" afterwards")
	}
	s.atRest(s.t)
}

// 503 says when to come again (RFC 9110, sections 10.2.3 and 15.6.4).
func TestSaturation(t *testing.T) {
	s := saturate(t, func(*servery.FileServerOptions) {})
	warmTag := s.server.Get("/warm.txt", acceptGzip).Header.Get("Etag")
	suffix := strings.TrimPrefix(warmTag, strings.TrimSuffix(contentTag(s.files["warm.txt"]), `"`))
	coldTag := strings.TrimSuffix(contentTag(s.files["large3.txt"]), `"`) + suffix
	for _, tt := range []struct {
		method, target string
		fields         []string
		status         int
		coding         string
		reason         string
	}{
		{"GET", "/large3.txt", []string{acceptGzip}, 503, "", "one too many"},
		{"GET", "/large4.txt", []string{acceptGzip}, 503, "", "another one too many"},
		{"HEAD", "/large3.txt", []string{acceptGzip}, 503, "", "its length is not known"},
		{"GET", "/large3.txt", []string{"Accept-Encoding: gzip, identity;q=0"}, 503, "", "nothing else is acceptable"},
		{"GET", "/large3.txt", []string{acceptGzip, `If-None-Match: "another"`}, 503, "", "it would have to be sent"},
		{"GET", "/warm.txt", []string{acceptGzip}, 200, "gzip", "it is there"},
		{"HEAD", "/warm.txt", []string{acceptGzip}, 200, "gzip", "it is there"},
		{"GET", "/small.txt", []string{acceptGzip}, 200, "gzip", "small ones have slots of their own"},
		{"HEAD", "/small.txt", []string{acceptGzip}, 200, "gzip", "small ones have slots of their own"},
		{"GET", "/large3.txt", []string{acceptGzip, "If-None-Match: " + coldTag}, 304, "", "nothing is to be made"},
		{"HEAD", "/large3.txt", []string{acceptGzip, "If-None-Match: " + coldTag}, 304, "", "nothing is to be made"},
		{"GET", "/large3.txt", []string{acceptGzip, `If-Match: "another"`}, 412, "", "nothing is to be made"},
		{"GET", "/large3.txt", []string{acceptGzip, "If-Match: " + contentTag(s.files["large3.txt"])}, 503, "", "whether it is worth coding is not known"},
		{"HEAD", "/large3.txt", []string{acceptGzip, "If-Match: " + contentTag(s.files["large3.txt"])}, 503, "", "whether it is worth coding is not known"},
		{"GET", "/warm.txt", []string{acceptGzip, "If-Match: " + contentTag(s.files["warm.txt"])}, 412, "", "it is known that it is coded"},
		{"GET", "/large3.txt", []string{"Accept-Encoding: gzip, identity;q=0", "If-Match: " + contentTag(s.files["large3.txt"])}, 412, "", "it would be coded in any case"},
		{"GET", "/large3.txt", []string{acceptGzip, "Range: bytes=0-99"}, 206, "", "a range is identity"},
		{"GET", "/large3.txt", nil, 200, "", "identity"},
		{"GET", "/large3.txt", []string{"Accept-Encoding: identity, gzip;q=0.5"}, 200, "", "identity"},
		{"GET", "/missing.txt", []string{acceptGzip}, 404, "", "nothing to be coded"},
	} {
		got := s.server.Do(tt.method, tt.target, tt.fields...)
		if got.Status != tt.status || got.Header.Get("Content-Encoding") != tt.coding {
			t.Errorf("%s %s %q: got\n%s, want %d %q: %s", tt.method, tt.target, tt.fields, got.Head, tt.status, tt.coding, tt.reason)
		}
		if h := got.Header; got.Status == 503 && (h.Get("Retry-After") != "1" || h.Get("Cache-Control") != "no-store") {
			t.Errorf("%s %s %q: got\n%s, want Retry-After and no-store", tt.method, tt.target, tt.fields, got.Head)
		}
		if tt.coding == "gzip" && tt.method == "GET" {
			wantCoded(t, got, s.files[tt.target[1:]], tt.reason)
		}
	}
	if l := s.limiter.Stats(); l.Active != 1 || l.Queued != 1 || l.Rejected != 7 || l.HighWater != 2 {
		t.Errorf("%+v, want 1 that runs, 1 that waits, 7 that were turned away", l)
	}
	if c := s.cache.Stats(); c.Flights != 2 || c.Failed != 7 {
		t.Errorf("%+v, want 2 that are made, 7 that failed", c)
	}
	s.recover()
}

func TestSaturationServesIdentity(t *testing.T) {
	s := saturate(t, func(o *servery.FileServerOptions) { o.OnSaturation = servery.ServeIdentity })
	text := s.files["large3.txt"]
	for _, method := range []string{"GET", "HEAD"} {
		got := s.server.Do(method, "/large3.txt", acceptGzip)
		h := got.Header
		if got.Status != http.StatusOK || h.Get("Content-Encoding") != "" || h.Get("Vary") != "Accept-Encoding" ||
			h.Get("Etag") != contentTag(text) || h.Get("Accept-Ranges") != "bytes" || method == "GET" && string(got.Body) != text {
			t.Errorf("%s: got\n%s, want the file as it is, with its own tag", method, got.Head)
		}
	}
	if got := s.server.Get("/large3.txt", acceptGzip, "If-Match: "+contentTag(text)); string(got.Body) != text {
		t.Errorf("under its own tag: got\n%s, want the file as it is", got.Head)
	}
	if got := s.server.Get("/large3.txt", "Accept-Encoding: gzip, identity;q=0"); got.Status != http.StatusServiceUnavailable {
		t.Errorf("identity is refused: got\n%s, want 503", got.Head)
	}
	wantCoded(t, s.server.Get("/warm.txt", acceptGzip), s.files["warm.txt"], "it is there")
	s.recover()
}

// A queue of none turns away whoever finds the workers busy.
func TestNoQueue(t *testing.T) {
	text := realText(t, 200_000)
	c, g := newCoding(0, servery.LimiterOptions{Workers: 1, Queue: -1}), newGate()
	c.act = g.pass
	server, _ := serveTree(t, map[string]string{"a.txt": text, "b.txt": text}, c.options())
	running := ask(t, server, "/a.txt", acceptGzip)
	<-g.reached
	joins := ask(t, server, "/a.txt", acceptGzip)
	eventually(t, "one has joined", func() bool { return c.cache.Stats().Joined == 1 })
	if got := server.Get("/b.txt", acceptGzip); got.Status != http.StatusServiceUnavailable {
		t.Errorf("got\n%s, want 503", got.Head)
	}
	close(g.open)
	wantCoded(t, running.Read("GET"), text, "the one that ran")
	wantCoded(t, joins.Read("GET"), text, "to join takes no slot")
	wantCoded(t, server.Get("/b.txt", acceptGzip), text, "afterwards")
}
