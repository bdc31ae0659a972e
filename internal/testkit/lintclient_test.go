package testkit

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// complaints takes what would fail a test.
type complaints struct {
	testing.TB
	lines []string
}

func (c *complaints) Helper() {}

func (c *complaints) Errorf(format string, args ...any) {
	c.lines = append(c.lines, fmt.Sprintf(format, args...))
}

// serveErrors answers 404 with fields that no error of a FileServer has.
func serveErrors(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/wrong" {
		w.Header().Set("Etag", `"x"`)
	}
	w.WriteHeader(http.StatusNotFound)
	io.WriteString(w, "404 Not Found\n")
}

// What comes by each of the ways to ask is judged, and the bytes come through.
func TestEveryWayIsLinted(t *testing.T) {
	server := Serve(t, http.HandlerFunc(serveErrors))
	for name, ask := range map[string]func(tb testing.TB, target string) []byte{
		"Do": func(tb testing.TB, target string) []byte {
			return Connect(linted{t, tb}, server.Addr).Dial().Do("GET", target).Body
		},
		"Rules": func(tb testing.TB, target string) []byte {
			other := Connect(linted{t, tb}, server.Addr)
			other.Rules = Lint
			c := other.Dial()
			c.Send("GET", target)
			return c.Read("GET").Body
		},
		"Linting": func(tb testing.TB, target string) []byte {
			transport := &http.Transport{DisableKeepAlives: true}
			response, err := (&http.Client{Transport: Linting(tb, transport, Lint)}).Get("http://" + server.Addr + target)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			body, err := io.ReadAll(response.Body)
			if err != nil {
				t.Fatal(err)
			}
			return body
		},
		"LintRecorded": func(tb testing.TB, target string) []byte {
			recorder, request := httptest.NewRecorder(), httptest.NewRequest("GET", target, nil)
			serveErrors(recorder, request)
			body := bytes.Clone(recorder.Body.Bytes())
			LintRecorded(tb, request, recorder, Lint)
			return body
		},
		"LintServed": func(tb testing.TB, target string) []byte {
			recorder := httptest.NewRecorder()
			LintServed(tb, http.HandlerFunc(serveErrors), Lint).ServeHTTP(recorder, httptest.NewRequest("GET", target, nil))
			return recorder.Body.Bytes()
		},
	} {
		for target, want := range map[string]int{"/right": 0, "/wrong": 1} {
			got := &complaints{}
			if body := ask(got, target); string(body) != "404 Not Found\n" {
				t.Errorf("%s: body %q", name, body)
			}
			if len(got.lines) != want || want > 0 && !strings.Contains(got.lines[0], "an error with Etag") {
				t.Errorf("%s: %s: %q, want %d complaints", name, target, got.lines, want)
			}
		}
	}
}

// linted is a test that reports its failures elsewhere.
type linted struct {
	*testing.T
	to testing.TB
}

func (l linted) Errorf(format string, args ...any) { l.to.Errorf(format, args...) }

// A body that is not read to its end is no shorter than it should be.
func TestLintingOfABodyThatIsClosed(t *testing.T) {
	server := Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, digits) }))
	got := &complaints{}
	transport := &http.Transport{DisableKeepAlives: true}
	response, err := (&http.Client{Transport: Linting(got, transport, LintFraming)}).Get("http://" + server.Addr)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if len(got.lines) > 0 {
		t.Errorf("complaints %q, want none", got.lines)
	}
}
