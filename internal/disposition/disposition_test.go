package disposition_test

import (
	"mime"
	"strings"
	"testing"
	"unicode/utf8"

	"servery/internal/disposition"
)

// misleading is what ends a line or turns the direction of text round.
const misleading = "\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"

func TestAttachment(t *testing.T) {
	for _, tt := range []struct{ name, want, reason string }{
		{"report.pdf", `filename="report.pdf"`, "a name that is its own ASCII form"},
		{"a b;c,d'e.txt", `filename="a b;c,d'e.txt"`, "quotes hold what separates elsewhere"},
		{"caf\u00e9.txt", `filename="caf_.txt"; filename*=UTF-8''caf%C3%A9.txt`, "a letter beyond ASCII"},
		{"\U0001f600", `filename="_"; filename*=UTF-8''%F0%9F%98%80`, "one character is one replacement"},
		{`say "hi"`, `filename="say _hi_"; filename*=UTF-8''say%20%22hi%22`, "quotes end the quoted string"},
		{"100%", `filename="100%"`, "a percent sign that encodes nothing"},
		{"a%41b", `filename="a_41b"; filename*=UTF-8''a%2541b`, "one that some would decode"},
		{`..\evil.exe`, `filename=".._evil.exe"`, "a separator on some system, in neither form"},
		{"a/b", `filename="a_b"`, "a separator on all others"},
		{"a\r\nSet-Cookie: x", `filename="a__Set-Cookie: x"`, "line ends"},
		{"a\x00b\x7fc\u0085d", `filename="a_b_c_d"`, "other control characters"},
		{"a\u202egpj.exe", `filename="a_gpj.exe"`, "what turns the direction round"},
		{"a\u202ab\u2066c\u2069d", `filename="a_b_c_d"`, "the ends of those"},
		{"\u2029a\u202fb", `filename="_a_b"; filename*=UTF-8''_a%E2%80%AFb`, "a paragraph's end, and a blank next to them"},
		{"a\u2028b\u2065c", `filename="a_b_c"; filename*=UTF-8''a_b%E2%81%A5c`, "a line's end, and none of them"},
		{"\u200f\u05d0", `filename="__"; filename*=UTF-8''%E2%80%8F%D7%90`, "what text of either direction needs"},
		{"\xff\xfe.bin", `filename="_.bin"; filename*=UTF-8''%EF%BF%BD.bin`, "what is not UTF-8"},
		{"it's*(1).txt", `filename="it's*(1).txt"`, "what only the other form encodes"},
		{"\u00e9'*()%", `filename="_'*()%"; filename*=UTF-8''%C3%A9%27%2A%28%29%25`, "there"},
		{"", `filename="download"`, "no name"},
		{".", `filename="download"`, "a directory's own name"},
		{"..", `filename="download"`, "that of the one above"},
		{". .", `filename="download"`, "which Windows takes for it"},
		{".bashrc", `filename=".bashrc"`, "a hidden file's name"},
	} {
		if got := disposition.Attachment(tt.name); got != "attachment; "+tt.want {
			t.Errorf("%q, %s:\n got %s\nwant attachment; %s", tt.name, tt.reason, got, tt.want)
		}
	}
}

// Whatever the name: one field of visible ASCII, which a reader takes apart into a name
// that leads nowhere, and that is the name itself where nothing had to go.
func FuzzAttachment(f *testing.F) {
	for _, seed := range []string{"a.txt", "caf\u00e9", `"`, `\`, "%41", "\r\n", "\xff", "", "..", "a/b", "'", "filename*=", "a\u202egpj.exe"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		value := disposition.Attachment(name)
		if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }) || strings.Contains(value, `\`) {
			t.Fatalf("%q: %q is not visible ASCII", name, value)
		}
		kind, parameters, err := mime.ParseMediaType(value)
		if err != nil && !strings.Contains(value, "filename*=") || err == nil && kind != "attachment" {
			t.Fatalf("%q: %s: %v", name, value, err)
		}
		plain, _, ok := strings.Cut(strings.TrimPrefix(value, `attachment; filename="`), `"`)
		if !ok || plain == "" || strings.Trim(plain, ".") == "" || strings.ContainsAny(plain, "/") {
			t.Fatalf("%q: %s: the name %q", name, value, plain)
		}
		_, encoded, more := strings.Cut(value, "; filename*=UTF-8''")
		if more { // package mime prefers neither form, so that it is read alone
			if _, parameters, err = mime.ParseMediaType("attachment; filename*=UTF-8''" + encoded); err != nil {
				t.Fatalf("%q: %s: %v", name, value, err)
			}
		}
		got := parameters["filename"]
		if strings.ContainsAny(got, "/\\\r\n\x00"+misleading) || !utf8.ValidString(got) {
			t.Fatalf("%q is read as %q", name, got)
		}
		if utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool {
			return r < ' ' || r >= 0x7f && r < 0xa0 || r == '/' || r == '\\' || strings.ContainsRune(misleading, r)
		}) &&
			strings.Trim(name, ". ") != "" && got != name {
			t.Fatalf("%q is read as %q out of %s", name, got, value)
		}
	})
}
