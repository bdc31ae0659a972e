package servery_test

import (
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"servery"
	"servery/internal/testkit"
)

// The tag is of the content, and so the same on every replica (RFC 9110, sections 8.8.3
// and 8.8.3.1).
func TestTagIsOfTheContent(t *testing.T) {
	text := realText(t, 3<<20)
	small, medium, large := text[:1000], text[:500_000], text
	server, path := serveTree(t, map[string]string{"a/small": small, "b/small": small, "medium": medium, "large": large}, nil)
	replica, _ := serveTree(t, map[string]string{"a/small": small, "medium": medium, "large": large}, nil)
	for _, name := range []string{"/a/small", "/b/small", "/medium"} {
		want := contentTag(small)
		if name == "/medium" {
			want = contentTag(medium)
		}
		if got := server.Get(name).Header.Get("Etag"); got != want {
			t.Errorf("%s: tag %s, want %s, which is of the content", name, got, want)
		}
	}
	ours, theirs := server.Do("HEAD", "/large").Header.Get("Etag"), replica.Do("HEAD", "/large").Header.Get("Etag")
	if ours != theirs || ours == contentTag(large) || strings.HasPrefix(ours, "W/") {
		t.Errorf("large: tags %s and %s, want one strong tag of size and time", ours, theirs)
	}
	if err := os.Chtimes(filepath.Join(path, "large"), testkit.Past, testkit.Past.Add(time.Nanosecond)); err != nil {
		t.Fatal(err)
	}
	testkit.Settle()
	if got := server.Do("HEAD", "/large").Header.Get("Etag"); got == ours {
		t.Errorf("large: tag %s after a nanosecond, want another", got)
	}
}

func TestContentETagMax(t *testing.T) {
	text := realText(t, 100_000)
	old := time.Unix(0, 0)
	for _, tt := range []struct {
		limit   int64
		modTime time.Time
		size    int
		content bool
		none    bool
		reason  string
	}{
		{0, testkit.Past, 100_000, true, false, "the default is 1 MiB"},
		{50_000, testkit.Past, 50_000, true, false, "up to the limit"},
		{50_000, testkit.Past, 50_001, false, false, "above the limit"},
		{500, testkit.Past, 501, false, false, "above the limit, in memory or not"},
		{50_000, old, 100_000, true, false, "above the limit, but the date means nothing"},
		{-1, testkit.Past, 10, false, false, "never"},
		{-1, old, 10, false, true, "never, and the date means nothing"},
	} {
		path := testkit.Tree(t, map[string]string{"file": text[:tt.size]})
		if err := os.Chtimes(filepath.Join(path, "file"), tt.modTime, tt.modTime); err != nil {
			t.Fatal(err)
		}
		testkit.Settle()
		server := testkit.Serve(t, servery.FileServer(openDir(t, path), &servery.FileServerOptions{ContentETagMax: tt.limit}))
		tag := server.Get("/file").Header.Get("Etag")
		if (tag == contentTag(text[:tt.size])) != tt.content || (tag == "") != tt.none || strings.HasPrefix(tag, "W/") {
			t.Errorf("limit %d, %d bytes of %v: tag %q: %s", tt.limit, tt.size, tt.modTime, tag, tt.reason)
		}
	}
}

// A date that cannot be when the file was modified is not sent (RFC 9110, sections 8.8.2
// and 8.8.2.1).
func TestMeaninglessDates(t *testing.T) {
	const size = 2 << 20 // above ContentETagMax
	text := realText(t, size)
	for _, tt := range []struct {
		modTime time.Time
		date    bool
		reason  string
	}{
		{testkit.Past, true, "a date like any other"},
		{time.Unix(2, 0), true, "the first that is believed"},
		{time.Unix(1, 0), false, "what reproducible builds write"},
		{time.Unix(0, 0), false, "what images write"},
		{time.Unix(-1000, 0), false, "before the epoch"},
		{time.Now().Add(time.Hour), false, "in the future"},
	} {
		path := testkit.Tree(t, map[string]string{"small.txt": text[:100], "large.txt": text})
		for _, name := range []string{"small.txt", "large.txt"} {
			if err := os.Chtimes(filepath.Join(path, name), tt.modTime, tt.modTime); err != nil {
				t.Fatal(err)
			}
		}
		testkit.Settle()
		server := testkit.Serve(t, servery.FileServer(openDir(t, path), nil))
		for _, name := range []string{"small.txt", "large.txt"} {
			got := server.Do("HEAD", "/"+name)
			if date := got.Header.Get("Last-Modified") != ""; date != tt.date {
				t.Errorf("%s of %v: Last-Modified is there: %v, want %v: %s", name, tt.modTime, date, tt.date, tt.reason)
			}
			byContent := got.Header.Get("Etag") == contentTag(text)
			if name == "large.txt" && byContent == tt.date {
				t.Errorf("%s of %v: tag %s, want one of the content only where the date means nothing", name, tt.modTime, got.Header.Get("Etag"))
			}
			conditional := server.Get("/"+name, "If-Modified-Since: "+time.Now().UTC().Format(http.TimeFormat))
			if (conditional.Status == 304) != tt.date {
				t.Errorf("%s of %v: status %d with If-Modified-Since", name, tt.modTime, conditional.Status)
			}
		}
	}
}

