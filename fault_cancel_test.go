package servery_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"servery"
)

// flightSteps are where a flight is when a request's context ends.
var flightSteps = []struct {
	name, call string
	n          int
}{
	{"before it is asked for", "Write", 0}, // of who has asked before, if anybody has
	{"in the queue", "Write", 0},           // of another body, which takes the one worker
	{"before there is an encoder", "New", 0},
	{"at its start", "Reset", 0},
	{"at the first piece", "Write", 0},
	{"at a later piece", "Write", 2},
	{"at the end", "Close", 0},
	{"at delivery", "", 0},
}

// The context of a request ends at each step of the flight that it waits for. Who leaves
// is answered at once, who stays gets the body, and when all have left the work ends.
func TestContextEndsAtEachStep(t *testing.T) {
	text := realText(t, 40_000)
	for _, step := range flightSteps {
		for _, all := range [][]bool{{true}, {true, false}, {false, true}, {true, true}} {
			for _, limit := range []int64{0, 32 << 20} {
				label := fmt.Sprintf("%s, those who leave %v, limit %d", step.name, all, limit)
				synctest.Test(t, func(t *testing.T) {
					r := newCancelRun(t, text, label, limit, step.call, step.n)
					r.run(step.name, all)
				})
			}
		}
	}
}

type cancelRun struct {
	*coding
	*spoiling
	t       *testing.T
	label   string
	text    string
	handler http.Handler
}

func newCancelRun(t *testing.T, text, label string, limit int64, call string, n int) *cancelRun {
	r := &cancelRun{coding: newCoding(limit, servery.LimiterOptions{Workers: 1, Queue: 1}), t: t, label: label, text: text}
	r.spoiling = newSpoiling(call, n, func() error { return nil })
	past := time.Now().Add(-time.Hour) // the bubble's own clock
	held := fstest.MapFS{"file.txt": {Data: []byte(text), ModTime: past}, "other.txt": {Data: []byte(text[1:]), ModTime: past}}
	opts := r.options()
	opts.Encoders, opts.OffloadThreshold = []servery.Encoder{r.spoiling.encoder()}, 20_000
	r.handler = servery.FileServer(held, opts)
	return r
}

// heldWriter waits before it takes the body.
type heldWriter struct {
	*httptest.ResponseRecorder
	proceed chan struct{} // nil to go on at once
}

func (w heldWriter) Write(p []byte) (int, error) {
	if w.proceed != nil {
		<-w.proceed
	}
	return w.ResponseRecorder.Write(p)
}

// begin asks, and returns the answer, what ends the request's context, and what tells
// that the handler has returned.
func (r *cancelRun) begin(target string, proceed chan struct{}, ended bool) (heldWriter, context.CancelFunc, chan struct{}) {
	ctx, cancel := context.WithCancel(context.Background())
	if ended {
		cancel()
	}
	w, over := heldWriter{httptest.NewRecorder(), proceed}, make(chan struct{})
	request := httptest.NewRequestWithContext(ctx, "GET", target, nil)
	request.Header.Set("Accept-Encoding", "gzip")
	go func() {
		defer close(over)
		r.handler.ServeHTTP(w, request)
	}()
	return w, cancel, over
}

func (r *cancelRun) run(step string, leaves []bool) {
	var writing chan struct{}
	if step == "at delivery" {
		writing = make(chan struct{})
	}
	if step == "in the queue" {
		_, cancel, over := r.begin("/other.txt", nil, false)
		defer func() { <-over; cancel() }()
		<-r.reached
	}
	var answers []heldWriter
	var cancels []context.CancelFunc
	var overs []chan struct{}
	for _, leave := range leaves {
		w, cancel, over := r.begin("/file.txt", writing, leave && step == "before it is asked for")
		answers, cancels, overs = append(answers, w), append(cancels, cancel), append(overs, over)
		synctest.Wait() // one after the other: the first starts the flight, the second joins
	}
	if s := r.limiter.Stats(); writing != nil && s.Active != 0 {
		r.t.Errorf("%s: %+v, want no slot to be held while a client reads", r.label, s)
	}
	for i, leave := range leaves {
		if leave {
			cancels[i]()
		}
	}
	synctest.Wait()
	for i, leave := range leaves {
		r.wantLeft(leave && writing == nil, answers[i], overs[i])
	}
	if writing != nil {
		close(writing)
	}
	close(r.proceed)
	synctest.Wait()
	for i, leave := range leaves {
		<-overs[i]
		cancels[i]()
		if !leave || writing != nil {
			r.wantBody(answers[i])
		}
	}
	r.wantRest(step, leaves)
}

