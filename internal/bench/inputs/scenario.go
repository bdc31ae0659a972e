// Package inputs says what is requested in each scenario and makes the files
// that are served.
package inputs

import (
	"fmt"
	"strconv"
	"strings"
)

// A Scenario is one request that is repeated against every server that takes part.
type Scenario struct {
	Name string
	Path string // relative to the served directory, with slashes; a "*" in it stands for the number of a file
	Size int    // of each file, in bytes

	// Files is how many files there are, numbered from 0 and asked for in turn; 0
	// is one file whose path has no number.
	Files int

	// NotModified makes the request conditional: it carries the validator of
	// the server's own 200, and the answer has to be 304.
	NotModified bool

	Protocol Protocol // over which it is asked for
	Churn    bool     // each request has a connection of its own, which the server is asked to close

	Coding string // what the request accepts, or nothing; the answer has it unless it is too small
	Level  int    // of the coding, for the servers that encode on request

	// Behind is how many clients pull the files of LargePath, over and over again,
	// while one client asks for the path. Coding and Level are then those of the
	// large files. 0 is no such load.
	Behind    int
	LargePath string // with a "*" in it, each client has a file of its own
	LargeSize int

	Peers     []string // the servers that take part
	Reference string   // the one that ratios refer to
}

// A Protocol is what carries the requests.
type Protocol string

// The protocols. HTTP/2 is over TLS, too: browsers know no other.
const (
	HTTP1    Protocol = ""
	HTTP1TLS Protocol = "HTTP/1.1 over TLS"
	HTTP2    Protocol = "HTTP/2"
)

// Encrypted reports whether the server needs a certificate.
func (p Protocol) Encrypted() bool { return p != HTTP1 }

// String describes the request in words for the head of a table.
func (s Scenario) String() string {
	kind := "GET"
	switch {
	case s.NotModified:
		kind = "conditional GET, answered 304,"
	case s.Behind > 0:
		return fmt.Sprintf("%s: GET /%s, %d bytes, while %d clients pull a /%s each, %d bytes in %s at level %d",
			s.Name, s.Path, s.Size, s.Behind, s.LargePath, s.LargeSize, s.Coding, s.Level)
	case s.Coding != "":
		kind += " in " + s.Coding
	}
	words := fmt.Sprintf("%s: %s /%s, %d bytes", s.Name, kind, s.Path, s.Size)
	if s.Files > 0 {
		words += fmt.Sprintf(", %d files", s.Files)
	}
	if s.Protocol != HTTP1 {
		words += ", by " + string(s.Protocol)
	}
	if s.Churn {
		words += ", each on a new connection"
	}
	return words
}

// Paths lists the files that are asked for in turn.
func (s Scenario) Paths() []string { return numbered(s.Path, s.Files) }

// LargePaths lists the files that the clients pull.
func (s Scenario) LargePaths() []string { return numbered(s.LargePath, s.Behind) }

func numbered(path string, files int) []string {
	if !strings.Contains(path, "*") {
		return []string{path}
	}
	var paths []string
	for i := range files {
		paths = append(paths, strings.Replace(path, "*", strconv.Itoa(i), 1))
	}
	return paths
}
