package precompress_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"servery"
	"servery/internal/testkit"
	"servery/precompress"
)

// noise is n bytes that no coding shrinks.
func noise(n int) string {
	p := make([]byte, n)
	rand.New(rand.NewSource(1)).Read(p)
	return string(p)
}

func TestWhichFilesHaveSidecars(t *testing.T) {
	for _, tt := range []struct {
		name, content string
		want          bool
		reason        string
	}{
		{"app.js", text(1, 5000), true, "compressible"},
		{"deep/er/index.html", text(2, 5000), true, "in folders too"},
		{"least.css", text(3, 1024), true, "the smallest size"},
		{"less.css", text(3, 1023), false, "below it"},
		{"empty.css", "", false, "empty"},
		{"plain", text(4, 5000), true, "no extension, but text by its first bytes"},
		{"image.png", text(5, 5000), false, "a type that is compressed already, whatever is in it"},
		{"noise.txt", noise(5000), false, "nothing is saved"},
		{"old.js.br", text(6, 5000), false, "a sidecar in a coding that is not written"},
		{"OLD.JS.GZ", text(6, 5000), false, "a sidecar by its name in capitals"},
		{".hidden.js", text(7, 5000), false, "not served"},
		{".git/config.txt", text(7, 5000), false, "in a directory that is not served"},
		{".well-known/site.txt", text(8, 5000), true, "served, although it begins with a dot"},
		{"back\\slash.txt", text(9, 5000), false, "a name that no request can have"},
	} {
		dir := testkit.Tree(t, map[string]string{tt.name: tt.content})
		run(t, dir, quick())
		for _, extension := range []string{".gz", ".zst"} {
			path := filepath.Join(dir, filepath.FromSlash(tt.name)) + extension
			info, err := os.Stat(path)
			if err != nil {
				if tt.want {
					t.Errorf("%s%s: %v: %s", tt.name, extension, err, tt.reason)
				}
				continue
			}
			switch {
			case !tt.want:
				t.Errorf("%s%s is there: %s", tt.name, extension, tt.reason)
			case decoded(t, path) != tt.content:
				t.Errorf("%s%s decodes to something else", tt.name, extension)
			case !info.ModTime().Equal(testkit.Past):
				t.Errorf("%s%s is of %v, want the original's date %v", tt.name, extension, info.ModTime(), testkit.Past)
			}
		}
	}
}

func TestSecondRunWritesNothing(t *testing.T) {
	dir := testkit.Tree(t, map[string]string{
		"a.js": text(1, 5000), "b/c.css": text(2, 300<<10), "noise.txt": noise(5000), "small.js": "x",
	})
	must(t, os.Chmod(filepath.Join(dir, "a.js"), 0o640))
	first := run(t, dir, quick())
	before := state(t, dir)
	second := run(t, dir, quick())
	if diff := cmp.Diff(before, state(t, dir)); diff != "" {
		t.Errorf("the second run changed the tree:\n%s", diff)
	}
	if first.Written != 4 || first.NoSaving != 2 || second.Written != 0 || second.Fresh != 4 || second.NoSaving != 2 {
		t.Errorf("first %+v, second %+v", first, second)
	}
	if first.Before != second.Before || first.After != second.After || first.Before != 2*(5000+300<<10) {
		t.Errorf("bytes %d for %d, then %d for %d", first.After, first.Before, second.After, second.Before)
	}
	if info, err := os.Stat(filepath.Join(dir, "a.js.gz")); err != nil || info.Mode() != 0o640 {
		t.Errorf("a.js.gz: %v, %v, want the original's bits", info.Mode(), err)
	}
}

