package servery_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servery"
	"servery/internal/stream"
)

func TestObserveCompress(t *testing.T) {
	const gzip = "Accept-Encoding: gzip"
	text := realText(t, 50_000)
	says := func(status int, body string, fields ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			for _, field := range fields {
				name, value, _ := strings.Cut(field, ": ")
				w.Header().Set(name, value)
			}
			if status != http.StatusOK {
				w.WriteHeader(status)
			}
			io.WriteString(w, body)
		}
	}
	noEncoder := servery.Gzip(6)
	noEncoder.New = func() (servery.EncoderWriter, error) { return nil, errors.New("no memory") }
	for _, tt := range []struct {
		method  string
		fields  []string
		handler http.HandlerFunc
		want    servery.Outcome // CodedSize is that of what came, where there is a coding
		reason  string
	}{
		{"GET", []string{gzip}, says(200, text), servery.Outcome{Status: 200, Coding: "gzip", PlainSize: 50_000}, "coded"},
		{"GET", []string{gzip}, says(404, text), servery.Outcome{Status: 404, Coding: "gzip", PlainSize: 50_000}, "an error page is text like any other"},
		{"HEAD", []string{gzip}, says(200, text), servery.Outcome{Status: 200, Coding: "gzip", PlainSize: 50_000}, "a HEAD says what the GET would"},
		{"GET", nil, says(200, text), servery.Outcome{Status: 200, Uncoded: servery.UncodedNotAccepted, PlainSize: 50_000}, "nothing was asked for"},
		{"GET", []string{gzip, "Range: bytes=0-9"}, says(200, text), servery.Outcome{Status: 200, Uncoded: servery.UncodedRange, PlainSize: 50_000}, "a part was asked for"},
		{"GET", []string{gzip}, says(206, text, "Content-Range: bytes 0-49999/60000"), servery.Outcome{Status: 206, Uncoded: servery.UncodedRange, PlainSize: 50_000}, "a part"},
		{"GET", []string{gzip}, says(200, "tiny"), servery.Outcome{Status: 200, Uncoded: servery.UncodedSmall, PlainSize: 4}, "below MinSize"},
		{"GET", []string{gzip}, says(204, ""), servery.Outcome{Status: 204, Uncoded: servery.UncodedStatus}, "no body"},
		{"GET", []string{gzip}, says(304, ""), servery.Outcome{Status: 304, Uncoded: servery.UncodedStatus}, "nor has that one"},
		{"GET", []string{gzip}, says(200, text, "Content-Type: image/png"), servery.Outcome{Status: 200, Uncoded: servery.UncodedType, PlainSize: 50_000}, "packed already"},
		{"GET", []string{gzip}, says(200, text, "Content-Encoding: br"), servery.Outcome{Status: 200, Uncoded: servery.UncodedHeader, PlainSize: 50_000}, "coded already"},
		{"GET", []string{gzip}, says(200, text, "Cache-Control: no-transform"), servery.Outcome{Status: 200, Uncoded: servery.UncodedHeader, PlainSize: 50_000}, "not to be touched"},
		{"GET", []string{gzip}, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "image/png")
			io.Copy(w, strings.NewReader(text))
		}, servery.Outcome{Status: 200, Uncoded: servery.UncodedType, PlainSize: 50_000}, "what passes through ReadFrom is counted"},
		{"GET", []string{gzip}, func(http.ResponseWriter, *http.Request) {}, servery.Outcome{Status: 200, Uncoded: servery.UncodedType}, "no byte has no type"},
		{"GET", []string{gzip}, func(w http.ResponseWriter, _ *http.Request) {
			conn, rw, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			rw.WriteString("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\nDate: Mon, 30 Nov 2026 00:00:00 GMT\r\n\r\n")
			rw.Flush()
		}, servery.Outcome{Uncoded: servery.UncodedHijacked}, "the connection is the handler's"},
		{"GET", []string{gzip}, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, servery.Outcome{Uncoded: servery.UncodedHijacked, Err: http.ErrAbortHandler}, "there is no status"},
	} {
		outcomes := newTold()
		server := serveHandler(t, servery.Compress(&servery.CompressOptions{Observe: outcomes.observe})(tt.handler))
		w := open(t, server, tt.method, tt.fields...)
		if tt.want.Coding != "" && tt.method != "HEAD" {
			coded, err := io.ReadAll(w.answer(t).Body)
			if err != nil {
				t.Fatal(err)
			}
			tt.want.CodedSize = int64(len(coded))
		}
		got := outcomes.next(t)
		w.Close()
		if diff := cmp.Diff(tt.want, got, sameOutcome); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
		if coded := got.CodedSize > 0; coded != (got.Encoded > 0) {
			t.Errorf("%s: %d coded bytes took %v", tt.reason, got.CodedSize, got.Encoded)
		}
	}
}

// What a client did not get to its end is told of with an error.
func TestObserveCompressBrokenOff(t *testing.T) {
	for _, tt := range []struct {
		end    func(w http.ResponseWriter)
		status int
		reason string
	}{
		{func(http.ResponseWriter) {}, 200, "less than was declared"},
		{func(http.ResponseWriter) { panic(http.ErrAbortHandler) }, 200, "a panic after the head"},
	} {
		outcomes := newTold()
		server := serveHandler(t, servery.Compress(&servery.CompressOptions{Observe: outcomes.observe})(http.HandlerFunc(
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/plain")
				w.Header().Set("Content-Length", "100000")
				io.WriteString(w, realText(t, 50_000))
				http.NewResponseController(w).Flush()
				tt.end(w)
			})))
		w := open(t, server, "GET", "Accept-Encoding: gzip")
		if _, err := io.ReadAll(w.answer(t).Body); err == nil {
			t.Errorf("%s: the answer is whole", tt.reason)
		}
		if got := outcomes.next(t); got.Status != tt.status || got.Coding != "gzip" || got.Err == nil {
			t.Errorf("%s: got %+v, want gzip, with an error", tt.reason, got)
		}
	}
}

// The two say the same in the same words.
func TestReasonsOfCompress(t *testing.T) {
	for uncoded, reason := range map[servery.Uncoded]stream.Reason{
		servery.UncodedNegotiated: stream.Negotiated, servery.UncodedStatus: stream.Status, servery.UncodedHeader: stream.Header,
		servery.UncodedRange: stream.Range, servery.UncodedType: stream.Type, servery.UncodedSmall: stream.Small,
		servery.UncodedNotAccepted: stream.NotAccepted, servery.UncodedIncomplete: stream.Incomplete,
		servery.UncodedSaturated: stream.Saturated, servery.UncodedFailed: stream.Failed, servery.UncodedHijacked: stream.Hijacked,
	} {
		if string(uncoded) != string(reason) {
			t.Errorf("%q is called %q inside", uncoded, reason)
		}
	}
}
