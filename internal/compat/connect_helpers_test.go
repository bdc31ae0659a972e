package compat

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

type (
	message  = wrapperspb.StringValue
	caller   = connect.Client[message, message]
	received = connect.Request[message]
)

// The procedures of a service, each of which sends back what it gets, with a field in
// the header and one in the trailer.
const (
	unary  = "/test.Service/Unary"
	failed = "/test.Service/Failed" // with the message as the error's
	listed = "/test.Service/Listed" // a stream of count messages
	echoed = "/test.Service/Echoed" // a stream in both directions
	count  = 3
)

func service(options ...connect.HandlerOption) http.Handler {
	mux := http.NewServeMux()
	mux.Handle(unary, connect.NewUnaryHandler(unary, func(_ context.Context, r *received) (*connect.Response[message], error) {
		response := connect.NewResponse(r.Msg)
		response.Header().Set("X-Header", "head")
		response.Trailer().Set("X-Trailer", "tail")
		return response, nil
	}, append(options, connect.WithIdempotency(connect.IdempotencyNoSideEffects))...))
	mux.Handle(failed, connect.NewUnaryHandler(failed, func(_ context.Context, r *received) (*connect.Response[message], error) {
		return nil, connect.NewError(connect.CodeNotFound, errors.New(r.Msg.Value))
	}, options...))
	mux.Handle(listed, connect.NewServerStreamHandler(listed, func(_ context.Context, r *received, stream *connect.ServerStream[message]) error {
		stream.ResponseTrailer().Set("X-Trailer", "tail")
		for range count {
			if err := stream.Send(r.Msg); err != nil {
				return err
			}
		}
		return nil
	}, options...))
	mux.Handle(echoed, connect.NewBidiStreamHandler(echoed, func(_ context.Context, stream *connect.BidiStream[message, message]) error {
		stream.ResponseTrailer().Set("X-Trailer", "tail")
		for {
			m, err := stream.Receive()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err == nil {
				err = stream.Send(m)
			}
			if err != nil {
				return err
			}
		}
	}, options...))
	return mux
}

// wire is a client that keeps the header of the last answer, as it was sent.
type wire struct {
	url    string
	client *http.Client

	mu   sync.Mutex // guards last
	last http.Header
}

func (w *wire) Do(r *http.Request) (*http.Response, error) {
	response, err := w.client.Do(r)
	if err == nil {
		w.mu.Lock()
		w.last = response.Header.Clone()
		w.mu.Unlock()
	}
	return response, err
}

// header returns that of the last answer.
func (w *wire) header() http.Header {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last
}

func (w *wire) coding() string { return strings.Join(w.header().Values("Content-Encoding"), ", ") }

func (w *wire) call(procedure string, options ...connect.ClientOption) *caller {
	return connect.NewClient[message, message](w, w.url+procedure, options...)
}

// overHTTP serves over HTTP/1.1, or over HTTP/2.
func overHTTP(t *testing.T, major int, handler http.Handler) *wire {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	if server.EnableHTTP2 = major == 2; server.EnableHTTP2 {
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	return &wire{url: server.URL, client: server.Client()}
}

// Options that switch off what connect compresses by itself.
var (
	plainHandler = connect.WithCompression("gzip", nil, nil)
	plainClient  = connect.WithAcceptCompression("gzip", nil, nil)
)
