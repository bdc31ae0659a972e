package servery_test

import (
	"errors"
	"io"
	"net/http"
	"strconv"
)

// doFlush flushes in one of the ways that there are. "await" does so with the
// controller, and goes on when the client has everything.
func (r *scriptRun) doFlush(which, _ int) {
	if r.conn != nil {
		return // net/http would write into the hijacked connection
	}
	way := scriptFlushes[which]
	flusher, ok := r.w.(http.Flusher)
	if r.call.script.chosen("outer") != "naked" && (ok || way != "Flusher") {
		r.call.commit(http.StatusOK, r.w.Header())
	}
	if way == "Flusher" {
		if ok {
			flusher.Flush()
			r.flushed()
		}
		return
	}
	err := http.NewResponseController(r.w).Flush()
	r.note("Flush", 0, err)
	if errors.Is(err, http.ErrNotSupported) {
		return
	}
	r.flushed()
	if way == "await" && err == nil && !r.stuck && !r.call.script.hijacks && !r.call.await(r.expected()) {
		r.stuck = true
		r.note(undelivered, 0, nil)
	}
}

func (r *scriptRun) flushed() {
	if f := &r.call.facts; f.flushedAt < 0 {
		f.flushedAt = len(r.call.script.taken(f))
	}
}

// undelivered is noted where the client does not get what was flushed.
const undelivered = "what was flushed does not arrive"

// expected is how many plain bytes the client must have after a flush.
func (r *scriptRun) expected() int64 {
	if r.call.script.isHead() {
		return 0
	}
	expected := int64(len(r.call.facts.accepted))
	if declared := declaredLength(r.call.facts.frozen); declared >= 0 {
		expected = min(expected, declared) // net/http sends more with ReadFrom, which is no part of the body
	}
	return expected
}

// declaredLength is the valid Content-Length of a header, or -1.
func declaredLength(header http.Header) int64 {
	length, err := strconv.ParseInt(header.Get("Content-Length"), 10, 64)
	if err != nil || length < 0 {
		return -1
	}
	return length
}

// hijackedAnswer is what a handler writes into the connection that it hijacked.
const hijackedAnswer = "HTTP/1.1 299 Hijacked\r\nContent-Length: 8\r\nConnection: close\r\n\r\nhijacked"

func (r *scriptRun) doHijack(_, _ int) {
	conn, buffered, err := http.NewResponseController(r.w).Hijack()
	r.note("Hijack", 0, err)
	if err != nil {
		return
	}
	r.conn = conn
	f := &r.call.facts
	f.hijacked, f.began = true, f.status != 0
	io.WriteString(buffered, hijackedAnswer)
	r.note("Flush of the hijacked connection", 0, buffered.Flush())
}
