package stream

import "net/http"

// What the tests of the decision need of it.
type (
	Moment = moment
	Answer struct {
		Moment Moment
		Status int
		Header http.Header
		Prefix string
		Size   int64 // 0 is that of the prefix
	}
	Verdict struct {
		Action    string
		Vary      bool
		MediaType string
		Tag       string
	}
)

const (
	More    = more
	Flushed = flushed
	Ended   = ended
)

// Decide asks the question about the answer to a request.
func (m *Middleware) Decide(r *http.Request, a Answer) Verdict {
	q, _ := m.request(r)
	size := max(a.Size, int64(len(a.Prefix)))
	v := m.decide(&q, answer{a.Moment, a.Status, a.Header, []byte(a.Prefix), size, declaredLength(a.Header)})
	return Verdict{[...]string{"wait", "pass", "encode"}[v.action], v.vary, v.mediaType, string(v.tag)}
}

// Seen is the request that the handler gets.
func (m *Middleware) Seen(r *http.Request) *http.Request {
	_, seen := m.request(r)
	return seen
}
