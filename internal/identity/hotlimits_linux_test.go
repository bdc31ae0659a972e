package identity

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"
	"weak"

	"servery/internal/anchor"
)

// viewOf opens another root for the same Loader, as a deployment that was switched is.
func (f *hotFixture) viewOf(name string) View {
	f.tb.Helper()
	dir, err := anchor.OpenDir(f.path(name))
	f.must(err)
	f.tb.Cleanup(func() { dir.Close() })
	view, err := Tree{Dir: dir}.View()
	f.must(err)
	f.tb.Cleanup(view.Release)
	return view
}

// That a name did not lead out of one deployment says nothing of the next one, even if it
// leads to the same file.
func TestRememberedFileOfAnotherDeployment(t *testing.T) {
	for _, tt := range []struct {
		prepare func(f *hotFixture) error
		missing bool
		reason  string
	}{
		{func(f *hotFixture) error { return os.Symlink("../root/docs", f.path("next/docs")) }, true, "a link that leaves it"},
		{func(f *hotFixture) error { return os.Symlink(f.path("root/docs"), f.path("next/docs")) }, true, "an absolute link"},
		{func(f *hotFixture) error {
			f.must(os.Mkdir(f.path("next/docs"), 0o755))
			return os.Link(f.path("root/docs/file"), f.path("next/docs/file"))
		}, false, "a hard link, as of a copy that shares what is the same"},
	} {
		f := newHotFixture(t, 1<<10, 1<<20)
		f.must(os.Mkdir(f.path("next"), 0o755))
		f.must(tt.prepare(f))
		next := f.viewOf("next")
		f.remember("docs/file")
		if o := f.Remembered(next, "docs/file", Facts); o != nil {
			t.Errorf("%s: remembered", tt.reason)
		}
		o, err := f.Open(next, "docs/file", Whole)
		if tt.missing != IsMissing(err) {
			t.Errorf("%s: %v, want it missing: %v", tt.reason, err, tt.missing)
		}
		if err == nil {
			o.Close()
		}
	}
}

// What a date and a change time mean depends on what time it is, and the clock may be set.
func TestRememberedFileAndTheClock(t *testing.T) {
	for _, tt := range []struct {
		date, step time.Duration // from the time of the opening
		kept       bool
		reason     string
	}{
		{-time.Minute, 0, true, "nothing is the matter"},
		{-time.Minute, time.Millisecond, true, "time goes on"},
		{time.Millisecond, time.Microsecond, true, "the date is not reached yet"},
		{time.Millisecond, 2 * time.Millisecond, false, "the date was in the future and means something now"},
		{-time.Minute, -2 * time.Minute, false, "the date is in the future now"},
		{-time.Minute, -time.Hour - time.Minute, false, "the clock was set to before the last change"},
	} {
		f := newHotFixture(t, 1<<10, 1<<20)
		date := f.time.Add(tt.date)
		f.must(os.Chtimes(f.path("root/docs/file"), date, date))
		f.remember("docs/file")
		f.time = f.time.Round(0).Add(tt.step) // without what only counts up
		if o := f.Remembered(f.view, "docs/file", Facts); (o != nil) != tt.kept {
			t.Errorf("%s: got %+v, want it remembered: %v", tt.reason, o, tt.kept)
		}
	}
}

// A program that writes through a shared map leaves no trace. Whoever reads the file again
// sees what it wrote, and so does the next.
func TestWhatWasReadLastIsRemembered(t *testing.T) {
	f := newHotFixture(t, 1<<10, 1<<20)
	f.remember("docs/file")
	unseen, ok := f.hot.files.Peek("docs/file")
	if !ok {
		t.Fatal("not remembered")
	}
	unseen.plain = []byte(strings.ToUpper(hotContent)) // as if the file had held that
	f.time = f.time.Add(verifiedFor)
	f.remember("docs/file")
	o := f.Remembered(f.view, "docs/file", Whole)
	if o == nil || string(o.plain) != hotContent {
		t.Fatalf("got %+v, want what is there now", o)
	}
	same, _ := f.hot.files.Peek("docs/file")
	f.time = f.time.Add(verifiedFor)
	f.remember("docs/file")
	if again, _ := f.hot.files.Peek("docs/file"); again != same {
		t.Error("the same bytes are held anew")
	}
	f.time = f.time.Add(verifiedFor)
	if o, err := f.Open(f.view, "docs/file", Facts); err != nil {
		t.Fatal(err)
	} else {
		o.Remember(same.tag, func() any { return nil })
		o.Close()
	}
	if facts, _ := f.hot.files.Peek("docs/file"); facts.plain != nil {
		t.Error("bytes that nobody has read again are held for another second")
	}
}

