package compat

import (
	"strings"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// Unary calls of the Connect protocol are ordinary requests: what connect has coded
// is left alone, and what it has not is coded if the client says that it can.
func TestConnectUnary(t *testing.T) {
	for _, tt := range []struct {
		name    string
		handler []connect.HandlerOption
		client  []connect.ClientOption
		coding  string
		reason  string
	}{
		{"both by connect", nil, []connect.ClientOption{connect.WithProtoJSON(), connect.WithSendGzip()}, "gzip", "coded once"},
		{"binary by connect", nil, []connect.ClientOption{connect.WithSendGzip()}, "gzip", "coded once"},
		{"JSON by Compress", []connect.HandlerOption{plainHandler}, []connect.ClientOption{connect.WithProtoJSON()}, "gzip", "connect's client undoes it"},
		{"above connect's minimum", []connect.HandlerOption{connect.WithCompressMinBytes(1 << 20)}, []connect.ClientOption{connect.WithProtoJSON()}, "gzip", "connect leaves it plain"},
		{"JSON by GET", []connect.HandlerOption{plainHandler}, []connect.ClientOption{connect.WithProtoJSON(), connect.WithHTTPGet()}, "gzip", "as by POST"},
		{"binary plain", []connect.HandlerOption{plainHandler}, nil, "", "application/proto is not worth it"},
		{"not wanted", nil, []connect.ClientOption{connect.WithProtoJSON(), plainClient}, "", "the client accepts identity"},
	} {
		for _, major := range []int{1, 2} {
			t.Run(tt.name+" over HTTP/"+string(rune('0'+major)), func(t *testing.T) {
				w := overHTTP(t, major, inside(service(tt.handler...)))
				sent := text(5000)
				options := append([]connect.ClientOption{connect.WithIdempotency(connect.IdempotencyNoSideEffects)}, tt.client...)
				response, err := w.call(unary, options...).CallUnary(patient(t), connect.NewRequest(wrapperspb.String(sent)))
				if err != nil {
					t.Fatal(err)
				}
				if response.Msg.Value != sent || response.Header().Get("X-Header") != "head" || response.Trailer().Get("X-Trailer") != "tail" {
					t.Errorf("got %d bytes, header %v, trailer %v", len(response.Msg.Value), response.Header(), response.Trailer())
				}
				if got := w.coding(); got != tt.coding {
					t.Errorf("coding %q, want %q: %s", got, tt.coding, tt.reason)
				}
				if vary := strings.Join(w.header().Values("Vary"), ", "); strings.Count(vary, "Accept-Encoding") > 1 {
					t.Errorf("Vary is %q, want each name once: %s", vary, tt.reason)
				}
			})
		}
	}
}

// Errors are JSON, which connect does not compress whoever asks for it.
func TestConnectError(t *testing.T) {
	for size, coding := range map[int]string{100: "", 5000: "gzip"} {
		w := overHTTP(t, 1, inside(service()))
		_, err := w.call(failed).CallUnary(patient(t), connect.NewRequest(wrapperspb.String(text(size))))
		if connect.CodeOf(err) != connect.CodeNotFound || !strings.Contains(err.Error(), text(size)) || w.coding() != coding {
			t.Errorf("coding %q, error %.80v, want %q, and not found with %d bytes", w.coding(), err, coding, size)
		}
	}
}

// A client that knows zstd gets it though connect does not know it.
func TestConnectByHand(t *testing.T) {
	w := overHTTP(t, 1, inside(service()))
	r := request(t, "POST", w.url+unary, `"`+strings.Repeat("x", 5000)+`"`, "Content-Type: application/json", "Accept-Encoding: zstd")
	do(t, client(t), r).want(t, 200, "zstd", `"`+strings.Repeat("x", 5000)+`"`, "JSON by hand")
}

// Streams of the Connect protocol compress each message, and accept no coding of the
// whole. Their trailers are at the end of the body.
func TestConnectStream(t *testing.T) {
	for _, major := range []int{1, 2} {
		for _, options := range [][]connect.ClientOption{nil, {connect.WithProtoJSON()}, {connect.WithSendGzip()}, {plainClient}} {
			w := overHTTP(t, major, inside(service()))
			stream, err := w.call(listed, options...).CallServerStream(patient(t), connect.NewRequest(wrapperspb.String(text(5000))))
			if err != nil {
				t.Fatal(err)
			}
			messages := 0
			for stream.Receive() {
				if messages++; stream.Msg().Value != text(5000) {
					t.Errorf("message %d: %d bytes", messages, len(stream.Msg().Value))
				}
			}
			if stream.Err() != nil || messages != count || stream.ResponseTrailer().Get("X-Trailer") != "tail" || w.coding() != "" {
				t.Errorf("HTTP/%d: %d messages, error %v, trailer %v, coding %q", major, messages, stream.Err(), stream.ResponseTrailer(), w.coding())
			}
			stream.Close()
		}
	}
}

// A browser accepts codings for everything: then a stream of JSON is coded, and its
// frames with their metadata are all in there.
func TestConnectStreamByHand(t *testing.T) {
	w := overHTTP(t, 1, inside(service()))
	const sent = "\x00\x00\x00\x00\x06" + `"text"`
	r := request(t, "POST", w.url+listed, sent, "Content-Type: application/connect+json", acceptGzip)
	const end = `{"metadata":{"X-Trailer":["tail"]}}`
	frames := strings.Repeat(sent, count) + "\x02\x00\x00\x00" + string(rune(len(end))) + end
	do(t, client(t), r).want(t, 200, "gzip", frames, "a stream of JSON")
}
