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

// Ceiling is the server that no handler inside net/http can beat.
const Ceiling = "ceiling"

// The servers that take part. Those of each list are asked to do the same work.
var (
	plainPeers   = []string{Ceiling, "servery", "nethttp", "fasthttp", "nginx", "nginx-ofc", "caddy"}
	codedPeers   = []string{Ceiling, "servery", "gzhttp", "fasthttp-gzip", "nginx-gzip", "nginx-static", "caddy-gzip"}
	makingPeers  = []string{Ceiling, "servery", "servery-0", "gzhttp", "nginx-gzip", "caddy-gzip"}
	sharingPeers = []string{"servery-0", "gzhttp"} // the processor, with a tiny answer

	// Middleware around one and the same application, which has its answers ready.
	compressPeers = []string{"servery-compress", "gzhttp-compress", "httpcompression", "chi"}
	answerPeers   = append([]string{"ceiling-compress"}, compressPeers...)
)

// Scenarios lists all of them in the order in which they run.
func Scenarios() []Scenario {
	all := []Scenario{
		plain("1k", "1k.txt", 1<<10),
		plain("1k-deep", "one/two/three/1k.txt", 1<<10),
		plain("16k", "16k.txt", 16<<10),
		plain("64k", "64k.txt", 64<<10),
		plain("8m", "8m.txt", 8<<20),
		plain("304", "1k.txt", 1<<10),
		coded("gzip-64k", "64k.txt", 64<<10, codedPeers, Ceiling),
		coded("gzip-1m", "1m.txt", 1<<20, codedPeers, Ceiling),
		coded("gzip-64k-same", "64k.txt", 64<<10, makingPeers, "servery"),
		coded("gzip-64k-distinct", "distinct/*.txt", 64<<10, makingPeers, "gzhttp"),
	}
	for i := range all {
		all[i].NotModified = all[i].Name == "304"
		if strings.Contains(all[i].Path, "*") {
			all[i].Files = distinct
		}
	}
	all = append(all, crowds(behind)...)
	all = append(all,
		answered("json-200", "200.json", 200),
		answered("json-2k", "2k.json", 2<<10),
		answered("json-100k", "100k.json", 100<<10),
		answered("json-1m", "1m.json", 1<<20),
	)
	for _, manner := range []string{ByWrite, ByChunks, ByCopy} {
		all = append(all, crowds(func(clients, level int) Scenario {
			return compressBehind(manner, clients, level)
		})...)
	}
	return all
}

// crowds returns a scenario for each number of clients at each level.
func crowds(of func(clients, level int) Scenario) []Scenario {
	var all []Scenario
	for _, level := range []int{9, DefaultLevel} {
		for _, clients := range []int{1, 8, 64} {
			all = append(all, of(clients, level))
		}
	}
	return all
}

// distinct is how many files are asked for in turn. With no more than there are
// connections, nearly half of the requests were found to meet another for the same
// file, whose work servery lets them share: it is not to win that way here.
const distinct = 512

// The first folder of a path says how the application writes the answer.
const (
	ByWrite  = "write"  // with one Write, as it does in any other folder
	ByChunks = "chunks" // with Writes of 32 KiB
	ByCopy   = "copy"   // with io.Copy from a file
)

// LeastCoded is the size in bytes from which most servers encode, by default or
// because they are told to.
const LeastCoded = 1 << 10

// DefaultLevel is servery's own of gzip. The others are set to it, so that all do
// equal work.
const DefaultLevel = 6

func plain(name, path string, size int) Scenario {
	return Scenario{Name: name, Path: path, Size: size, Peers: plainPeers, Reference: Ceiling}
}

func coded(name, path string, size int, peers []string, reference string) Scenario {
	return Scenario{
		Name: name, Path: path, Size: size, Coding: "gzip", Level: DefaultLevel, Peers: peers, Reference: reference,
	}
}

func behind(clients, level int) Scenario {
	s := coded(fmt.Sprintf("tiny-behind-%d", clients), "tiny.txt", 200, sharingPeers, "gzhttp")
	return s.beside(clients, level, "large/*.txt")
}

func answered(name, path string, size int) Scenario {
	return coded(name, path, size, answerPeers, "gzhttp-compress")
}

// compressBehind needs no more than one large file: nobody shares what it became.
func compressBehind(manner string, clients, level int) Scenario {
	s := coded(fmt.Sprintf("compress-behind-%d-%s", clients, manner), "200.json", 200, compressPeers, "gzhttp-compress")
	return s.beside(clients, level, manner+"/large.txt")
}

// beside returns the scenario with the load of large files beside it.
func (s Scenario) beside(clients, level int, largePath string) Scenario {
	s.Behind, s.LargePath, s.LargeSize, s.Level = clients, largePath, 10<<20, level
	if level == DefaultLevel {
		s.Name += "-default"
	}
	return s
}

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
