package coded_test

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"servery/internal/anchor"
	"servery/internal/coded"
	"servery/internal/identity"
	"servery/internal/testkit"
)

// realFixture opens files of a real directory.
func realFixture(t *testing.T, name string, content []byte) (f *fixture, path string) {
	t.Helper()
	dir := testkit.Tree(t, map[string]string{name: string(content)})
	root, err := anchor.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	f = newFixture(t, mib, nil)
	f.tree = identity.Tree{Dir: root}
	f.loader = identity.NewLoader(16<<10, 0, time.Now)
	return f, filepath.Join(dir, name)
}

// inPlace are the ways to change a file that is open.
var inPlace = []struct {
	reason string
	again  bool // whether the file may be opened again at once
	change func(path string) error
}{
	{"truncated to nothing", false, func(path string) error { return os.Truncate(path, 0) }},
	{"truncated by a byte", false, func(path string) error { return os.Truncate(path, 99_999) }},
	{"grown", false, func(path string) error { return overwrite(path, text(100_001)) }},
	{"rewritten in the same size", false, func(path string) error { return overwrite(path, bytes.Repeat([]byte("y"), 100_000)) }},
	{"rewritten with the date put back", true, func(path string) error {
		return errors.Join(overwrite(path, bytes.Repeat([]byte("y"), 100_000)), os.Chtimes(path, testkit.Past, testkit.Past))
	}},
	{"touched", true, func(path string) error { return os.Chtimes(path, testkit.Past, testkit.Past) }},
}

// overwrite writes over a file in place.
func overwrite(path string, content []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Close())
}

func TestChangeInPlaceWhileEncoded(t *testing.T) {
	for _, call := range []string{"New", "first Write", "later Write", "Close"} {
		for _, tt := range inPlace {
			f, path := realFixture(t, "file", text(100_000))
			var changed bool // by the one job that runs
			f.coder.act = at(call, func() error {
				if changed {
					return nil
				}
				changed = true
				return tt.change(path)
			})
			got, err := f.body(t.Context(), "file")
			if call == "Close" { // all has been read and looked at by then
				if err != nil || string(got.Bytes) != codedForm(text(100_000)) {
					t.Errorf("%s when all was read: %+v, %v, want the file as it was", tt.reason, got, err)
				}
				continue
			}
			if err == nil || errors.Is(err, identity.ErrChanged) != tt.again || identity.StatusOf(err) != http.StatusInternalServerError {
				t.Errorf("%s at %s: %+v, %v, want an error that is answered with 500", tt.reason, call, got, err)
			}
			if kept, _ := f.store.Stats(); kept.Entries != 0 {
				t.Errorf("%s at %s: kept %+v, want nothing", tt.reason, call, kept)
			}
			testkit.Settle()
			now, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := f.body(t.Context(), "file", always); err != nil || string(got.Bytes) != codedForm(now) {
				t.Errorf("%s at %s: the next one gets %+v, %v, want the file as it is now", tt.reason, call, got, err)
			}
		}
	}
}

// What is opened is what is encoded, whatever becomes of its name.
func TestNameChangesWhileEncoded(t *testing.T) {
	for _, tt := range []struct {
		reason string
		change func(path string) error
	}{
		{"another renamed over it", func(path string) error {
			return errors.Join(os.WriteFile(path+".new", text(70_000), 0o644), os.Rename(path+".new", path))
		}},
		{"renamed away", func(path string) error { return os.Rename(path, path+".old") }},
		{"removed", os.Remove},
	} {
		content := text(100_000)
		f, path := realFixture(t, "file", content)
		f.coder.act = at("first Write", func() error { return tt.change(path) })
		got, err := f.body(t.Context(), "file", digest)
		if tt.reason == "renamed away" && errors.Is(err, identity.ErrChanged) {
			continue // it has as many names as before, and another change time
		}
		if err != nil || string(got.Bytes) != codedForm(content) {
			t.Errorf("%s: %+v, %v, want the body of what was opened", tt.reason, got, err)
		}
		if kept, _ := f.store.Stats(); kept.Entries != 1 {
			t.Errorf("%s: kept %+v, want the body", tt.reason, kept)
		}
	}
}

// Who finds a file settled trusts that its identity stands for one content, and must
// not get what was encoded when that was not so.
func TestSettledDoesNotJoinUnsettled(t *testing.T) {
	before, after := bytes.Repeat([]byte("a"), 50_000), bytes.Repeat([]byte("b"), 50_000)
	f := newFixture(t, mib, map[string][]byte{"file": bytes.Clone(before)})
	g := newGate()
	f.coder.act = at("Close", g.pass)
	unsettled := f.caller(t.Context(), "file", func(j *coded.Job) { j.File.Settled = false })
	<-g.reached
	copy(f.fsys.MapFS["file"].Data, after) // within the grain of the clock
	settled := f.caller(t.Context(), "file")
	eventually(t, "the settled one joins or begins", func() bool {
		_, flights := f.store.Stats()
		return flights.Joined+flights.Started == 2
	})
	close(g.open)
	if got := <-unsettled; got.err != nil || string(got.body.Bytes) != codedForm(before) {
		t.Errorf("unsettled: %+v, want what it was then", got)
	}
	if got := <-settled; got.err != nil || string(got.body.Bytes) != codedForm(after) {
		t.Errorf("settled: %+v, want what it is now", got)
	}
	if kept, _ := f.store.Stats(); kept.Entries != 1 {
		t.Errorf("kept %+v, want the settled body", kept)
	}
}
