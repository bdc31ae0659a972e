package servery_test

import (
	"testing"

	"servery/internal/testkit"
)

// A file that passes goes from the file to the socket as it does without Compress,
// and costs no system call more than one look at its first bytes.
func TestCompressCopyKeepsSendfile(t *testing.T) {
	dir := testkit.Tree(t, map[string]string{"large.txt": realText(t, 200_000)})
	counts := func(arguments ...string) map[string]calls {
		server := trace(t, roleVariable+"=serve copied", append([]string{testBinary(t), dir}, arguments...)...)
		server.server.Rules = testkit.LintHandler
		for _, tt := range copies {
			server.repeat(tt.label, tt.target, tt.field)
		}
		lines, counted := server.end(), make(map[string]calls)
		for _, tt := range copies {
			counted[tt.label] = countOf(lines, tt.label)
		}
		return counted
	}
	bare, inside := counts("bare"), counts()
	for _, tt := range copies {
		got, want := inside[tt.label], bare[tt.label]
		t.Logf("%s: bare %v, inside %v", tt.label, want, got)
		if tt.coding != "" {
			if got.count["sendfile"] != 0 {
				t.Errorf("%s: %d times sendfile, want none: %s", tt.label, got.count["sendfile"], tt.reason)
			}
			continue
		}
		if got.count["sendfile"] == 0 || got.bytes > want.bytes+8192 {
			t.Errorf("%s: %d times sendfile, %d bytes by read and write (%d without Compress), want sendfile for the body: %s",
				tt.label, got.count["sendfile"], got.bytes, want.bytes, tt.reason)
		}
		for _, name := range []string{"read", "write", "writev", "lseek"} {
			if most := want.count[name] + 1; got.count[name] > most {
				t.Errorf("%s: %d times %s, want %d at most: %s", tt.label, got.count[name], name, most, tt.reason)
			}
		}
	}
}
