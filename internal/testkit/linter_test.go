package testkit

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

const digits = "0123456789"

// tagOf is the tag of a content, with a suffix.
func tagOf(content, suffix string) string {
	sum := sha256.Sum256([]byte(content))
	return fmt.Sprintf(`Etag: "%x%s"`, sum[:16], suffix)
}

func gzipOf(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// seen is an answer to a request for a target, "/a" if it is empty.
type seen struct {
	method, target string
	response       Response
}

// TestLinter has answers that are right each by itself. The last one contradicts those
// before it, or does not.
func TestLinter(t *testing.T) {
	const length = "Content-Length: 10"
	coded, other := gzipOf(t, digits), gzipOf(t, "abcdefghij")
	whole := seen{"GET", "", answer(200, digits, length, tag, varies, kind)}
	one := func(method, target string, status int, body string, lines ...string) []seen {
		return []seen{whole, {method, target, answer(status, body, lines...)}}
	}
	for _, tt := range []struct {
		answers []seen
		want    string
		reason  string
	}{
		{one("GET", "", 200, digits, length, tag, varies, kind), "", "the same again"},
		{one("HEAD", "", 200, "", length, tag, varies, kind), "", "HEAD"},
		{one("GET", "", 304, "", tag, "Vary: ACCEPT-encoding"), "", "304"},
		{one("GET", "", 206, "234", "Content-Range: bytes 2-4/10", tag, varies, kind), "", "a part"},
		{one("GET", "", 200, coded, `Etag: "x-gz6.1"`, varies, gzipped, kind), "", "the same in a coding"},
		{one("GET", "/b", 200, "abcdefghij", length, tag, kind), "", "another target has tags of its own"},
		{one("GET", "", 200, "abcdefghij", length, `Etag: "y"`, kind), "", "another version has a tag of its own"},
		{one("GET", "", 200, "abcdefghij", length, `Etag: W/"x"`, varies, kind), "", "a weak tag is no promise of bytes"},
		{one("GET", "", 200, "abcdefghij", length, kind), "", "without a tag nothing is said"},
		{one("GET", "", 200, "a", `Etag: "x-br5.1"`, varies, "Content-Encoding: br", kind), "", "a coding that it cannot undo"},
		{one("GET", "", 200, digits, length, tagOf(digits, ""), kind), "", "made of the content"},
		{one("GET", "", 200, coded, tagOf(digits, "-gz6.1"), gzipped, kind), "", "made of the plain content"},
		{one("GET", "", 200, coded, tagOf(coded, "-gz"), gzipped, kind), "", "a sidecar's is made of its own"},

		{one("HEAD", "", 200, "", length, tag, kind), "Vary of /a", "Vary on GET and not on HEAD"},
		{one("GET", "", 304, "", tag), "Vary of /a", "Vary on 200 and not on 304"},
		{one("GET", "", 304, "", `Etag: W/"x"`), "Vary of /a", "nor on that of a weakened tag"},
		{one("GET", "", 206, "2", "Content-Range: bytes 2-2/10", tag, kind), "Vary of /a", "nor on 206"},
		{one("GET", "", 200, coded, `Etag: "x-gz6.1"`, gzipped, kind), "Vary of /a", "nor on the coded form"},
		{one("GET", "", 304, "", tag, varies, "Cache-Control: max-age=5"), "Cache-Control of /a", "another policy on 304"},
		{one("HEAD", "", 200, "", "Content-Length: 11", tag, varies, kind), "Content-Length of /a", "another length on HEAD"},
		{one("HEAD", "", 200, "", tag, varies, kind, gzipped), "Content-Encoding of /a", "one tag in two codings"},
		{one("HEAD", "", 200, "", tag, varies, "Content-Type: text/html"), "Content-Type of /a", "another type"},
		{one("GET", "", 200, "abcdefghij", length, tag, varies, kind), "the body of /a", "one tag for two contents"},
		{one("GET", "", 206, "2", "Content-Range: bytes 2-2/11", tag, varies, kind), "Content-Length of /a", "a part of something longer"},
		{one("GET", "", 206, "3", "Content-Range: bytes 2-2/10", tag, varies, kind), "not the bytes of the 200", "a part of something else"},
		{one("GET", "", 200, other, `Etag: "x-gz6.1"`, varies, gzipped, kind), "without the coding", "something else in a coding"},
		{one("GET", "", 200, digits, length, `Etag: "x-gz6.1"`, varies, gzipped, kind), "what its Content-Encoding says", "no coding at all"},
		{one("GET", "", 200, coded[:len(coded)-1], `Etag: "x-gz6.1"`, varies, gzipped, kind), "what its Content-Encoding says", "a coding cut short"},
		{one("GET", "", 200, digits, length, tagOf("abcdefghij", ""), kind), "not made of these bytes", "the tag of another content"},
		{one("GET", "", 200, coded, tagOf(coded, "-gz6.1"), gzipped, kind), "not made of these bytes", "the tag of the coded bytes"},
	} {
		var linter Linter
		for i, a := range tt.answers {
			target := "/a"
			if a.target != "" {
				target = a.target
			}
			faults, want := linter.Check(a.method, target, nil, a.response), ""
			if i == len(tt.answers)-1 {
				want = tt.want
			}
			if len(faults) > 1 { // one byte that is wrong may contradict several answers
				faults = faults[:1]
			}
			wantFaults(t, tt.reason, faults, want)
		}
	}
}

func TestLinterForgets(t *testing.T) {
	var linter Linter
	first, second := answer(200, digits, tag, kind), answer(200, "abcdefghij", tag, kind)
	for _, r := range []Response{first, second} {
		linter.Forget()
		wantFaults(t, "after Forget", linter.Check("GET", "/a", nil, r), "")
	}
}

func TestLinterIsBounded(t *testing.T) {
	var linter Linter
	for i := range maxFacts {
		linter.Check("GET", fmt.Sprint("/", i), nil, answer(304, "", `Etag: W/"x"`))
	}
	if len(linter.facts) > maxFacts {
		t.Errorf("%d facts are kept, want %d at most", len(linter.facts), maxFacts)
	}
}

// A part is compared with the whole unless it would take too much memory to hold that.
func TestLinterHoldsSomePlainBytes(t *testing.T) {
	var linter Linter
	large := strings.Repeat("x", 3<<20)
	for i := range 20 {
		linter.Check("GET", fmt.Sprint("/", i), nil, answer(200, large, tag, kind))
	}
	if linter.held > maxHeld || linter.held < maxHeld-len(large) {
		t.Errorf("%d bytes are held, want up to %d", linter.held, maxHeld)
	}
}

func TestPlain(t *testing.T) {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	packed := string(w.EncodeAll([]byte(digits), nil))
	for coding, body := range map[string]string{"": digits, "identity": digits, "gzip": gzipOf(t, digits), "zstd": packed} {
		if got, err := Plain(coding, []byte(body)); string(got) != digits || err != nil {
			t.Errorf("%s: %q, %v", coding, got, err)
		}
		if coding == "gzip" || coding == "zstd" {
			if got, err := Plain(coding, []byte(body[:len(body)-1])); err == nil {
				t.Errorf("%s, cut short: %q and no error", coding, got)
			}
		}
	}
}
