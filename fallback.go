package servery

import (
	"net/http"

	"servery/internal/deliver"
	"servery/internal/identity"
	"servery/internal/plan"
)

// mayFallBack reports whether the answer for a name that leads to nothing depends on
// what Accept says.
func (s *fileServer) mayFallBack(name string) bool {
	if s.options.Fallback == "" {
		return false
	}
	may, _ := plan.Fallback(name, s.options.FallbackExtensions, nil)
	return may
}

// fallback opens the file that stands in for a name that could not be opened because of
// cause, or returns what the client is to be told instead.
func (s *fileServer) fallback(view identity.View, r *http.Request, name string, request *plan.Request, cause error) (*identity.Opened, error) {
	if !identity.IsMissing(cause) {
		return nil, cause
	}
	if _, asked := plan.Fallback(name, s.options.FallbackExtensions, r.Header["Accept"]); !asked {
		return nil, cause
	}
	opened, err := s.loader.Open(view, s.options.Fallback, s.need(request, s.options.Fallback))
	if err == nil && opened.IsDir() {
		opened.Close()
		return nil, cause
	}
	return opened, err
}

// fail answers with an error. That nothing was found depends on Accept where varies is set.
func (s *fileServer) fail(w http.ResponseWriter, r *http.Request, status int, varies bool, out *Outcome) {
	p := plan.Failure(status)
	p.VaryAccept = varies && status == http.StatusNotFound
	if status != http.StatusNotFound || s.options.NotFound == nil {
		s.leave(w)
		s.answer(w, r.Method == http.MethodHead, answer{plan: p}, nil, out)
		return
	}
	if out != nil {
		out.tell(p)
	}
	if p.VaryAccept {
		deliver.VaryAccept(w.Header())
	}
	s.options.NotFound.ServeHTTP(w, r)
}
