package sidecar_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"servery/internal/identity"
	"servery/internal/sidecar"
)

var past = time.Date(2024, time.March, 1, 12, 0, 0, 0, time.UTC)

func TestExtension(t *testing.T) {
	for coding, want := range map[string]string{"gzip": ".gz", "zstd": ".zst", "br": ".br", "x-gzip": "", "GZIP": "", "identity": "", "": ""} {
		if got := sidecar.Extension(coding); got != want {
			t.Errorf("Extension(%q) = %q, want %q", coding, got, want)
		}
	}
}

// frame is the beginning of a zstd frame with a window of 1<<log bytes and no length.
func frame(log byte) []byte { return []byte{0x28, 0xb5, 0x2f, 0xfd, 0, (log - 10) << 3, 1, 0, 0} }

// whole is the beginning of a zstd frame of one segment, whose window is its length.
func whole(length uint32) []byte {
	return append(binary.LittleEndian.AppendUint32([]byte{0x28, 0xb5, 0x2f, 0xfd, 0xa0}, length), 1, 0, 0)
}

// skipped is a frame to skip with as many bytes in it.
func skipped(length int) []byte {
	return append(binary.LittleEndian.AppendUint32([]byte("\x5f\x2a\x4d\x18"), uint32(length)), make([]byte, length)...)
}

// zipped is a gzip file that says another length than that of what is in it.
func zipped(length uint32) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, "content")
	w.Close()
	return binary.LittleEndian.AppendUint32(b.Bytes()[:b.Len()-4], length)
}

func TestOpen(t *testing.T) {
	const second = time.Second
	for _, tt := range []struct {
		coding  string
		content []byte
		size    int64         // of the original
		newer   time.Duration // than the original the sidecar is
		after   time.Duration // the second the original was modified
		want    bool
		reason  string
	}{
		{"gzip", zipped(7), 7, 0, 0, true, "of the same moment"},
		{"gzip", zipped(7), 7, 1, 0, true, "a nanosecond newer"},
		{"gzip", zipped(7), 7, -1, 0, false, "a nanosecond older"},
		{"gzip", zipped(7), 7, -second, 0, false, "a second older, both without a fraction"},
		{"gzip", zipped(7), 7, -1, second - 1, false, "a nanosecond older, both with a fraction"},
		{"gzip", zipped(7), 7, -second + 1, second - 1, true, "cut to the second of the original"},
		{"gzip", zipped(7), 7, -second - 1, 1, false, "the second before"},
		{"gzip", zipped(8), 7, 0, 0, false, "another length"},
		{"gzip", zipped(7), 1<<32 + 7, 0, 0, true, "the length is counted modulo 2^32"},
		{"gzip", zipped(7)[:12], 7, 0, 0, false, "cut short"},
		{"gzip", zipped(7)[:3], 7, 0, 0, false, "no room for a length"},
		{"gzip", []byte("content"), 7, 0, 0, false, "not gzip"},
		{"gzip", []byte("content\x07\x00\x00\x00"), 7, 0, 0, false, "not gzip, though it ends as if"},
		{"zstd", whole(7), 7, 0, 0, true, "the same length"},
		{"zstd", whole(8), 7, 0, 0, false, "another length"},
		{"zstd", whole(8 << 20), 8 << 20, 0, 0, true, "one segment of the largest window"},
		{"zstd", whole(8<<20 + 1), 8<<20 + 1, 0, 0, false, "one segment that is larger"},
		{"zstd", frame(23), 7, 0, 0, true, "no length, the largest window"},
		{"zstd", frame(24), 7, 0, 0, false, "a larger window"},
		{"zstd", []byte{0x28, 0xb5, 0x2f, 0xfd, 0x21, 9, 7, 1, 0, 0}, 7, 0, 0, false, "a dictionary, which no client has"},
		{"zstd", slices.Concat(skipped(4), whole(7)), 7, 0, 0, true, "the same length, after a frame to skip"},
		{"zstd", slices.Concat(skipped(4), whole(8)), 7, 0, 0, false, "another length, after a frame to skip"},
		{"zstd", slices.Concat(skipped(4), frame(23)), 7, 0, 0, true, "the largest window, after a frame to skip"},
		{"zstd", slices.Concat(skipped(4), frame(24)), 7, 0, 0, false, "a larger window, after a frame to skip"},
		{"zstd", slices.Concat(skipped(500), frame(23)), 7, 0, 0, true, "the header is at the end of what is read first"},
		{"zstd", slices.Concat(skipped(500), frame(24)), 7, 0, 0, false, "a larger window there"},
		{"zstd", slices.Concat(skipped(5000), skipped(0), frame(23)), 7, 0, 0, true, "the header is far behind"},
		{"zstd", slices.Concat(skipped(5000), skipped(0), frame(24)), 7, 0, 0, false, "a larger window far behind"},
		{"zstd", slices.Concat(bytes.Repeat(skipped(4), 4), whole(7)), 7, 0, 0, true, "as many frames to skip as may be"},
		{"zstd", slices.Concat(bytes.Repeat(skipped(4), 5), whole(7)), 7, 0, 0, false, "more of them"},
		{"zstd", skipped(4), 7, 0, 0, false, "nothing but a frame to skip"},
		{"zstd", skipped(4)[:7], 7, 0, 0, false, "cut short within a frame to skip"},
		{"zstd", slices.Concat([]byte("\x50\x2a\x4d\x18\xff\xff\xff\xff"), frame(23)), 7, 0, 0, false, "a frame to skip that is longer than the file"},
		{"zstd", frame(20)[:5], 7, 0, 0, false, "cut short"},
		{"br", []byte("anything"), 7, 0, 0, true, "a coding without a magic number"},
		{"br", nil, 7, 0, 0, false, "empty"},
	} {
		modified := past.Add(tt.after)
		held := fstest.MapFS{
			"a.txt":                                {Data: nil, ModTime: modified},
			"a.txt" + sidecar.Extension(tt.coding): {Data: tt.content, ModTime: modified.Add(tt.newer)},
		}
		if got := opens(t, held, tt.coding, tt.size); got != tt.want {
			t.Errorf("%s %.40x for %d bytes, newer by %v: %v, want %v: %s", tt.coding, tt.content, tt.size, tt.newer, got, tt.want, tt.reason)
		}
	}
}

