// Package servery serves files over HTTP by the book, and compresses what other
// handlers write.
//
// [FileServer] is a handler ([net/http.Handler]) for a directory or any [io/fs.FS]. Each
// answer describes the file that was opened for it: size, date, entity-tag and
// bytes come from one handle, never from a second look at the name. [OpenDir]
// holds a directory open and opens everything beneath it, so that no link and no
// race leads out of it.
//
//	dir, err := servery.OpenDir("public")
//	if err != nil {
//		log.Fatal(err)
//	}
//	http.ListenAndServe("127.0.0.1:8080", servery.FileServer(dir, nil))
//
// [Compress] is middleware for any other handler. It sends what that writes in a
// content coding to those who accept one, and is invisible otherwise.
//
//	http.Handle("/api/", servery.Compress(nil)(api))
//
// Files that are worth it are sent in gzip or zstd to those who accept that. A
// [CompressionCache] holds what was compressed, and lets all who ask for the same at
// the same time share the work; a [Limiter] bounds what is compressed at once.
//
// A request is decided first and acted upon after: its fields and the facts of
// the opened file go into a pure function that decides all that a client can see;
// what follows only writes. RFC 9110 is the authority for every answer. Directories
// are not listed unless that is asked for, nothing is logged, and nothing is written into
// the root.
//
// Handlers and directories may be shared by any number of goroutines. Options are
// copied when a handler is made; changing them afterwards has no effect. Answers share
// the values of header fields: code around a handler sets others in their place, or
// appends, and does not write into the slices.
package servery
