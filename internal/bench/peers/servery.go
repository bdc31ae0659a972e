package peers

import (
	"net/http"

	"servery"
)

// newServery serves with every option at its default.
func newServery(s Site) (http.Handler, error) { return serveryWith(s, nil) }

// newServeryWithoutRetention keeps no coded body, so each is made anew unless
// somebody asks for it while it is being made. The rest of the answer is servery's
// own, its ceiling too.
func newServeryWithoutRetention(s Site) (http.Handler, error) {
	return serveryWith(s, &servery.FileServerOptions{
		Cache:    servery.NewCompressionCache(0),
		Encoders: []servery.Encoder{servery.Gzip(s.Level)},
	})
}

// largestCrossing is the size in bytes of the largest file of the scenarios that compare
// the ways to send one.
const largestCrossing = 128 << 10

// The ways to send a file, whatever its size.
var (
	fromMemory = servery.FileServerOptions{SmallFileBuffer: largestCrossing, HotBytes: 64 << 20}
	byReading  = servery.FileServerOptions{SmallFileBuffer: largestCrossing, HotBytes: -1}
	bySendfile = servery.FileServerOptions{SmallFileBuffer: -1, HotBytes: -1}
)

// serveryInTheWay serves with these options.
func serveryInTheWay(options servery.FileServerOptions) func(Site) (http.Handler, error) {
	return func(s Site) (http.Handler, error) { return serveryWith(s, &options) }
}

// serveryWith leaves the directory open for as long as the process runs.
func serveryWith(s Site, options *servery.FileServerOptions) (http.Handler, error) {
	root, err := servery.OpenDir(s.Dir)
	if err != nil {
		return nil, err
	}
	return servery.FileServer(root, options), nil
}
