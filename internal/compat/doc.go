// Package compat holds tests of servery.Compress with what others write handlers
// with: frameworks, WebSockets and remote procedure calls. It is a module of its
// own so that no user of servery depends on them.
package compat