// opens reports whether there is a sidecar for a.txt, whose size is said to be size,
// and that as many files are closed as were opened.
func opens(t *testing.T, fsys fs.FS, coding string, size int64) bool {
	t.Helper()
	counted := &counting{FS: fsys}
	view, err := identity.Tree{FS: counted}.View()
	if err != nil {
		t.Fatal(err)
	}
	defer view.Release()
	loader := identity.NewLoader(0, 0, time.Now)
	original, err := loader.Open(view, "a.txt", identity.Facts)
	if err != nil {
		t.Fatal(err)
	}
	original.Info.Size = size
	o := sidecar.Open(loader, view, coding, original)
	if o != nil {
		o.Close()
	}
	original.Close()
	if counted.open != 0 {
		t.Errorf("%s: %d files are left open", coding, counted.open)
	}
	return o != nil
}

// counting counts the files that are open.
type counting struct {
	fs.FS
	open int
	fail error // what each file says that is opened after the first
}

type countedFile struct {
	fs.File
	of   *counting
	fail error
}

func (c *counting) Open(name string) (fs.File, error) {
	f, err := c.FS.Open(name)
	if err != nil {
		return nil, err
	}
	c.open++
	file := countedFile{f, c, nil}
	if name != "a.txt" {
		file.fail = c.fail
	}
	return file, nil
}

func (f countedFile) ReadAt(p []byte, offset int64) (int, error) {
	if f.fail != nil {
		return 0, f.fail
	}
	readerAt, ok := f.File.(io.ReaderAt)
	if !ok {
		return 0, fs.ErrInvalid // a directory
	}
	return readerAt.ReadAt(p, offset)
}

func (f countedFile) Close() error {
	f.of.open--
	return f.File.Close()
}

func TestNoSidecar(t *testing.T) {
	for reason, held := range map[string]fs.FS{
		"nothing there": fstest.MapFS{"a.txt": {}},
		"a directory":   fstest.MapFS{"a.txt": {}, "a.txt.gz": {Mode: fs.ModeDir | 0o755}},
		"a device":      fstest.MapFS{"a.txt": {}, "a.txt.gz": {Mode: fs.ModeDevice, Data: zipped(7)}},
		"unreadable":    &counting{FS: fstest.MapFS{"a.txt": {}, "a.txt.gz": {Data: zipped(7)}}, fail: errors.New("the disk is on fire")},
	} {
		if opens(t, held, "gzip", 7) {
			t.Errorf("%s: there is a sidecar", reason)
		}
	}
}

// sequentialFS has files that can only be read on.
type sequentialFS struct{ fs.FS }

func (s sequentialFS) Open(name string) (fs.File, error) {
	f, err := s.FS.Open(name)
	return struct{ fs.File }{f}, err
}

// Of what can only be read on, nothing is lost by looking at it.
func TestOpenSequential(t *testing.T) {
	for _, tt := range []struct {
		content []byte
		want    bool
		reason  string
	}{
		{slices.Concat(skipped(4), frame(23)), true, "within what can be looked at ahead"},
		{slices.Concat(skipped(4), frame(24)), false, "a larger window"},
		{slices.Concat(skipped(5000), frame(23)), false, "the header is too far behind to be looked at"},
	} {
		view, err := identity.Tree{FS: sequentialFS{fstest.MapFS{"a.txt": {}, "a.txt.zst": {Data: tt.content}}}}.View()
		if err != nil {
			t.Fatal(err)
		}
		loader := identity.NewLoader(0, 0, time.Now)
		original, err := loader.Open(view, "a.txt", identity.Facts)
		if err != nil {
			t.Fatal(err)
		}
		o := sidecar.Open(loader, view, "zstd", original)
		if (o != nil) != tt.want {
			t.Errorf("trusted %v, want %v: %s", o != nil, tt.want, tt.reason)
		}
		if o != nil {
			got := make([]byte, len(tt.content)+1)
			if n, err := o.ReadFull(got, 0); !bytes.Equal(got[:n], tt.content) || err != nil {
				t.Errorf("%d bytes, %v, want all %d: %s", n, err, len(tt.content), tt.reason)
			}
			o.Close()
		}
		original.Close()
		view.Release()
	}
}
