package servery_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"servery"
	"servery/internal/testkit"
)

// trust is a file with something beside it that may be its sidecar.
type trust struct {
	coding  string
	prepare func(t *testing.T, path, text string) // path is the original's
	trusted bool
	reason  string
}

// beside writes what may be a sidecar.
func beside(coding string, content func(t *testing.T, text string) string) func(*testing.T, string, string) {
	return func(t *testing.T, path, text string) {
		testkit.Write(t, path+programs[coding].extension, content(t, text))
	}
}

// aged packs the file and lets the sidecar be older by an age.
func aged(coding string, age time.Duration) func(*testing.T, string, string) {
	return func(t *testing.T, path, text string) {
		pack(t, coding, path)
		setDate(t, path+programs[coding].extension, testkit.Past.Add(-age))
	}
}

// rewritten packs the file, then writes another content to it with an earlier date:
// what a clock that was set back does, and an older version that is put back.
func rewritten(coding string, change func(text string) string) func(*testing.T, string, string) {
	return func(t *testing.T, path, text string) {
		pack(t, coding, path)
		testkit.Write(t, path, change(text))
		setDate(t, path, testkit.Past.Add(-time.Hour))
	}
}

func longer(text string) string    { return text + "more\n" }
func otherCase(text string) string { return strings.ToUpper(text) }

func trusts() []trust {
	constant := func(content string) func(*testing.T, string) string {
		return func(*testing.T, string) string { return content }
	}
	made := func(coding string, args ...string) func(*testing.T, string) string {
		return func(t *testing.T, text string) string { return packed(t, coding, text, args...) }
	}
	twice := func(coding string) func(*testing.T, string) string {
		return func(t *testing.T, text string) string {
			return packed(t, coding, text[:20_000]) + packed(t, coding, text[20_000:])
		}
	}
	return []trust{
		{"gzip", func(*testing.T, string, string) {}, false, "not there"},
		{"gzip", aged("gzip", 0), true, "as old as the original"},
		{"gzip", aged("gzip", -time.Hour), true, "newer"},
		{"gzip", aged("gzip", 1), false, "older by a nanosecond"},
		{"zstd", aged("zstd", time.Second), false, "older by a second"},
		{"br", aged("br", time.Second), false, "older by a second, both in whole ones"},
		{"br", aged("br", time.Hour), false, "older by an hour"},
		{"gzip", beside("gzip", constant("")), false, "empty"},
		{"br", beside("br", constant("")), false, "empty, in a coding that any byte may begin"},
		{"gzip", beside("gzip", constant("\x1f\x8b\x08")), false, "too short for a length"},
		{"zstd", beside("zstd", constant("\x28\xb5\x2f\xfd")), false, "too short for a header"},
		{"gzip", beside("gzip", constant("just text that was given this name")), false, "no gzip at all"},
		{"zstd", beside("zstd", made("gzip")), false, "another coding"},
		{"gzip", beside("gzip", made("zstd")), false, "another coding"},
		{"gzip", rewritten("gzip", longer), false, "of another length than the original, which is older by now"},
		{"zstd", rewritten("zstd", longer), false, "of another length than the original, which is older by now"},
		// The rest of it cannot be found out without decoding: brotli holds no
		// length, and a length may stay. Only a clock that goes forward helps.
		{"br", rewritten("br", longer), true, "brotli holds no length"},
		{"gzip", rewritten("gzip", otherCase), true, "another content of the same length"},
		{"gzip", beside("gzip", twice("gzip")), false, "the length in several members is that of the last"},
		{"zstd", beside("zstd", twice("zstd")), false, "the length in several frames is that of the first"},
		{"zstd", beside("zstd", made("zstd", "-19")), true, "the highest level without --ultra"},
		{"zstd", beside("zstd", func(t *testing.T, text string) string { return fromPipe(t, text) }), true, "made from a pipe, without a length"},
		{"zstd", beside("zstd", func(t *testing.T, text string) string {
			return "\x50\x2a\x4d\x18\x04\x00\x00\x00skip" + packed(t, "zstd", text)
		}), true, "a frame to skip comes first, as parallel compressors have it"},
		{"zstd", beside("zstd", func(t *testing.T, text string) string { return fromPipe(t, text, "--long=24") }), false, "a window that browsers refuse"},
		{"zstd", beside("zstd", func(t *testing.T, text string) string {
			return "\x50\x2a\x4d\x18\x04\x00\x00\x00skip" + fromPipe(t, text, "--long=27")
		}), false, "such a window after a frame to skip"},
		{"zstd", beside("zstd", func(t *testing.T, text string) string {
			return "\x50\x2a\x4d\x18\x00\x10\x00\x00" + strings.Repeat("x", 4096) + fromPipe(t, text, "--long=27")
		}), false, "such a window after a long frame to skip"},
		{"gzip", beside("gzip", made("gzip", "-9")), true, "the highest level"},
		{"br", beside("br", made("br", "-q", "11", "-w", "24")), true, "the largest window of brotli"},
	}
}

