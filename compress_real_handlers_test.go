package servery_test

import (
	"errors"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"servery"
	"servery/internal/testkit"
)

// Templates write many small pieces, and say nothing of the type.
func TestCompressTemplate(t *testing.T) {
	page := template.Must(template.New("page").Parse(
		`<!doctype html><title>{{.Title}}</title><ul>{{range .Items}}<li>{{.}} &amp; more</li>{{end}}</ul>`))
	for _, tt := range []struct {
		items  int
		coding string
		reason string
	}{
		{1, "", "too short"},
		{100, "gzip", "within the buffer"},
		{20_000, "gzip", "beyond it"},
	} {
		items := make([]uint32, tt.items)
		for i := range items {
			items[i] = uint32(i) * 2654435761 // far apart, so that the coded form is long
		}
		data := map[string]any{"Title": "A & B", "Items": items}
		var want strings.Builder
		if err := page.Execute(&want, data); err != nil {
			t.Fatal(err)
		}
		server := serveInside(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := page.Execute(w, data); err != nil {
				t.Error(err)
			}
		}))
		got := server.Get("/", acceptGzip)
		wantSeen(t, got, seen{200, tt.coding, tt.coding != "", "", want.String()}, tt.reason)
		if mediaType := got.Header.Get("Content-Type"); mediaType != "text/html; charset=utf-8" {
			t.Errorf("%d items: type %q, want what net/http finds out by itself", tt.items, mediaType)
		}
		if sized := got.Header.Get("Content-Length") != ""; sized != (tt.items <= 100) {
			t.Errorf("%d items: got\n%s, want a length only where the body was known before the head", tt.items, got.Head)
		}
	}
}

// What outer middleware reads of the request after the call is what http.ServeMux
// wrote into it, whether or not the handler's own request is a copy.
func TestCompressServeMux(t *testing.T) {
	text := realText(t, 5000)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /items/{id}/{rest...}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("X-Handler", r.Pattern+" "+r.PathValue("id"))
		io.WriteString(w, text)
	})
	type outer struct{ pattern, id, rest, conditions string }
	after := make(chan outer, 1)
	logger := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		servery.Compress(nil)(mux).ServeHTTP(w, r)
		h := r.Header
		after <- outer{r.Pattern, r.PathValue("id"), r.PathValue("rest"), h.Get("If-None-Match") + h.Get("Range")}
	})
	server := testkit.Serve(t, logger)
	const pattern = "GET /items/{id}/{rest...}"
	for _, tt := range []struct {
		fields     []string
		conditions string
		reason     string
	}{
		{[]string{acceptGzip}, "", "as it came"},
		{nil, "", "not wanted"},
		{[]string{acceptGzip, `If-None-Match: "x-gz6.1"`}, `"x-gz6.1"`, "with a tag to be understood"},
		{[]string{acceptGzip, "Range: bytes=0-1", `If-Range: "x-gz6.1"`}, "bytes=0-1", "with a range to be ignored"},
		{[]string{"Connection: Upgrade", "Upgrade: other"}, "", "with an upgrade that the handler declines"},
	} {
		got := asIs(server, "GET", "/items/7/a/b", tt.fields...)
		if got.Status != 200 || got.Header.Get("X-Handler") != pattern+" 7" || decoded(t, got.Header.Get("Content-Encoding"), got.Body) != text {
			t.Errorf("%s: %d bytes with the head\n%s", tt.reason, len(got.Body), got.Head)
		}
		if seen, want := <-after, (outer{pattern, "7", "a/b", tt.conditions}); seen != want {
			t.Errorf("%s: seen outside after the call: %+v, want %+v", tt.reason, seen, want)
		}
	}
	if got := asIs(server, "POST", "/items/7/a/b", acceptGzip); got.Status != 405 || got.Header.Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: got\n%s, want the 405 of the ServeMux", got.Head)
	}
	<-after
}

// http.MaxBytesReader asks net/http's own writer, and no other, to close the
// connection. Without that net/http does so all the same where there is much to read
// yet, and otherwise reads the rest, so that the connection goes on.
func TestCompressMaxBytes(t *testing.T) {
	const most = 1000
	long := strings.Repeat("too much ", 1000)
	echo := func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			http.Error(w, long, http.StatusRequestEntityTooLarge)
			return
		}
		w.Write(body)
	}
	server := serveInside(t, http.HandlerFunc(echo))
	bare := testkit.Serve(t, http.HandlerFunc(echo))
	for _, size := range []int{most, most + 1, 1 << 20} {
		var heads [2]testkit.Response
		for i, s := range []*testkit.Server{bare, server} {
			c := s.Dial()
			c.Send("POST", "/", acceptGzip, fmt.Sprint("Content-Length: ", size))
			c.SetDeadline(time.Now().Add(testkit.Patience))
			sent := make(chan struct{})
			go func() {
				defer close(sent)
				io.Copy(c.Conn, strings.NewReader(strings.Repeat("x", size)))
			}()
			heads[i] = c.Read("POST")
			c.Conn.Close()
			<-sent
		}
		got, want := heads[1], heads[0]
		plain := decoded(t, got.Header.Get("Content-Encoding"), got.Body)
		if got.Status != want.Status || plain != string(want.Body) {
			t.Errorf("%d bytes: got\n%s\nwant but for the coding\n%s", size, got.Head, want.Head)
		}
		if closes := got.Header.Get("Connection") == "close"; closes != (size > most+1) {
			t.Errorf("%d bytes: got\n%s, want the connection closed: %v", size, got.Head, !closes)
		}
		if want := size > most; (got.Header.Get("Content-Encoding") == "gzip") != want {
			t.Errorf("%d bytes: got\n%s, want it coded: %v", size, got.Head, want)
		}
	}
}