// TestBytesAreAlwaysTheSame: across runs and numbers of workers, and across releases
// as long as the generation of the encoder is the same.
func TestBytesAreAlwaysTheSame(t *testing.T) {
	files := map[string]string{"a.js": text(1, 5000), "b.txt": text(2, 140<<10)}
	var first map[string]string
	for workers := range 2 {
		dir := testkit.Tree(t, files)
		run(t, dir, &precompress.Options{Workers: workers + 1})
		got := state(t, dir)
		if first == nil {
			first = got
		}
		if diff := cmp.Diff(first, got); diff != "" {
			t.Fatalf("with %d workers:\n%s", workers+1, diff)
		}
	}
	for name, want := range map[string]string{"b.txt.gz": "639f794d", "b.txt.zst": "86063bfd"} {
		_, content, _ := strings.Cut(first[name], "\n")
		sum := sha256.Sum256([]byte(content))
		if got := hex.EncodeToString(sum[:4]); got != want {
			t.Errorf("%s has the sum %s, want %s: raise the generation of its encoder", name, got, want)
		}
	}
}

func TestRenewsWhatItMade(t *testing.T) {
	js, tests := "a.js", []struct {
		reason string
		change func(t *testing.T, path string)
		want   precompress.Stats
	}{
		{"another content and date", func(t *testing.T, path string) {
			must(t, os.WriteFile(path, []byte(text(2, 6000)), 0o644))
		}, precompress.Stats{Files: 1, Written: 2, SidecarsAlready: 2}},
		{"another content with the size and date of the old", func(t *testing.T, path string) {
			testkit.Write(t, path, text(2, 5000))
		}, precompress.Stats{Files: 1, Written: 2, SidecarsAlready: 2}},
		{"another date alone", func(t *testing.T, path string) {
			must(t, os.Chtimes(path, testkit.Past, testkit.Past.Add(1500*time.Millisecond)))
		}, precompress.Stats{Files: 1, Dated: 2, SidecarsAlready: 2}},
		{"other permission bits", func(t *testing.T, path string) {
			must(t, os.Chmod(path, 0o444))
		}, precompress.Stats{Files: 1, Dated: 2, SidecarsAlready: 2}},
		{"too small now", func(t *testing.T, path string) {
			testkit.Write(t, path, text(1, 1000))
		}, precompress.Stats{Files: 1, Removed: 2, Small: 1, SidecarsAlready: 2}},
		{"no saving now", func(t *testing.T, path string) {
			testkit.Write(t, path, noise(5000))
		}, precompress.Stats{Files: 1, Removed: 2, SidecarsAlready: 2}},
		{"no original any more", func(t *testing.T, path string) {
			must(t, os.Remove(path))
		}, precompress.Stats{SidecarsAlready: 2}},
		{"one of the two is gone", func(t *testing.T, path string) {
			must(t, os.Remove(path+".gz"))
		}, precompress.Stats{Files: 1, Written: 1, Fresh: 1, SidecarsAlready: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			dir := testkit.Tree(t, map[string]string{js: text(1, 5000)})
			path := filepath.Join(dir, js)
			run(t, dir, quick())
			tt.change(t, path)
			before := state(t, dir)
			dry := run(t, dir, &precompress.Options{Encoders: servery.DefaultEncoders(), DryRun: true})
			if diff := cmp.Diff(before, state(t, dir)); diff != "" {
				t.Errorf("a dry run changed the tree:\n%s", diff)
			}
			got := run(t, dir, quick())
			if diff := cmp.Diff(got, dry); diff != "" {
				t.Errorf("what a dry run said is not what happened (-want +got):\n%s", diff)
			}
			got.Before, got.After = 0, 0
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			info, err := os.Stat(path)
			if err != nil || tt.want.Removed > 0 {
				return
			}
			for _, extension := range []string{".gz", ".zst"} {
				form, err := os.Stat(path + extension)
				must(t, err)
				content, _ := os.ReadFile(path)
				if !form.ModTime().Equal(info.ModTime()) || form.Mode() != info.Mode() || decoded(t, path+extension) != string(content) {
					t.Errorf("%s is not the form of the original", form.Name())
				}
			}
		})
	}
}

