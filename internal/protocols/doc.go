// Package protocols holds tests of servery over every version of HTTP, with clients that
// others wrote: h2spec, h2load, curl, and quic-go for HTTP/3. It is a module of its own
// so that no user of servery depends on them.
package protocols
