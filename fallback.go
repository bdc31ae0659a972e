package servery

import (
	"net/http"

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
