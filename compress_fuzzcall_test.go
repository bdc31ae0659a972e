package servery_test

import (
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"servery/internal/testkit"
)

// scriptFacts are what one run of a script's handler did, as the handler knows it.
type scriptFacts struct {
	request   http.Header   // the fields that it saw
	log       []scriptEntry // what its calls returned
	status    int           // of its first final WriteHeader, an implied one as well; 0 without
	frozen    http.Header   // the header at that moment, or at the end
	live      http.Header   // the header at the end
	attempted []byte        // all plain bytes that it passed on
	accepted  []byte        // those that were taken
	flushedAt int           // how many were taken before the first flush that worked; -1 without
	hijacked  bool
	began     bool // status was there before the hijacking
	panicked  any  // what ended it
}

// scriptEntry is what one call returned.
type scriptEntry struct {
	call string
	n    int64
	err  string
}

// scriptCall is one run of a script on one side: what its handler and its client share.
type scriptCall struct {
	script   *script
	textFile string // holds scriptText

	mu        sync.Mutex // protects status and frozen of facts, and recovered, while the handler runs
	facts     scriptFacts
	arrived   any           // the panic that came out of the outermost handler
	recovered any           // the panic that an outer handler answered
	told      int           // how often OnError was called
	done      chan struct{} // closed when the outermost handler has ended; all of the above may be read then

	hasHead atomic.Bool   // the client has the final head
	plain   atomic.Int64  // decoded bytes that the client has
	tick    chan struct{} // one of them has changed; holds one
	left    chan struct{} // closed when the client has all that it will get
}

func newScriptCall(s *script, textFile string) *scriptCall {
	return &scriptCall{
		script:   s,
		textFile: textFile,
		facts:    scriptFacts{flushedAt: -1},
		done:     make(chan struct{}),
		tick:     make(chan struct{}, 1),
		left:     make(chan struct{}),
	}
}

// commit notes the moment at which the header is frozen.
func (c *scriptCall) commit(status int, header http.Header) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.facts.status == 0 && !c.facts.hijacked {
		c.facts.status, c.facts.frozen = status, header.Clone()
	}
}

// ended notes the header at the end, which is when the server freezes it if the handler
// never did.
func (c *scriptCall) ended(header http.Header) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.facts.live = header.Clone()
	if c.facts.status == 0 {
		c.facts.frozen = c.facts.live
	}
}

// isCodedByHandler reports whether the coding of the answer, whose head is there, is
// none of Compress.
func (c *scriptCall) isCodedByHandler() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.recovered != nil || isForeignCoding(c.facts.frozen)
}

// saw is called by the client, with the decoded bytes that have come since.
func (c *scriptCall) saw(bytes int) {
	c.plain.Add(int64(bytes))
	select {
	case c.tick <- struct{}{}:
	default:
	}
}

// await waits until the client has the head and that many decoded bytes. It returns
// false if they do not come, although the client still waits for them.
func (c *scriptCall) await(bytes int64) bool {
	patience := time.NewTimer(testkit.Patience)
	defer patience.Stop()
	for !c.hasHead.Load() || c.plain.Load() < bytes {
		select {
		case <-c.tick:
		case <-c.left:
			return true
		case <-patience.C:
			return false
		}
	}
	return true
}

// hasEnded waits for the handler.
func (c *scriptCall) hasEnded() bool {
	select {
	case <-c.done:
		return true
	case <-time.After(testkit.Patience):
		return false
	}
}
