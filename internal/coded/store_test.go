package coded_test

import (
	"bytes"
	"encoding/hex"
	"testing"
	"testing/fstest"
	"time"

	"servery/internal/coded"
	"servery/internal/etag"
	"servery/internal/identity"
)

const mib = 1 << 20

func TestWarmBodiesTouchNoFlight(t *testing.T) {
	content := text(50_000)
	f := newFixture(t, mib, map[string][]byte{"file": content})
	first, err := f.body(t.Context(), "file")
	if err != nil || string(first.Bytes) != codedForm(content) || !first.Worth {
		t.Fatalf("got %+v, %v, want the file's coded form", first, err)
	}
	_, before := f.store.Stats()
	slots := f.slots.Stats()
	for range 3 {
		if again, err := f.body(t.Context(), "file"); again != first || err != nil {
			t.Errorf("warm: got %p, %v, want %p", again, err, first)
		}
	}
	kept, flights := f.store.Stats()
	if flights != before || f.slots.Stats() != slots || f.coder.made.Load() != 1 {
		t.Errorf("warm: flights %+v, slots %+v, %d encoders, want nothing since %+v, %+v", flights, f.slots.Stats(), f.coder.made.Load(), before, slots)
	}
	if kept.Hits != 3 || kept.Misses != 1 || kept.Entries != 1 || kept.Cost < int64(len(first.Bytes)) {
		t.Errorf("kept %+v, want 1 body that was found three times", kept)
	}
}

func TestJoinedCallersShareOneBody(t *testing.T) {
	for _, limit := range []int64{0, mib} {
		content := text(50_000)
		f := newFixture(t, limit, map[string][]byte{"file": content})
		proceed := make(chan struct{})
		f.coder.act = at("first Write", func() error { <-proceed; return nil })
		var callers []<-chan outcome
		for range 16 {
			callers = append(callers, f.caller(t.Context(), "file"))
		}
		f.joined(t, 15)
		close(proceed)
		first := <-callers[0]
		for _, caller := range callers[1:] {
			if got := <-caller; got != first || got.err != nil || string(got.body.Bytes) != codedForm(content) {
				t.Errorf("limit %d: got %+v, want the same as another caller's, %+v", limit, got, first)
			}
		}
		if made := f.coder.made.Load(); made != 1 {
			t.Errorf("limit %d: %d encoders, want 1", limit, made)
		}
	}
}

// What must not be kept is made again for whoever comes when it is done.
func TestWhatIsNotKept(t *testing.T) {
	for _, tt := range []struct {
		limit  int64
		size   int
		mod    time.Time
		made   int64
		reason string
	}{
		{mib, 50_000, now.Add(-time.Hour), 1, "settled"},
		{0, 50_000, now.Add(-time.Hour), 3, "there is no room for anything"},
		{512 + 64 + 4, 50_000, now.Add(-time.Hour), 1, "it just fits, with overhead and name"},
		{512 + 64 + 3, 50_000, now.Add(-time.Hour), 3, "larger than the limit"},
		{mib, 50_000, now.Add(-time.Millisecond - 1), 3, "not settled"},
		{mib, 0, now.Add(-time.Hour), 1, "an empty file has the verdict that it is not worth it"},
	} {
		content := text(tt.size)
		f := newFixture(t, tt.limit, nil)
		f.fsys.MapFS["file"] = &fstest.MapFile{Data: content, ModTime: tt.mod}
		for range 3 {
			got, err := f.body(t.Context(), "file")
			if err != nil || tt.size > 0 && string(got.Bytes) != codedForm(content) {
				t.Errorf("%s: got %+v, %v", tt.reason, got, err)
			}
			if kept, _ := f.store.Stats(); kept.Cost > tt.limit || (kept.Entries > 0) != (tt.made == 1) {
				t.Errorf("%s: kept %+v", tt.reason, kept)
			}
		}
		if made := f.coder.made.Load(); made != tt.made {
			t.Errorf("%d encoders, want %d: %s", made, tt.made, tt.reason)
		}
	}
}

