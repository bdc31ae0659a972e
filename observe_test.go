package servery_test

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"servery"
	"servery/internal/testkit"
)

// told hands over what Observe is told of each request.
type told chan servery.Outcome

func newTold() told { return make(told, 100) }

// observe leaves out what the test client asks to see whether a connection still works.
func (c told) observe(r *http.Request, out servery.Outcome) {
	if r.Method != http.MethodOptions || r.URL.Path != "/" {
		c <- out
	}
}

// next is what was told of one request, and nothing else was told.
func (c told) next(tb testing.TB) servery.Outcome {
	tb.Helper()
	select {
	case out := <-c:
		if len(c) > 0 {
			tb.Errorf("told twice: %+v, too", <-c)
		}
		return out
	case <-time.After(testkit.Patience):
		tb.Fatal("nothing was told")
		return servery.Outcome{}
	}
}

// sameOutcome compares all but how long things took, and says of errors only whether
// there is one.
var sameOutcome = cmp.Options{
	cmpopts.IgnoreFields(servery.Outcome{}, "Waited", "Encoded"),
	cmp.Comparer(func(a, b error) bool { return (a == nil) == (b == nil) }),
}

func TestObserveFileServer(t *testing.T) {
	const gzip = "Accept-Encoding: gzip"
	text := realText(t, 50_000)
	outcomes := newTold()
	server, _ := serveTree(t, map[string]string{
		"text.txt": text, "other.txt": text, "tiny.txt": "tiny", "huge.txt": strings.Repeat(text, 3), "noise.txt": incompressible(5000),
		"picture.png": text, "packed.txt": text, "packed.txt.gz": packed(t, "gzip", text), "folder/": "",
	}, &servery.FileServerOptions{
		Observe: outcomes.observe, MaxCompressSize: 100_000, Encoders: []servery.Encoder{servery.Gzip(6)}, Sidecars: []string{"gzip"},
	})
	size := int64(len(text))
	codedSize := int64(len(server.Get("/text.txt", gzip).Body))
	if got := outcomes.next(t); got.Body != servery.BodyComputed || got.Encoded <= 0 || got.Waited < 0 {
		t.Errorf("the first coded answer: got %+v", got)
	}
	server.Get("/other.txt", gzip, "If-Match: "+contentTag(text))
	if got := outcomes.next(t); got.Status != 412 || got.Body != servery.BodyComputed || got.CodedSize != codedSize || got.Uncoded != servery.UncodedStatus {
		t.Errorf("what is coded to find that a condition fails: got %+v", got)
	}
	packedSize := int64(len(server.Get("/packed.txt", gzip).Body))
	outcomes.next(t)
	for range 2 { // the second time, each file is remembered
		for _, tt := range []struct {
			method, target string
			fields         []string
			want           servery.Outcome
			reason         string
		}{
			{"GET", "/text.txt", []string{gzip}, servery.Outcome{Status: 200, Coding: "gzip", Body: servery.BodyHit, CodedSize: codedSize, PlainSize: size}, "kept"},
			{"HEAD", "/text.txt", []string{gzip}, servery.Outcome{Status: 200, Coding: "gzip", Body: servery.BodyHit, CodedSize: codedSize, PlainSize: size}, "a HEAD is decided like a GET"},
			{"GET", "/text.txt", nil, servery.Outcome{Status: 200, Uncoded: servery.UncodedNotAccepted, PlainSize: size}, "nothing was asked for"},
			{"GET", "/text.txt", []string{gzip, "Range: bytes=0-9"}, servery.Outcome{Status: 206, Uncoded: servery.UncodedRange, PlainSize: size}, "a part"},
			{"GET", "/text.txt", []string{"If-None-Match: *"}, servery.Outcome{Status: 304, Uncoded: servery.UncodedStatus, PlainSize: size}, "no body"},
			{"GET", "/tiny.txt", []string{gzip}, servery.Outcome{Status: 200, Uncoded: servery.UncodedSmall, PlainSize: 4}, "below MinSize"},
			{"GET", "/huge.txt", []string{gzip}, servery.Outcome{Status: 200, Uncoded: servery.UncodedLarge, PlainSize: 3 * size}, "above MaxCompressSize"},
			{"GET", "/picture.png", []string{gzip}, servery.Outcome{Status: 200, Uncoded: servery.UncodedType, PlainSize: size}, "packed already"},
			{"GET", "/noise.txt", []string{gzip}, servery.Outcome{Status: 200, Uncoded: servery.UncodedNotWorth, PlainSize: 5000}, "nothing is saved"},
			{"GET", "/noise.txt", []string{gzip, "If-None-Match: *"}, servery.Outcome{Status: 304, Uncoded: servery.UncodedStatus, PlainSize: 5000}, "no body comes before what is not worth it"},
			{"GET", "/noise.txt", []string{gzip, "Range: bytes=0-9"}, servery.Outcome{Status: 206, Uncoded: servery.UncodedRange, PlainSize: 5000}, "and so does a part"},
			{"GET", "/packed.txt", []string{gzip}, servery.Outcome{Status: 200, Coding: "gzip", Body: servery.BodySidecar, CodedSize: packedSize, PlainSize: size}, "a file beside it"},
			{"GET", "/folder", nil, servery.Outcome{Status: 301, Uncoded: servery.UncodedStatus}, "a redirect"},
			{"GET", "/missing.txt", nil, servery.Outcome{Status: 404, Uncoded: servery.UncodedStatus, Err: fs.ErrNotExist}, "missing"},
			{"GET", "/.hidden", nil, servery.Outcome{Status: 404, Uncoded: servery.UncodedStatus, Err: fs.ErrNotExist}, "hidden"},
			{"OPTIONS", "/text.txt", nil, servery.Outcome{Status: 204, Uncoded: servery.UncodedStatus}, "no file is looked for"},
			{"POST", "/text.txt", nil, servery.Outcome{Status: 405, Uncoded: servery.UncodedStatus}, "a method that is not allowed"},
		} {
			server.Do(tt.method, tt.target, tt.fields...)
			got := outcomes.next(t)
			if tt.want.PlainSize > 0 && got.File != servery.FileHot && got.File != servery.FileOpened || tt.want.PlainSize == 0 && got.File != "" {
				t.Errorf("%s %s %q: the file was found %q", tt.method, tt.target, tt.fields, got.File)
			}
			if got.File = ""; tt.want.Body == "" {
				got.Body, got.CodedSize = "", 0 // of the verdict that it is not worth it
			}
			if diff := cmp.Diff(tt.want, got, sameOutcome); diff != "" {
				t.Errorf("%s %s %q, %s (-want +got):\n%s", tt.method, tt.target, tt.fields, tt.reason, diff)
			}
		}
	}
}

