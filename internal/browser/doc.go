// Package browser holds tests of servery with a browser, which is told what to do, and
// says what it has seen, by the DevTools protocol. It is a module of its own so that no
// user of servery depends on the client for that.
package browser
