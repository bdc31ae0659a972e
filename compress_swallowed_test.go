package servery_test

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"testing"

	"servery"
)

// Many recovery middlewares write a page of their own whatever was sent before, and
// let the server end the response properly. Behind coded bytes that would be taken for
// more of them by some clients, and the whole for complete by others.
func TestCompressPanicThatIsSwallowed(t *testing.T) {
	text := realText(t, 300_000)
	for name, end := range map[string]func(){
		"a panic of the handler":   func() { panic("handler") },
		"an abort of the handler":  func() { panic(http.ErrAbortHandler) },
		"an encoder's first error": func() {},
	} {
		opts := &servery.CompressOptions{Encoders: []servery.Encoder{servery.Gzip(6)}}
		if name == "an encoder's first error" {
			opts.Encoders[0].New = func() (servery.EncoderWriter, error) {
				w, err := servery.Gzip(6).New()
				return failsAtClose{w}, err
			}
		}
		inner := servery.Compress(opts)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			io.WriteString(w, text)
			w.(http.Flusher).Flush()
			end()
		}))
		handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: nothing to recover from", name)
				}
				http.Error(w, "sorry", http.StatusInternalServerError)
			}()
			inner.ServeHTTP(w, r)
		})
		server := httptest.NewUnstartedServer(handler)
		server.EnableHTTP2 = true
		server.Config.ErrorLog = log.New(io.Discard, "", 0) // it minds the second status
		server.StartTLS()
		t.Cleanup(server.Close)
		for _, protocol := range []int{1, 2} {
			transport := server.Client().Transport.(*http.Transport).Clone()
			transport.ForceAttemptHTTP2 = protocol == 2
			if protocol == 1 {
				transport.TLSClientConfig.NextProtos = []string{"http/1.1"}
			}
			if body, err := coded(transport, server.URL); err == nil {
				t.Errorf("%s over HTTP/%d: a complete answer of %d bytes that ends in %q", name, protocol, len(body), body[max(0, len(body)-10):])
			}
			transport.CloseIdleConnections()
		}
	}
}

// coded gets the bytes of an answer as they come, and why they ended too early.
func coded(transport *http.Transport, url string) ([]byte, error) {
	request, err := http.NewRequest("GET", url, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept-Encoding", "gzip")
	response, err := transport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if coding := response.Header.Get("Content-Encoding"); coding != "gzip" {
		return nil, fmt.Errorf("Content-Encoding %q", coding)
	}
	return body, err
}

// failsAtClose is an encoder that cannot write its end mark.
type failsAtClose struct{ servery.EncoderWriter }

func (failsAtClose) Close() error { return errors.New("encoder") }
