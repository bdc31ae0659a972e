package servery_test

import (
	"net/http"
	"testing"

	"servery"
	"servery/internal/testkit"
)

func init() { roles["serve compressed"] = serveCompressed } // a role that no other system has a test for

// serveCompressed is a role: it serves the directory that is its argument by net/http
// beneath /bare/, the same inside Compress beneath /net/, and by a FileServer inside
// Compress beneath /own/.
func serveCompressed(args []string) error {
	dir, err := servery.OpenDir(args[0])
	if err != nil {
		return err
	}
	defer dir.Close()
	theirs, compress := http.FileServer(http.Dir(args[0])), servery.Compress(nil)
	mux := http.NewServeMux()
	mux.Handle("/", servery.FileServer(dir, nil))
	mux.Handle("/bare/", http.StripPrefix("/bare", theirs))
	mux.Handle("/net/", http.StripPrefix("/net", compress(theirs)))
	mux.Handle("/own/", http.StripPrefix("/own", compress(servery.FileServer(dir, nil))))
	return serveUntilEnd(mux)
}

// What passes goes from the file to the socket, as it does without Compress.
func TestCompressKeepsSendfile(t *testing.T) {
	const large = 200_000
	text := realText(t, large)
	dir := testkit.Tree(t, map[string]string{"large.txt": text, "large.png": text, "noise.txt": incompressible(large)})
	server := trace(t, roleVariable+"=serve compressed", testBinary(t), dir)
	tests := []struct {
		label, target, field string
		kept, like           bool // the bare server
		reason               string
	}{
		{"bare", "/bare/large.txt", acceptGzip, true, false, "without Compress"},
		{"none", "/net/large.txt", "Accept: */*", true, true, "no coding is asked for"},
		{"other", "/net/large.txt", "Accept-Encoding: br", true, true, "none that is on offer"},
		{"image", "/net/large.png", acceptGzip, true, true, "a type that is never coded"},
		{"part", "/net/large.txt", "Range: bytes=1000-199999", true, false, "a part"},
		{"own", "/own/large.txt", "Accept: */*", true, false, "a FileServer's plain file"},
		{"noise", "/own/noise.txt", acceptGzip, true, false, "a FileServer's verdict that no coding is worth it"},
		{"coded", "/net/large.txt", acceptGzip, false, false, "coded"},
	}
	server.server.Rules = testkit.LintHandler
	for _, tt := range tests {
		server.repeat(tt.label, tt.target, tt.field)
	}
	lines := server.end()
	for _, tt := range tests {
		got := countOf(lines, tt.label)
		t.Logf("%s: %v", tt.label, got)
		if kept := got.count["sendfile"] > 0 && got.bytes < large/10; kept != tt.kept {
			t.Errorf("GET %s, %s: %d times sendfile, %d bytes by read and write, want sendfile: %v (%s)",
				tt.target, tt.field, got.count["sendfile"], got.bytes, tt.kept, tt.reason)
		}
		for name, n := range got.count {
			if bare := countOf(lines, "bare").count[name]; tt.like && n > bare {
				t.Errorf("GET %s, %s: %d times %s, want the %d without Compress (%s)", tt.target, tt.field, n, name, bare, tt.reason)
			}
		}
	}
}
