package inputs

import "fmt"

// Ceiling is the server that no handler inside net/http can beat.
const Ceiling = "ceiling"

// The servers that take part. Those of each list are asked to do the same work.
var (
	plainPeers   = []string{Ceiling, "servery", "nethttp", "fasthttp", "nginx", "nginx-ofc", "caddy"}
	codedPeers   = []string{Ceiling, "servery", "gzhttp", "statigz", "fasthttp-gzip", "nginx-gzip", "nginx-static", "caddy-gzip"}
	makingPeers  = []string{Ceiling, "servery", "servery-0", "gzhttp", "nginx-gzip", "caddy-gzip"}
	sharingPeers = []string{"servery-0", "gzhttp"} // the processor, with a tiny answer

	// The ways in which servery can send a file.
	crossingPeers = []string{Ceiling, "servery-hot", "servery-read", "servery-sendfile"}

	// Those that are set up with a certificate.
	tlsPeers      = []string{Ceiling, "servery", "nethttp", "nginx"}
	tlsCodedPeers = []string{Ceiling, "servery", "gzhttp", "nginx-gzip", "nginx-static"}

	// Middleware around one and the same application, which has its answers ready.
	compressPeers = []string{"servery-compress", "gzhttp-compress", "httpcompression", "chi"}
	answerPeers   = append([]string{"ceiling-compress"}, compressPeers...)
)

// Scenarios lists all of them in the order in which they run.
func Scenarios() []Scenario {
	all := []Scenario{
		plain("1k", "1k.txt", 1<<10),
		plain("1k-deep", "one/two/three/1k.txt", 1<<10),
		plain("1k-10-deep", "one/two/three/four/five/six/seven/eight/nine/1k.txt", 1<<10),
		plain("1k-many", "many/*.txt", 1<<10).numbered(many),
		plain("16k", "16k.txt", 16<<10),
		plain("64k", "64k.txt", 64<<10),
		plain("8m", "8m.txt", 8<<20),
		plain("304", "1k.txt", 1<<10).revalidated(),
		plain("1k-churn", "1k.txt", 1<<10).churning(),
		plain("tls-1k", "1k.txt", 1<<10).by(HTTP1TLS, tlsPeers),
		plain("h2-1k", "1k.txt", 1<<10).by(HTTP2, tlsPeers),
		coded("gzip-64k", "64k.txt", 64<<10, codedPeers, Ceiling),
		coded("gzip-1m", "1m.txt", 1<<20, codedPeers, Ceiling),
		coded("h2-gzip-64k", "64k.txt", 64<<10, codedPeers, Ceiling).by(HTTP2, tlsCodedPeers),
		coded("gzip-64k-same", "64k.txt", 64<<10, makingPeers, "servery"),
		coded("gzip-64k-distinct", "distinct/*.txt", 64<<10, makingPeers, "gzhttp").numbered(distinct),
	}
	for _, kibibytes := range []int{1, 4, 16, 32, 64, 128} {
		s := plain(fmt.Sprintf("crossover-%dk", kibibytes), fmt.Sprintf("%dk.txt", kibibytes), kibibytes<<10)
		s.Peers = crossingPeers
		all = append(all, s)
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

// many is how many files are asked for in turn where it is to show what a server does
// with more of them than one keeps an eye on: their bodies are 10 MiB, and each comes
// again only after all others.
const many = 10_000

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

// numbered returns the scenario with that many files, asked for in turn.
func (s Scenario) numbered(files int) Scenario {
	s.Files = files
	return s
}

// revalidated returns the scenario with conditional requests.
func (s Scenario) revalidated() Scenario {
	s.NotModified = true
	return s
}

// churning returns the scenario with a connection for each request.
func (s Scenario) churning() Scenario {
	s.Churn = true
	return s
}

// by returns the scenario over another protocol, through servers that are set up for it.
func (s Scenario) by(protocol Protocol, peers []string) Scenario {
	s.Protocol, s.Peers = protocol, peers
	return s
}