func TestOtherSettingsWriteAnew(t *testing.T) {
	dir := testkit.Tree(t, map[string]string{"a.js": text(1, 50000)})
	best := run(t, dir, nil)
	fast := run(t, dir, quick())
	if fast.Written != 2 || fast.After <= best.After {
		t.Errorf("best %+v, then fast %+v", best, fast)
	}
}

// TestForeignFilesStay: neither an outdated one nor one that is not wanted, whatever it
// looks like.
func TestForeignFilesStay(t *testing.T) {
	made := testkit.Tree(t, map[string]string{"a.js": text(1, 5000)})
	run(t, made, quick())
	own := func(extension string) string {
		content, err := os.ReadFile(filepath.Join(made, "a.js"+extension))
		must(t, err)
		return string(content)
	}
	gz, zst := own(".gz"), own(".zst")
	for _, tt := range []struct{ gz, zst, reason string }{
		{"", "", "empty"},
		{"x", "x", "no coding at all"},
		{text(1, 5000), text(1, 5000), "plain"},
		{gz[:3] + "\x00" + gz[10-6:10] + gz[43:], zst[:len(zst)-56], "the same without the mark"},
		{gz[:len(gz)-1], zst[:len(zst)-1], "cut short"},
		{gz + gz, zst + zst, "several, joined"},
		{gz + "x", zst + "x", "something behind it"},
		{flip(gz, 100), flip(zst, 100), "damaged"},
	} {
		for _, original := range []string{text(2, 5000), "too small", noise(5000)} {
			dir := testkit.Tree(t, map[string]string{"a.js": original, "a.js.gz": tt.gz, "a.js.zst": tt.zst})
			before := state(t, dir)
			stats := run(t, dir, quick())
			if diff := cmp.Diff(before, state(t, dir)); diff != "" || stats.Foreign != 2 {
				t.Errorf("%s: %+v\n%s", tt.reason, stats, diff)
			}
			stats = run(t, dir, &precompress.Options{
				Encoders: servery.DefaultEncoders(),
				Replace:  func(name string) bool { return name == "a.js.gz" },
			})
			if stats.Written+stats.Removed != 1 || stats.Foreign != 1 {
				t.Errorf("%s, with leave to replace one: %+v", tt.reason, stats)
			}
		}
	}
}

func flip(s string, i int) string {
	p := []byte(s)
	p[i] ^= 1
	return string(p)
}

func TestNamesThatAreNoFiles(t *testing.T) {
	dir := testkit.Tree(t, map[string]string{"a.js": text(1, 5000), "b.js": text(2, 5000), "b.js.gz/": "", "c/d.js": text(3, 5000)})
	outside := testkit.Tree(t, map[string]string{"secret.js": text(4, 5000)})
	for name, to := range map[string]string{
		"link.js": "c/d.js", "out.js": outside + "/secret.js", "gone.js": "nothing", "loop.js": "loop.js", "e": "c",
		"a.js.gz": outside + "/secret.js",
	} {
		must(t, os.Symlink(to, filepath.Join(dir, name)))
	}
	before := state(t, outside)
	stats := run(t, dir, quick())
	if diff := cmp.Diff(before, state(t, outside)); diff != "" {
		t.Errorf("what is outside was changed:\n%s", diff)
	}
	got := names(state(t, dir), ".zst")
	slices.Sort(got)
	want := []string{"a.js.zst", "b.js.zst", "c/d.js.zst", "link.js.zst"}
	if diff := cmp.Diff(want, got); diff != "" || stats.Foreign != 2 || stats.Irregular != 4 {
		t.Errorf("%+v (-want +got)\n%s", stats, diff)
	}
	if info, err := os.Lstat(filepath.Join(dir, "a.js.gz")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link in place of a sidecar: %v, %v", info, err)
	}
}