// fromPipe is what zstd makes of an input whose length it does not know.
func fromPipe(t *testing.T, text string, args ...string) string {
	t.Helper()
	cmd := exec.Command(testkit.Tool(t, "zstd"), append(args, "-q", "-c")...)
	cmd.Stdin = strings.NewReader(text)
	output, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(output)
}

// What cannot be trusted is passed over: for an encoder where there is one, else
// for the file as it is.
func TestSidecarTrust(t *testing.T) {
	for _, tt := range trusts() {
		server, dir := serveTree(t, map[string]string{"file.txt": realText(t, 50_000)},
			&servery.FileServerOptions{Sidecars: []string{tt.coding}, Encoders: []servery.Encoder{}})
		encoding := testkit.Serve(t, servery.FileServer(openDir(t, dir), &servery.FileServerOptions{Sidecars: []string{tt.coding}}))
		path := filepath.Join(dir, "file.txt")
		tt.prepare(t, path, readFile(t, path))
		testkit.Settle()
		checkTrust(t, server, encoding, path, tt)
	}
}

func checkTrust(t *testing.T, server, encoding *testkit.Server, path string, tt trust) {
	t.Helper()
	text := readFile(t, path)
	got := server.Get("/file.txt", "Accept-Encoding: "+tt.coding)
	if h := got.Header; got.Status != 200 || h.Get("Content-Encoding") != "" != tt.trusted || h.Get("Vary") != "Accept-Encoding" {
		t.Errorf("%s: got\n%s, want it trusted: %v, and Vary: %s", tt.coding, got.Head, tt.trusted, tt.reason)
	}
	instead := encoding.Get("/file.txt", "Accept-Encoding: "+tt.coding)
	if !tt.trusted {
		if string(got.Body) != text || got.Header.Get("Etag") != contentTag(text) {
			t.Errorf("%s: %d bytes with tag %s instead, want the file: %s", tt.coding, len(got.Body), got.Header.Get("Etag"), tt.reason)
		}
		if instead.Header.Get("Content-Encoding") != tt.coding && tt.coding != "br" || unpacked(t, instead.Header.Get("Content-Encoding"), instead.Body) != text {
			t.Errorf("%s: got\n%s, want the file, compressed on request: %s", tt.coding, instead.Head, tt.reason)
		}
		return
	}
	sidecar, err := os.ReadFile(path + programs[tt.coding].extension)
	if err != nil || string(got.Body) != string(sidecar) || string(instead.Body) != string(sidecar) {
		t.Errorf("%s: %d bytes and %d bytes, want the sidecar's %d (%v): %s", tt.coding, len(got.Body), len(instead.Body), len(sidecar), err, tt.reason)
	}
}

// Who puts a sidecar beside a file has decided: it is sent even if it saves nothing.
func TestSidecarThatIsLarger(t *testing.T) {
	files := map[string]string{"tiny.txt": "tiny", "noise.txt": incompressible(30_000), "empty.txt": ""}
	for name, content := range files {
		files[name+".gz"] = packed(t, "gzip", content)
	}
	server, _ := serveTree(t, files, &servery.FileServerOptions{Sidecars: []string{"gzip"}})
	for _, name := range []string{"tiny.txt", "noise.txt", "empty.txt"} {
		got := server.Get("/"+name, "Accept-Encoding: gzip")
		if string(got.Body) != files[name+".gz"] || len(got.Body) <= len(files[name]) || unpacked(t, "gzip", got.Body) != files[name] {
			t.Errorf("%s: got\n%s, want the sidecar", name, got.Head)
		}
	}
}
