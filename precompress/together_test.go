package precompress_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"servery"
	"servery/internal/testkit"
	"servery/precompress"
)

// TestTwoRunsAtOnce: one of them does all its work while the other encodes, and the
// other takes what it finds for its own.
func TestTwoRunsAtOnce(t *testing.T) {
	halved := servery.Encoder{Coding: "br", Suffix: "br", New: func() (servery.EncoderWriter, error) { return new(halver), nil }}
	gzipped := hookedEncoder(func() error { return nil })[0]
	for _, tt := range []struct {
		reason  string
		encoder servery.Encoder
		change  func(t *testing.T, path string) // after a first run; nil means that there was none
		want    precompress.Stats
	}{
		{"nothing is there", gzipped, nil, precompress.Stats{Files: 1, Fresh: 1}},
		{"nothing is there, in a coding without a mark", halved, nil, precompress.Stats{Files: 1, Fresh: 1}},
		{"what is there is outdated", gzipped, func(t *testing.T, path string) {
			testkit.Write(t, path, text(2, 140<<10))
		}, precompress.Stats{Files: 1, Fresh: 1, SidecarsAlready: 1}},
		{"what is there is not wanted any more", gzipped, func(t *testing.T, path string) {
			testkit.Write(t, path, noise(140<<10))
		}, precompress.Stats{Files: 1, Removed: 1, SidecarsAlready: 1}},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			dir := testkit.Tree(t, map[string]string{"a.js": text(1, 130<<10)})
			one := &precompress.Options{Encoders: []servery.Encoder{tt.encoder}}
			if tt.change != nil {
				run(t, dir, one)
				tt.change(t, filepath.Join(dir, "a.js"))
			}
			var meanwhile sync.Once
			var after map[string]string
			got := run(t, dir, &precompress.Options{Encoders: []servery.Encoder{during(tt.encoder, func() {
				meanwhile.Do(func() {
					run(t, dir, one)
					after = state(t, dir)
				})
			})}})
			got.Before, got.After = 0, 0
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("the slower one (-want +got):\n%s", diff)
			}
			for name := range after {
				if hidden, _ := filepath.Match(".precompress-*", name); hidden { // the slower one's
					delete(after, name)
				}
			}
			if diff := cmp.Diff(after, state(t, dir)); diff != "" {
				t.Errorf("the slower one changed what the other left:\n%s", diff)
			}
		})
	}
}

// during returns an encoder that does something else as well at each write.
func during(e servery.Encoder, do func()) servery.Encoder {
	inner := e.New
	e.New = func() (servery.EncoderWriter, error) {
		w, err := inner()
		return hooked{w, func() error { do(); return nil }}, err
	}
	return e
}

// TestTemporaryFilesAreNotOriginals: not even where names that begin with a dot are.
func TestTemporaryFilesAreNotOriginals(t *testing.T) {
	dir := testkit.Tree(t, map[string]string{".precompress-ABC": text(1, 5000), ".other": text(2, 5000)})
	options := quick()
	options.ShowHidden = true
	stats := run(t, dir, options)
	if stats.Files != 1 || stats.Hidden != 1 || stats.Written != 2 {
		t.Errorf("%+v, want that of another run passed over", stats)
	}
}

// TestNobodysSidecarIsReplaced: somebody creates the sidecar when it is about to get
// its name, which shows in the date that the temporary file gets before. Whoever comes
// first keeps the name.
func TestNobodysSidecarIsReplaced(t *testing.T) {
	dir := testkit.Tree(t, map[string]string{"a.js": text(1, 2000)})
	beside := testkit.Tree(t, map[string]string{"foreign": "foreign"})
	name := filepath.Join(dir, "a.js.gz")
	for range 100 {
		created := make(chan error, 1)
		stats, err := precompress.Run(t.Context(), dir, &precompress.Options{Encoders: hookedEncoder(func() error {
			found, err := filepath.Glob(filepath.Join(dir, ".precompress-*"))
			if err != nil || len(found) != 1 {
				return errors.New("there is no temporary file: the test looks for the wrong name")
			}
			go func() { created <- createAfter(found[0], filepath.Join(beside, "foreign"), name) }()
			return nil
		})})
		failed := <-created
		content, readErr := os.ReadFile(name)
		must(t, readErr)
		switch isForeign := string(content) == "foreign"; {
		case failed != nil && !errors.Is(failed, fs.ErrExist):
			t.Fatal(failed)
		case isForeign != (failed == nil) || isForeign != (err != nil) || isForeign != (stats.Written == 0):
			t.Fatalf("created: %v; foreign: %t; %+v, %v", failed, isForeign, stats, err)
		}
		must(t, os.Remove(name))
	}
}

// createAfter gives a file another name once the temporary file has its date or is gone.
func createAfter(temporary, file, name string) error {
	for end := time.Now().Add(testkit.Patience); time.Now().Before(end); {
		if info, err := os.Lstat(temporary); err != nil || info.ModTime().Equal(testkit.Past) {
			break
		}
	}
	return os.Link(file, name)
}