// The name is part of what a client sent, which may be as long as the client likes.
func TestNothingHoldsAllThatWasSent(t *testing.T) {
	const name = "docs/file"
	for _, tt := range []struct {
		tree   func(f *hotFixture) View
		reason string
	}{
		{func(f *hotFixture) View { return f.view }, "remembered with its bytes"},
		{func(f *hotFixture) View { return View{fsys: os.DirFS(f.path("root"))} }, "its tag alone, by its name"},
	} {
		f := newHotFixture(t, 1<<10, 1<<20)
		tags, view := NewTags(1<<20), tt.tree(f)
		ask := func(sent []byte) weak.Pointer[byte] {
			o, err := f.Open(view, unsafe.String(&sent[0], len(name)), Whole)
			f.must(err)
			defer o.Close()
			tag, err := tags.Of(t.Context(), o)
			f.must(err)
			o.Remember(tag, func() any { return nil })
			return weak.Make(&sent[0])
		}
		sent := ask([]byte(name + "?" + strings.Repeat("x", 1<<20)))
		runtime.GC()
		if sent.Value() != nil {
			t.Errorf("the request line is held: %s", tt.reason)
		}
		if f.hot.files.Stats().Entries+tags.known.Stats().Entries == 0 {
			t.Errorf("nothing is remembered: %s", tt.reason)
		}
		runtime.KeepAlive(tags)
	}
}

// A file that is in memory is read like any other.
func TestReadingOfRememberedFile(t *testing.T) {
	for _, small := range []int{4, 1 << 10} {
		f := newHotFixture(t, small, 1<<20)
		f.remember("docs/file")
		for _, tt := range []struct {
			offset int64
			want   string
			reason string
		}{
			{0, hotContent[:4], "the beginning"},
			{int64(len(hotContent)) - 4, hotContent[len(hotContent)-4:], "the end"},
			{int64(len(hotContent)) - 2, hotContent[len(hotContent)-2:], "what is left"},
			{int64(len(hotContent)), "", "at the end"},
			{1 << 40, "", "beyond the end"},
		} {
			o := f.Remembered(f.view, "docs/file", Facts)
			if o == nil {
				t.Fatal("not remembered")
			}
			var p [4]byte
			if n, err := o.ReadFull(p[:], tt.offset); string(p[:n]) != tt.want || err != nil {
				t.Errorf("%d bytes in memory, %s: got %q, %v, want %q", len(o.plain), tt.reason, p[:n], err, tt.want)
			}
			o.Close()
		}
	}
}

// Most changes show in the change time, too. File systems that keep it in whole seconds need the rest.
func TestEveryFactOfRememberedFileCounts(t *testing.T) {
	for _, tt := range []struct {
		change func(*anchor.Info)
		reason string
	}{
		{func(i *anchor.Info) { i.Mode ^= 0o400 }, "permissions"},
		{func(i *anchor.Info) { i.Mode |= os.ModeNamedPipe }, "type"},
		{func(i *anchor.Info) { i.Size++ }, "size"},
		{func(i *anchor.Info) { i.ModTime-- }, "modification time"},
		{func(i *anchor.Info) { i.ChangeTime-- }, "change time"},
		{func(i *anchor.Info) { i.Device++ }, "device"},
		{func(i *anchor.Info) { i.Inode++ }, "inode"},
		{func(i *anchor.Info) { i.Links++ }, "links"},
	} {
		f := newHotFixture(t, 1<<10, 1<<20)
		f.remember("docs/file")
		file, ok := f.hot.files.Peek("docs/file")
		if !ok {
			t.Fatal("not remembered")
		}
		tt.change(&file.info)
		file.modTime = modTime(file.info, f.time)
		if o := f.Remembered(f.view, "docs/file", Facts); o != nil {
			t.Errorf("another %s makes no difference", tt.reason)
		}
	}
}

// Where more files are asked for in turn than there is room for, some are found all the
// same: a newcomer seldom takes the place of what is about to come again.
func TestMoreFilesThanThereIsRoomFor(t *testing.T) {
	const files, room, rounds = 40, 20, 50
	f := newHotFixture(t, 1<<10, room*(hotOverhead+100))
	for i := range files {
		f.write("root/many/"+strconv.Itoa(i), hotContent)
	}
	found := 0
	for range rounds {
		for i := range files {
			name := "many/" + strconv.Itoa(i)
			if o := f.Remembered(f.view, name, Whole); o != nil {
				found++
				o.Close()
				continue
			}
			f.remember(name)
		}
	}
	if most := rounds * room; found < most/2 || found > most {
		t.Errorf("found %d times of %d, want from %d to %d", found, rounds*files, most/2, most)
	}
}