// TestCodingWithoutAMark: what is byte for byte what would be written was made here.
func TestCodingWithoutAMark(t *testing.T) {
	encoder := servery.Encoder{Coding: "br", Suffix: "br", New: func() (servery.EncoderWriter, error) { return new(halver), nil }}
	options := &precompress.Options{Encoders: []servery.Encoder{encoder}}
	dir := testkit.Tree(t, map[string]string{"a.js": text(1, 5000)})
	path := filepath.Join(dir, "a.js")
	step := func(reason string, want precompress.Stats) {
		t.Helper()
		before := state(t, dir)
		must(t, os.Chtimes(dir, testkit.Past, testkit.Past)) // that of the last change to its names
		dry := *options
		dry.DryRun = true
		said := run(t, dir, &dry)
		if diff := cmp.Diff(before, state(t, dir)); diff != "" {
			t.Errorf("%s: a dry run changed:\n%s", reason, diff)
		}
		if info, err := os.Stat(dir); err != nil || !info.ModTime().Equal(testkit.Past) {
			t.Errorf("%s: a dry run made a file for a while", reason)
		}
		got := run(t, dir, options)
		if got != said {
			t.Errorf("%s: %+v, a dry run said %+v", reason, got, said)
		}
		got.Before, got.After, got.SidecarsAlready = 0, 0, 0
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", reason, diff)
		}
	}
	step("none is there", precompress.Stats{Files: 1, Written: 1})
	step("again", precompress.Stats{Files: 1, Fresh: 1})
	must(t, os.Chtimes(path, time.Time{}, testkit.Past.Add(time.Hour)))
	step("another date", precompress.Stats{Files: 1, Dated: 1})
	whole, err := os.ReadFile(path + ".br")
	must(t, err)
	for _, other := range []string{string(whole) + "x", string(whole[:len(whole)-1]), "", flip(string(whole), len(whole)-1)} {
		must(t, os.WriteFile(path+".br", []byte(other), 0o644))
		step("another sidecar", precompress.Stats{Files: 1, Foreign: 1})
	}
	must(t, os.WriteFile(path+".br", whole, 0o644))
	must(t, os.WriteFile(path, []byte(text(2, 200<<10)), 0o644))
	step("another content", precompress.Stats{Files: 1, Foreign: 1})
	options.Replace = func(name string) bool { return strings.HasSuffix(name, ".br") }
	step("with leave", precompress.Stats{Files: 1, Written: 1})
	step("and again", precompress.Stats{Files: 1, Fresh: 1})
}

// halver is a coding that keeps every other byte.
type halver struct {
	w  io.Writer
	at int
}

func (h *halver) Reset(w io.Writer) { h.w, h.at = w, 0 }
func (h *halver) Flush() error      { return nil }
func (h *halver) Close() error      { return nil }

func (h *halver) Write(p []byte) (int, error) {
	var kept []byte
	for _, c := range p {
		if h.at++; h.at%2 == 0 {
			kept = append(kept, c)
		}
	}
	_, err := h.w.Write(kept)
	return len(p), err
}

func TestOptions(t *testing.T) {
	for _, tt := range []struct {
		options *precompress.Options
		want    string
		reason  string
	}{
		{nil, "", "the defaults"},
		{&precompress.Options{Encoders: precompress.Encoders()}, "", "the same, said"},
		{&precompress.Options{Workers: -1}, "Workers", "less than none"},
		{&precompress.Options{MediaTypes: map[string]string{"js": "text/javascript"}}, "MediaTypes", "no dot"},
		{&precompress.Options{Encoders: []servery.Encoder{{Coding: "deflate"}}}, "deflate", "FileServer has no sidecars in it"},
		{&precompress.Options{Encoders: []servery.Encoder{servery.Gzip(9), servery.Gzip(1)}}, "twice", "both have one name"},
		{&precompress.Options{Encoders: []servery.Encoder{{Coding: "br", Suffix: "br"}}}, "New", "no function"},
	} {
		_, err := precompress.Run(t.Context(), t.TempDir(), tt.options)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want %q: %s", err, tt.want, tt.reason)
		}
	}
	if _, err := precompress.Run(t.Context(), filepath.Join(t.TempDir(), "none"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no directory: %v", err)
	}
}
