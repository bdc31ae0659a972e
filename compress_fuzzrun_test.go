package servery_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// scriptRun is a handler that plays a script. It is a ResponseWriter itself, for what
// net/http writes on behalf of a handler, and notes what goes through it.
type scriptRun struct {
	call  *scriptCall
	w     http.ResponseWriter
	r     *http.Request
	conn  net.Conn // hijacked
	step  int
	stuck bool // the client did not get what was flushed; it is not waited for again
}

func (c *scriptCall) play(w http.ResponseWriter, r *http.Request) {
	run := &scriptRun{call: c, w: w, r: r}
	c.facts.request = r.Header.Clone()
	defer func() {
		c.facts.panicked = recover()
		c.ended(w.Header())
		if run.conn != nil {
			run.conn.Close()
		}
		if c.facts.panicked != nil {
			panic(c.facts.panicked)
		}
	}()
	run.noteInterfaces()
	for i, step := range c.script.steps {
		run.step = i
		scriptActs[step.act].do(run, step.first, step.second)
	}
}

func (r *scriptRun) note(call string, n int64, err error) {
	r.call.facts.log = append(r.call.facts.log, scriptEntry{call, n, errorClass(err)})
}

// errorClass is what a handler can tell of an error.
func errorClass(err error) string {
	for _, known := range []error{
		http.ErrContentLength, http.ErrBodyNotAllowed, http.ErrHijacked, http.ErrNotSupported, http.ErrBodyReadAfterClose, errScriptEncoder, errScriptSource, io.EOF,
	} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	if err == nil {
		return ""
	}
	return err.Error()
}

// noteInterfaces notes what a type assertion finds.
func (r *scriptRun) noteInterfaces() {
	_, flusher := r.w.(http.Flusher)
	_, hijacker := r.w.(http.Hijacker)
	_, pusher := r.w.(http.Pusher)
	_, notifier := r.w.(interface{ CloseNotify() <-chan bool })
	r.note(fmt.Sprintf("Flusher %t, Hijacker %t, Pusher %t, CloseNotifier %t", flusher, hijacker, pusher, notifier), 0, nil)
}

func (r *scriptRun) Header() http.Header { return r.w.Header() }

// WriteHeader notes the panic that an invalid code is, and goes on.
func (r *scriptRun) WriteHeader(code int) {
	defer func() {
		if v := recover(); v != nil {
			r.note(fmt.Sprint("WriteHeader panics: ", v), 0, nil)
		}
	}()
	if code >= 200 && code <= 999 || code == http.StatusSwitchingProtocols && r.r.ProtoMajor == 1 {
		r.call.commit(code, r.w.Header())
	}
	r.w.WriteHeader(code)
}

// Write writes from memory of its own, which it spoils afterwards: nobody may keep it.
func (r *scriptRun) Write(p []byte) (int, error) {
	p = append([]byte(nil), p...)
	r.call.commit(http.StatusOK, r.w.Header())
	n, err := r.w.Write(p)
	r.took("Write", p, int64(n), err)
	for i := range p {
		p[i] = 'X'
	}
	return n, err
}

// took notes what a call that was to write p returned.
func (r *scriptRun) took(call string, p []byte, n int64, err error) {
	f := &r.call.facts
	f.attempted = append(f.attempted, p...)
	f.accepted = append(f.accepted, p[:min(max(n, 0), int64(len(p)))]...)
	r.note(call, n, err)
}

// ReadFrom is for [http.ServeContent].
func (r *scriptRun) ReadFrom(src io.Reader) (int64, error) {
	var read strings.Builder
	n, err := io.Copy(r.w, io.TeeReader(src, &read))
	r.took("ReadFrom", []byte(read.String()), n, err)
	return n, err
}

func (r *scriptRun) doPanic(which, _ int) {
	panic([]any{http.ErrAbortHandler, "fault", errScriptSource}[which])
}

func (r *scriptRun) doWrite(kind, size int) {
	r.Write(scriptContent(kind, scriptSizes[size], r.step))
}

