// Package bench holds benchmarks of servery's handlers beside those of its
// peers; cmd/compare measures whole servers. It is a module of its own so that
// no user of servery depends on a peer.
package bench