// A file that was written a moment ago may be written again without its times showing
// it. Its tag is weak meanwhile (RFC 9110, section 8.8.1).
func TestUnsettled(t *testing.T) {
	text := realText(t, 2<<20)
	path := t.TempDir()
	server := testkit.Serve(t, servery.FileServer(openDir(t, path), nil))
	fresh := func(name, content string) testkit.Response {
		// The file must be asked for within the clock's grain, which a busy machine
		// may let pass: then what came is of a settled file, and the next try counts.
		for try := 0; ; try++ {
			written := time.Now() // or a little later: the kernel takes the time before it copies
			if err := os.WriteFile(filepath.Join(path, name), []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
			got := server.Do("HEAD", "/"+name)
			if time.Since(written) < 15*time.Millisecond || try == 1000 {
				return got
			}
		}
	}
	small := fresh("small", text[:1000])
	if got := small.Header.Get("Etag"); got != contentTag(text[:1000]) {
		t.Errorf("small: tag %s, want a strong one of the very bytes", got)
	}
	for _, size := range []int{100_000, 2 << 20} {
		name := fmt.Sprint(size)
		got := fresh(name, text[:size])
		weak := got.Header.Get("Etag")
		if !strings.HasPrefix(weak, "W/") {
			t.Fatalf("%d bytes: tag %s, want a weak one", size, weak)
		}
		part := server.Get("/"+name, "Range: bytes=0-9", "If-Range: "+weak)
		if part.Status != 200 {
			t.Errorf("%d bytes: status %d for a range under a weak tag, want 200", size, part.Status)
		}
		if part := server.Get("/"+name, "Range: bytes=0-9"); part.Status != 206 {
			t.Errorf("%d bytes: status %d for a range without If-Range, want 206", size, part.Status)
		}
		testkit.Settle()
		settled := server.Get("/"+name, "If-None-Match: "+weak)
		if tag := settled.Header.Get("Etag"); settled.Status != 200 || strings.HasPrefix(tag, "W/") {
			t.Errorf("%d bytes: settled: status %d, tag %s, want 200 with a strong tag that the weak one does not match", size, settled.Status, tag)
		}
	}
}

func TestNoInodeInTheTag(t *testing.T) {
	text := realText(t, 2<<20)
	server, path := serveTree(t, map[string]string{"large": text}, nil)
	before := server.Do("HEAD", "/large").Header.Get("Etag")
	file := filepath.Join(path, "large")
	if err := os.Rename(file, file+".old"); err != nil { // keeps the inode taken
		t.Fatal(err)
	}
	testkit.Write(t, file, text)
	testkit.Settle()
	if after := server.Do("HEAD", "/large").Header.Get("Etag"); after != before {
		t.Errorf("tag %s on another inode, want %s as before", after, before)
	}
}

func TestFileETagIsWhatIsSent(t *testing.T) {
	text := realText(t, 2<<20)
	files := map[string]string{"small": text[:100], "medium": text[:200_000], "large": text, "empty": ""}
	path := testkit.Tree(t, files)
	dir := openDir(t, path)
	server := testkit.Serve(t, servery.FileServer(dir, nil))
	for name := range files {
		f, err := dir.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		tag, err := servery.FileETag(f)
		if want := server.Do("HEAD", "/"+name).Header.Get("Etag"); err != nil || tag.String() != want {
			t.Errorf("%s: FileETag %s, error %v, want %s", name, tag, err, want)
		}
		f.Close()
	}
	mapFS := fstest.MapFS{"file": {Data: []byte(text[:1000])}}
	f, _ := wrapFS{mapFS, func(f fs.File) fs.File {
		return seekFile{onlyFile{f}, f.(interface {
			Seek(int64, int) (int64, error)
		})}
	}}.Open("file")
	head := make([]byte, 10)
	f.Read(head)
	tag, err := servery.FileETag(f)
	f.Read(head)
	if err != nil || tag.String() != contentTag(text[:1000]) || string(head) != text[10:20] {
		t.Errorf("a file that seeks: tag %s, error %v, then reads %q, want %q", tag, err, head, text[10:20])
	}
	f, _ = wrapFS{mapFS, func(f fs.File) fs.File { return onlyFile{f} }}.Open("file")
	if tag, err := servery.FileETag(f); err == nil {
		t.Errorf("a file that can be read only once: tag %s, want an error", tag)
	}
	d, _ := dir.Open(".")
	defer d.Close()
	if tag, err := servery.FileETag(d); err == nil {
		t.Errorf("a directory: tag %s, want an error", tag)
	}
}

// Nobody reads a file above 256 MiB for its tag. It is sparse.
func TestFileETagOfHugeFile(t *testing.T) {
	path := t.TempDir()
	huge := filepath.Join(path, "huge")
	if err := os.WriteFile(huge, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(huge, 256<<20+1); err != nil {
		t.Fatal(err)
	}
	dir := openDir(t, path)
	server := testkit.Serve(t, servery.FileServer(dir, nil))
	for _, tt := range []struct {
		modTime time.Time
		weak    bool
		reason  string
	}{
		{time.Unix(0, 0), true, "its date means nothing, and it is not read"},
		{testkit.Past, false, "of its size and its date"},
	} {
		setDate(t, huge, tt.modTime)
		testkit.Settle()
		f, err := dir.Open("huge")
		if err != nil {
			t.Fatal(err)
		}
		tag, err := servery.FileETag(f)
		want := server.Do("HEAD", "/huge").Header.Get("Etag")
		if err != nil || tag.String() != want || tag.IsWeak() != tt.weak {
			t.Errorf("%s: FileETag %s, error %v, want %s", tt.reason, tag, err, want)
		}
		f.Close()
	}
}
