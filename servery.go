// Package servery serves files over HTTP by the book, and compresses what other
// handlers write.
//
// [FileServer] is a handler for a directory or any [io/fs.FS]. Each answer describes the
// file that was opened for it, never what a second look at the name finds. [OpenDir]
// holds a directory open and opens everything beneath it, so that no link and no race
// leads out of it.
//
//	dir, err := servery.OpenDir("public")
//	if err != nil {
//		log.Fatal(err)
//	}
//	http.Handle("/", servery.FileServer(dir, nil))
//	http.Handle("/api/", servery.Compress(nil)(api))
//
// [Compress] is middleware that compresses what any other handler writes, and is
// invisible otherwise. Files are compressed by FileServer itself: a [CompressionCache]
// holds what came of it and lets all who ask for the same at the same time share the
// work, and a [Limiter] bounds what is compressed at once.
//
// A request is decided first and acted upon after, by RFC 9110. Nothing is logged, and
// nothing is written into the root.
//
// Handlers and directories may be shared by any number of goroutines. Options are
// copied when a handler is made. Answers share the values of header fields: code around a
// handler sets others in their place, or appends, and does not write into the slices.
package servery
