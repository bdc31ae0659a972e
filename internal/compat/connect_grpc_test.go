package compat

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// variant is a protocol with messages that are compressed or not.
type variant struct {
	name    string
	major   int
	options []connect.ClientOption
}

// variants are those that keep the status in trailers, or in a frame at the end that
// must not be held back. They are never coded, whatever the application wants.
var variants = []variant{
	{"gRPC", 2, []connect.ClientOption{connect.WithGRPC()}},
	{"gRPC, compressed", 2, []connect.ClientOption{connect.WithGRPC(), connect.WithSendGzip()}},
	{"gRPC, JSON", 2, []connect.ClientOption{connect.WithGRPC(), connect.WithProtoJSON()}},
	{"gRPC-Web", 2, []connect.ClientOption{connect.WithGRPCWeb()}},
	{"gRPC-Web over HTTP/1", 1, []connect.ClientOption{connect.WithGRPCWeb(), connect.WithSendGzip()}},
	{"gRPC-Web, JSON", 1, []connect.ClientOption{connect.WithGRPCWeb(), connect.WithProtoJSON()}},
}

func TestGRPCUnary(t *testing.T) {
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			w := overHTTP(t, v.major, greedy(service()))
			for _, size := range []int{0, 10, 5000, 500_000} {
				call := connect.NewRequest(wrapperspb.String(text(size)))
				call.Header().Set("Accept-Encoding", "gzip, zstd") // as proxies and browsers do
				response, err := w.call(unary, v.options...).CallUnary(patient(t), call)
				if err != nil {
					t.Fatal(err)
				}
				if response.Msg.Value != text(size) || response.Header().Get("X-Header") != "head" || response.Trailer().Get("X-Trailer") != "tail" {
					t.Errorf("%d bytes: got %d, header %v, trailer %v", size, len(response.Msg.Value), response.Header(), response.Trailer())
				}
				if w.coding() != "" || w.header().Get("Vary") != "" {
					t.Errorf("%d bytes: header %v, want nothing about codings", size, w.header())
				}
			}
			for _, size := range []int{0, 5000} {
				_, err := w.call(failed, v.options...).CallUnary(patient(t), connect.NewRequest(wrapperspb.String(text(size))))
				var status *connect.Error
				if !errors.As(err, &status) || status.Code() != connect.CodeNotFound || status.Message() != text(size) {
					t.Errorf("error %.80v, want not found with %d bytes", err, size)
				}
			}
		})
	}
}

func TestGRPCServerStream(t *testing.T) {
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			w := overHTTP(t, v.major, greedy(service()))
			stream, err := w.call(listed, v.options...).CallServerStream(patient(t), connect.NewRequest(wrapperspb.String(text(5000))))
			if err != nil {
				t.Fatal(err)
			}
			defer stream.Close()
			messages := 0
			for stream.Receive() {
				if messages++; stream.Msg().Value != text(5000) {
					t.Errorf("message %d: %d bytes", messages, len(stream.Msg().Value))
				}
			}
			if stream.Err() != nil || messages != count || stream.ResponseTrailer().Get("X-Trailer") != "tail" || w.coding() != "" {
				t.Errorf("%d messages, error %v, trailer %v, coding %q", messages, stream.Err(), stream.ResponseTrailer(), w.coding())
			}
		})
	}
}

// In a stream of both directions the next message depends on the one before: nothing
// may be held back, neither way.
func TestBidirectionalStream(t *testing.T) {
	for _, v := range append(variants[:3:3],
		variant{"Connect", 2, nil},
		variant{"Connect, JSON", 2, []connect.ClientOption{connect.WithProtoJSON()}},
	) {
		t.Run(v.name, func(t *testing.T) {
			w := overHTTP(t, v.major, inside(service()))
			stream := w.call(echoed, v.options...).CallBidiStream(patient(t))
			for i := range 20 {
				want := fmt.Sprint(i, text(i*100))
				if err := stream.Send(wrapperspb.String(want)); err != nil {
					t.Fatal(err)
				}
				if got, err := stream.Receive(); err != nil || got.Value != want {
					t.Fatalf("message %d: %v, error %v", i, got, err)
				}
			}
			if err := stream.CloseRequest(); err != nil {
				t.Error(err)
			}
			_, err := stream.Receive()
			if !errors.Is(err, io.EOF) || stream.ResponseTrailer().Get("X-Trailer") != "tail" {
				t.Errorf("at the end %v, trailer %v", err, stream.ResponseTrailer())
			}
			if err := stream.CloseResponse(); err != nil {
				t.Error(err)
			}
		})
	}
}