func (r *scriptRun) doWriteString(kind, size int) {
	p := scriptContent(kind, scriptSizes[size], r.step)
	r.call.commit(http.StatusOK, r.w.Header())
	text := string(p)
	n, err := io.WriteString(r.w, text)
	r.took("WriteString", p, int64(n), err)
}

// doCopy lets io.Copy find the fastest way. It spares the source that panics where the
// bare server may not come to it, since it refuses what is written.
func (r *scriptRun) doCopy(reader, size int) {
	if r.conn != nil {
		return // net/http would write into the hijacked connection
	}
	if scriptReaders[reader] == "half-then-panic" && r.call.script.isHead() && r.call.script.isHTTP2() {
		return
	}
	src, p, end := r.call.source(scriptReaders[reader], scriptSizes[size], r.step)
	defer end()
	if len(p) > 0 {
		r.call.commit(http.StatusOK, r.w.Header())
	}
	panics := true
	defer func() {
		if panics {
			r.took("Copy", p, int64(len(p)), nil)
		}
	}()
	n, err := io.Copy(r.w, src)
	panics = false
	r.took("Copy", p, n, err)
}

// doServe lets net/http answer the request. It does not after the head, if the request
// has a condition: the tag that this is about may be one that Compress has edited.
func (r *scriptRun) doServe(kind, size int) {
	if r.conn != nil || r.call.facts.status != 0 && r.call.script.chosen("condition") != "none" {
		return
	}
	content := scriptContent(kind, scriptSizes[size], r.step)
	http.ServeContent(r, r.r, "", scriptDate, strings.NewReader(string(content)))
}

func (r *scriptRun) doSet(line, _ int) {
	name, value := r.field(line)
	r.w.Header().Set(name, value)
}

func (r *scriptRun) doAdd(line, _ int) {
	name, value := r.field(line)
	r.w.Header().Add(name, value)
}

func (r *scriptRun) field(line int) (name, value string) {
	name, value, _ = strings.Cut(scriptFields[line], ": ")
	total := r.call.script.total
	for mark, length := range map[string]int{"{total}": total, "{total+1}": total + 1, "{total-1}": total - 1} {
		value = strings.ReplaceAll(value, mark, strconv.Itoa(length))
	}
	return name, value
}

func (r *scriptRun) doDelete(name, _ int) { r.w.Header().Del(scriptNames[name]) }

// doNil spares the trailer in HTTP/2: net/http never ends a stream after trailers that
// have no values.
func (r *scriptRun) doNil(name, _ int) {
	if scriptNames[name] == "X-Sum" && r.r.ProtoMajor == 2 {
		return
	}
	r.w.Header()[http.CanonicalHeaderKey(scriptNames[name])] = nil
}

func (r *scriptRun) doStatus(which, _ int) {
	code, _ := strconv.Atoi(scriptStatuses[which])
	if code == http.StatusSwitchingProtocols && r.r.ProtoMajor == 2 {
		return // HTTP/2 has no 101 (RFC 9113, section 8.6)
	}
	r.WriteHeader(code)
}

func (r *scriptRun) doError(which, _ int) {
	code, _ := strconv.Atoi(scriptErrors[which])
	http.Error(r, "something is wrong", code)
}

func (r *scriptRun) doControl(which, _ int) {
	control := http.NewResponseController(r.w)
	later := time.Now().Add(time.Hour)
	switch scriptControls[which] {
	case "read-deadline":
		r.note("SetReadDeadline", 0, control.SetReadDeadline(later))
	case "write-deadline":
		r.note("SetWriteDeadline", 0, control.SetWriteDeadline(later))
	case "full-duplex":
		r.note("EnableFullDuplex", 0, control.EnableFullDuplex())
	}
}

func (r *scriptRun) doRead(which, _ int) {
	switch scriptReads[which] {
	case "100":
		n, err := io.CopyN(io.Discard, r.r.Body, 100)
		r.note("Body.Read", n, err)
	case "all":
		n, err := io.Copy(io.Discard, r.r.Body)
		r.note("Body.Read", n, err)
	case "close":
		r.note("Body.Close", 0, r.r.Body.Close())
	}
}
