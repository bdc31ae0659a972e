package servery_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"servery"
)

// net/http counts what it refuses beyond the declared length, and refuses all that
// comes afterwards. What Compress refused the server knows nothing of.
func TestCompressRefusesAfterARefusedWrite(t *testing.T) {
	for name, write := range map[string]func(w http.ResponseWriter) error{
		"Write":       func(w http.ResponseWriter) error { _, err := w.Write([]byte("short")); return err },
		"WriteString": func(w http.ResponseWriter) error { _, err := io.WriteString(w, "short"); return err },
		"ReadFrom": func(w http.ResponseWriter) error {
			_, err := io.Copy(w, struct{ io.Reader }{strings.NewReader("short")})
			return err
		},
	} {
		var first, second error
		handler := servery.Compress(nil)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "2000")
			_, first = w.Write([]byte(strings.Repeat("x", 2001)))
			http.NewResponseController(w).Flush() // nothing tells the type: it passes
			second = write(w)
		}))
		answer, request := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
		request.Header.Set("Accept-Encoding", "gzip")
		handler.ServeHTTP(answer, request)
		if !errors.Is(first, http.ErrContentLength) || !errors.Is(second, http.ErrContentLength) || answer.Body.Len() > 0 {
			t.Errorf("%s: errors %v and %v, body %q", name, first, second, answer.Body)
		}
	}
}
