package plan

import "strconv"

// allow lists the methods of a FileServer.
const allow = "GET, HEAD, OPTIONS"

// Failure is the answer of an error: a status and its name, and nothing of the
// file, whose validators and cache policy are not the error's.
func Failure(status int) Plan {
	p := Plan{
		Status:      status,
		ContentType: "text/plain; charset=utf-8",
		NoSniff:     true,
		Message:     strconv.Itoa(status) + " " + reason(status) + "\n",
	}
	p.ContentLength = strconv.Itoa(len(p.Message))
	switch status {
	case statusUnavailable:
		p.RetryAfter = "1"
		p.CacheControl = "no-store"
	case statusMethodNotAllowed:
		p.Allow = allow
	}
	return p
}

func failureOf(status int, vary bool) Plan {
	p := Failure(status)
	p.Vary = vary
	return p
}

// Options answers OPTIONS (RFC 9110, section 9.3.7).
func Options() Plan { return Plan{Status: statusNoContent, Allow: allow} }

// Redirect sends the client to location for good. It is to be revalidated all
// the same: a browser that kept the redirects of a folder and of the file that
// later takes its name would go from one to the other for ever.
func Redirect(location string) Plan {
	return Plan{
		Status:        statusMovedPermanently,
		Location:      location,
		CacheControl:  "no-cache",
		ContentLength: "0",
	}
}

// reason is the status's name in RFC 9110, section 15.
func reason(status int) string {
	switch status {
	case 403:
		return "Forbidden"
	case 404:
		return "Not Found"
	case statusMethodNotAllowed:
		return "Method Not Allowed"
	case statusNotAcceptable:
		return "Not Acceptable"
	case statusPreconditionFailed:
		return "Precondition Failed"
	case statusUnsatisfiable:
		return "Range Not Satisfiable"
	case statusUnavailable:
		return "Service Unavailable"
	}
	return "Internal Server Error"
}