func (r *cancelRun) wantLeft(leaves bool, w heldWriter, over chan struct{}) {
	r.t.Helper()
	select {
	case <-over:
		if leaves && w.Code != http.StatusServiceUnavailable {
			r.t.Errorf("%s: status %d for who left, want 503", r.label, w.Code)
		}
	default:
		if leaves {
			r.t.Errorf("%s: who left still waits", r.label)
		}
	}
}

func (r *cancelRun) wantBody(w heldWriter) {
	r.t.Helper()
	plain, err := undo("gzip", w.Body.Bytes())
	if w.Code != http.StatusOK || err != nil || plain != r.text {
		r.t.Errorf("%s: status %d, %v, %d bytes, want the body", r.label, w.Code, err, len(plain))
	}
}

// wantRest demands that nothing is held, and that the next one gets the body.
func (r *cancelRun) wantRest(step string, leaves []bool) {
	r.t.Helper()
	stay := false
	for _, leave := range leaves {
		stay = stay || !leave
	}
	cancelled := uint64(0)
	if !stay && step != "before it is asked for" && step != "at delivery" {
		cancelled = 1
	}
	c, l := r.cache.Stats(), r.limiter.Stats()
	if c.Flights != 0 || l.Active != 0 || l.Queued != 0 || c.Cancelled != cancelled || c.Failed != 0 {
		r.t.Errorf("%s: %+v, %+v, want nothing held and %d cancelled", r.label, c, l, cancelled)
	}
	if withdrawn := step == "in the queue" && !stay; withdrawn != (l.Cancelled == 1) {
		r.t.Errorf("%s: %+v, want withdrawn %v", r.label, l, withdrawn)
	}
	w, cancel, over := r.begin("/file.txt", nil, false)
	defer cancel()
	<-over
	r.wantBody(w)
}

// A file system that blocks in Open, as one on a network does, holds up who opens and
// nobody who can wait elsewhere: a flight opens what only reads on once more.
func TestOpenThatBlocks(t *testing.T) {
	for _, leaves := range [][]bool{{true, true}, {false, true}, {false, false}} {
		synctest.Test(t, func(t *testing.T) {
			r := newCancelRun(t, realText(t, 40_000), fmt.Sprintf("those who leave %v", leaves), 0, "", 0)
			opened, blocked, release := 0, make(chan struct{}), make(chan struct{})
			fsys := &bending{held: fstest.MapFS{"file.txt": {Data: []byte(r.text), ModTime: time.Now().Add(-time.Hour)}}}
			fsys.bend = &bend{at: 1, more: true, fails: func() error {
				if opened++; opened == 3 { // the tag's, the body's
					close(blocked)
					<-release
				}
				return nil
			}}
			opts := r.options()
			opts.Encoders = []servery.Encoder{servery.Gzip(6)}
			r.handler = servery.FileServer(fsys, opts)
			first, cancelFirst, firstOver := r.begin("/file.txt", nil, false)
			<-blocked
			second, cancelSecond, secondOver := r.begin("/file.txt", nil, false)
			synctest.Wait()
			if c := r.cache.Stats(); c.Flights != 1 || c.Joined != 1 {
				t.Errorf("%s: %+v, want one to have joined", r.label, c)
			}
			for i, cancel := range []func(){cancelFirst, cancelSecond} {
				if leaves[i] {
					cancel()
				}
			}
			synctest.Wait()
			r.wantLeft(leaves[1], second, secondOver)
			close(release)
			<-firstOver
			<-secondOver
			if !leaves[0] {
				r.wantBody(first)
			}
			if !leaves[1] {
				r.wantBody(second)
			}
			synctest.Wait()
			if c, l := r.cache.Stats(), r.limiter.Stats(); c.Flights != 0 || l.Active != 0 || l.Queued != 0 || fsys.open != 0 {
				t.Errorf("%s: %+v %+v, %d files open, want nothing held", r.label, c, l, fsys.open)
			}
			third, cancelThird, thirdOver := r.begin("/file.txt", nil, false)
			<-thirdOver
			r.wantBody(third)
			for _, cancel := range []func(){cancelFirst, cancelSecond, cancelThird} {
				cancel()
			}
		})
	}
}