// Sidecars alone are no offer for a file that has none.
func TestObserveOff(t *testing.T) {
	for _, sidecars := range [][]string{nil, {"gzip"}} {
		outcomes := newTold()
		server, _ := serveTree(t, map[string]string{"a.txt": realText(t, 5000)}, &servery.FileServerOptions{
			Observe: outcomes.observe, Encoders: []servery.Encoder{}, Sidecars: sidecars,
		})
		for _, tt := range []struct {
			field string
			want  servery.Uncoded
		}{{"Accept: */*", servery.UncodedOff}, {"Range: bytes=0-9", servery.UncodedRange}} {
			server.Get("/a.txt", acceptGzip, tt.field)
			if got := outcomes.next(t).Uncoded; got != tt.want {
				t.Errorf("sidecars %q, %s: got %q, want %q", sidecars, tt.field, got, tt.want)
			}
		}
	}
}

// TestObserveBrokenOff: what a client did not get to its end is told of with an error.
func TestObserveBrokenOff(t *testing.T) {
	outcomes := newTold()
	files := panickingFS{fstest.MapFS{"a.bin": {Data: make([]byte, 100_000)}}}
	handler := servery.FileServer(files, &servery.FileServerOptions{Observe: outcomes.observe, ContentETagMax: -1})
	recorder := httptest.NewRecorder()
	if panicked := panicOf(func() { handler.ServeHTTP(recorder, httptest.NewRequest("GET", "/a.bin", nil)) }); panicked == nil {
		t.Fatal("nothing has panicked")
	}
	if got := outcomes.next(t); got.Status != http.StatusOK || got.Err == nil {
		t.Errorf("got %+v, want 200 with an error", got)
	}
}

// panickingFS has files that panic when they are read beyond their beginning.
type panickingFS struct{ fs.FS }

func (f panickingFS) Open(name string) (fs.File, error) {
	file, err := f.FS.Open(name)
	return &laterPanicking{File: file}, err
}

type laterPanicking struct {
	fs.File
	read int
}

func (f *laterPanicking) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	if f.read += n; f.read > 50_000 {
		panic("the file system is broken")
	}
	return n, err
}

// TestObserveTellsHot asks until the file, which was written a moment ago, is remembered.
func TestObserveTellsHot(t *testing.T) {
	outcomes := newTold()
	server, _ := serveTree(t, map[string]string{"a.txt": "text"}, &servery.FileServerOptions{Observe: outcomes.observe})
	if server.Get("/a.txt"); outcomes.next(t).File != servery.FileOpened {
		t.Error("the first time it was not opened")
	}
	eventually(t, "the file is remembered", func() bool {
		server.Get("/a.txt")
		return outcomes.next(t).File == servery.FileHot
	})
}

func TestObserveSaturation(t *testing.T) {
	for _, tt := range []struct {
		on     servery.Saturation
		want   servery.Outcome
		reason string
	}{
		{servery.Reject, servery.Outcome{Status: 503, Uncoded: servery.UncodedSaturated, Body: servery.BodyRejected}, "rejected"},
		{servery.ServeIdentity, servery.Outcome{Status: 200, Uncoded: servery.UncodedSaturated, Body: servery.BodyRejected}, "as it is"},
	} {
		outcomes := newTold()
		s := saturate(t, func(o *servery.FileServerOptions) { o.OnSaturation, o.Observe = tt.on, outcomes.observe })
		warm := outcomes.next(t)
		s.server.Get("/large3.txt", acceptGzip)
		got := outcomes.next(t)
		tt.want.File, tt.want.PlainSize = warm.File, int64(len(s.files["large3.txt"]))
		if diff := cmp.Diff(tt.want, got, sameOutcome); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
		joining := ask(t, s.server, "/large1.txt", acceptGzip)
		eventually(t, "one has joined", func() bool { return s.cache.Stats().Joined == 1 })
		s.recover()
		joining.Read("GET")
		sources := make(map[servery.BodySource]int)
		for len(outcomes) > 0 {
			out := <-outcomes
			if sources[out.Body]++; out.Body == servery.BodyJoined && (out.Waited <= 0 || out.Encoded != 0) {
				t.Errorf("%s: who joined has waited for %v and encoded for %v", tt.reason, out.Waited, out.Encoded)
			}
		}
		if sources[servery.BodyJoined] != 1 || sources[servery.BodyComputed] < 2 {
			t.Errorf("%s: bodies came from %v", tt.reason, sources)
		}
	}
}