func TestVerdictIsKeptLikeABody(t *testing.T) {
	content := text(10 * mib)
	f := newFixture(t, mib, map[string][]byte{"file": content})
	f.coder.swell = 2
	for range 3 {
		got, err := f.body(t.Context(), "file", digest)
		if err != nil || got.Worth || len(got.Bytes) != 0 || got.Plain != "" {
			t.Errorf("got %d bytes, %v, %v, want the verdict that it is not worth it", len(got.Bytes), got.Worth, err)
		}
	}
	if made, reads := f.coder.made.Load(), f.fsys.reads.Load(); made != 1 || reads > 10*mib/(16<<10)/2 {
		t.Errorf("%d encoders and %d reads, want 1 that ends when the output is too long", made, reads)
	}
	if kept, flights := f.store.Stats(); kept.Entries != 1 || kept.Cost > 1024 || flights.Failed != 0 {
		t.Errorf("kept %+v, flights %+v, want one small entry and no failure", kept, flights)
	}
}

func TestShareThatIsWorthIt(t *testing.T) {
	for _, tt := range []struct {
		size   int
		always bool
		worth  bool
		reason string
	}{
		{68, false, true, "64 bytes of 68 are 94 %"},
		{67, false, false, "64 bytes of 67 are more than 95 %"},
		{64, false, false, "nothing is saved"},
		{64, true, true, "nothing else is acceptable"},
		{1, true, true, "longer, but nothing else is acceptable"},
	} {
		content := text(tt.size)
		f := newFixture(t, mib, map[string][]byte{"file": content})
		body, err := f.body(t.Context(), "file", func(j *coded.Job) { j.Key.Always = tt.always })
		if err != nil || body.Worth != tt.worth || tt.worth != (string(body.Bytes) == codedForm(content)) {
			t.Errorf("%d bytes, always %v: got %+v, %v, want worth %v: %s", tt.size, tt.always, body, err, tt.worth, tt.reason)
		}
	}
}

// A verdict does not answer those who have no choice.
func TestAlwaysIsAnotherBody(t *testing.T) {
	f := newFixture(t, mib, map[string][]byte{"file": text(50)})
	for range 2 {
		if verdict, err := f.body(t.Context(), "file"); err != nil || verdict.Worth {
			t.Errorf("got %+v, %v, want a verdict", verdict, err)
		}
		if body, err := f.body(t.Context(), "file", always); err != nil || !body.Worth || len(body.Bytes) != 64 {
			t.Errorf("always: got %+v, %v, want a body", body, err)
		}
	}
	if made := f.coder.made.Load(); made != 2 {
		t.Errorf("%d encoders, want 2", made)
	}
}

// The file changes while it is encoded and leaves no trace in size and times.
func TestDigestIsOfTheVeryBytes(t *testing.T) {
	content := text(50_000)
	f := newFixture(t, mib, map[string][]byte{"file": bytes.Clone(content)})
	file := f.fsys.MapFS["file"]
	f.coder.act = at("first Write", func() error {
		copy(file.Data, bytes.Repeat([]byte("later"), 10_000))
		return nil
	})
	body, err := f.body(t.Context(), "file", digest)
	if err != nil {
		t.Fatal(err)
	}
	mixed := append(content[:16<<10:16<<10], file.Data[16<<10:]...)
	if got := string(body.Bytes); got != codedForm(mixed) {
		t.Fatalf("encoded bytes that were never read: %s", got)
	}
	sum, _ := hex.DecodeString(string(body.Bytes))
	if want := identity.TagOfSum(sum); body.Plain != want {
		t.Errorf("Plain is %s, want %s", body.Plain, want)
	}
	if body, err := f.body(t.Context(), "file", numbered(1)); err != nil || body.Plain != etag.Tag("") {
		t.Errorf("Plain is %q, %v, want none for who does not want it", body.Plain, err)
	}
}
