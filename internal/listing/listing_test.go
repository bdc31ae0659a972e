package listing

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParseOrder(t *testing.T) {
	for _, tt := range []struct {
		sort, order, page string
		want              Order
		reason            string
	}{
		{"", "", "", Order{ByName, false, 1}, "nothing is by name"},
		{"size", "desc", "3", Order{BySize, true, 3}, "all three"},
		{"modified", "asc", "1", Order{ByModified, false, 1}, "said in full"},
		{"Size", "DESC", "0", Order{ByName, false, 1}, "not the words"},
		{"owner", "up", "-7", Order{ByName, false, 1}, "unknown ones"},
		{"", "", "99999999999999999999", Order{ByName, false, 1}, "no number that there is"},
		{"", "", "1e3", Order{ByName, false, 1}, "no number of a page"},
	} {
		if got := ParseOrder(tt.sort, tt.order, tt.page); got != tt.want {
			t.Errorf("%q %q %q, %s: got %+v, want %+v", tt.sort, tt.order, tt.page, tt.reason, got, tt.want)
		}
	}
}

func TestSort(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2024, 1, n, 0, 0, 0, 0, time.UTC) }
	entries := []Entry{
		{Name: "b", Size: 2, Modified: day(1)}, {Name: "a", Size: 2, Modified: day(3)}, {Name: "c", Size: 1, Modified: day(2)},
		{Name: "z", Directory: true, Modified: day(9)}, {Name: "y", Directory: true, Modified: day(8)}, {Name: "B", Size: math.MaxInt64},
	}
	for _, tt := range []struct {
		order        Order
		want, reason string
	}{
		{Order{By: ByName}, "y z B a b c", "directories first, then byte by byte"},
		{Order{By: ByName, Descending: true}, "z y c b a B", "directories stay first"},
		{Order{By: BySize}, "y z c a b B", "equals by name"},
		{Order{By: BySize, Descending: true}, "y z B a b c", "equals by name all the same"},
		{Order{By: ByModified}, "y z B b c a", "an unknown time is before all"},
		{Order{By: ByModified, Descending: true}, "z y a c b B", "the latest first"},
	} {
		sorted := slices.Clone(entries)
		Sort(sorted, tt.order)
		var names []string
		for _, e := range sorted {
			names = append(names, e.Name)
		}
		if got := strings.Join(names, " "); got != tt.want {
			t.Errorf("%+v, %s: got %s, want %s", tt.order, tt.reason, got, tt.want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, tt := range []struct {
		total, page               int
		first, length, got, pages int
		reason                    string
	}{
		{0, 1, 0, 0, 1, 1, "an empty directory has a page"},
		{0, 5, 0, 0, 1, 1, "and only that"},
		{1000, 1, 0, 1000, 1, 1, "a full page"},
		{1001, 1, 0, 1000, 1, 2, "the first of two"},
		{1001, 2, 1000, 1, 2, 2, "the rest"},
		{1001, math.MaxInt, 1000, 1, 2, 2, "beyond the last one"},
	} {
		entries := make([]Entry, tt.total)
		for i := range entries {
			entries[i].Size = int64(i)
		}
		p := Cut(entries, Order{Page: tt.page})
		if len(p.Entries) != tt.length || p.Order.Page != tt.got || p.Pages != tt.pages || p.Total != tt.total ||
			tt.length > 0 && p.Entries[0].Size != int64(tt.first) {
			t.Errorf("page %d of %d, %s: got %d entries, page %d of %d", tt.page, tt.total, tt.reason, len(p.Entries), p.Order.Page, p.Pages)
		}
	}
}

func TestSizes(t *testing.T) {
	for _, tt := range []struct {
		size         int64
		human, exact string
		reason       string
	}{
		{0, "0 B", "0 bytes", "nothing"},
		{1, "1 B", "1 byte", "one"},
		{1023, "1023 B", "1,023 bytes", "below the first unit"},
		{1024, "1.0 KiB", "1,024 bytes", "the first unit"},
		{1536, "1.5 KiB", "1,536 bytes", "a half"},
		{1<<20 - 1, "1.0 MiB", "1,048,575 bytes", "never 1024.0 KiB"},
		{1<<20 - 52, "1023.9 KiB", "1,048,524 bytes", "just below that"},
		{999_999, "976.6 KiB", "999,999 bytes", "six digits"},
		{5 << 40, "5.0 TiB", "5,497,558,138,880 bytes", "large"},
		{math.MaxInt64, "8.0 EiB", "9,223,372,036,854,775,807 bytes", "the largest"},
	} {
		if human, exact := humanSize(tt.size), exactSize(tt.size); human != tt.human || exact != tt.exact {
			t.Errorf("%d, %s: got %q, %q, want %q, %q", tt.size, tt.reason, human, exact, tt.human, tt.exact)
		}
	}
}

func TestText(t *testing.T) {
	for _, tt := range []struct{ name, want, reason string }{
		{"a b.txt", "a b.txt", "as it is"},
		{`<script>alert("1")&'`, "&lt;script&gt;alert(&#34;1&#34;)&amp;&#39;", "nothing of HTML"},
		{"a\nb\tc\x00", "a\u240ab\u2409c\u2400", "controls have pictures"},
		{"\x7f\u0085\u2028", "\ufffd\ufffd\ufffd", "others have not"},
		{"\u202egpj.exe\u2069", "\ufffdgpj.exe\ufffd", "what would turn the name around"},
		{"\u05d0\u200e1", "\u05d0\u200e1", "marks that only say where a character belongs"},
		{"\xff-\xe9", "\ufffd-\ufffd", "what is not UTF-8"},
		{"caf\u00e9 \u65e5\u672c", "caf\u00e9 \u65e5\u672c", "letters stay"},
	} {
		if got := text(tt.name); got != tt.want {
			t.Errorf("%q, %s: got %q, want %q", tt.name, tt.reason, got, tt.want)
		}
	}
}

// The hash is that of what stands between the tags, byte for byte: a browser compares it.
func TestPolicyIsThatOfTheStyle(t *testing.T) {
	page := string(HTML(Page{Path: ".", Base: "./", Pages: 1}))
	_, rest, _ := strings.Cut(page, "<style>")
	inner, _, ok := strings.Cut(rest, "</style>")
	sum := sha256.Sum256([]byte(inner))
	if want := "style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "';"; !ok || !strings.Contains(Policy(), want) {
		t.Errorf("policy %q, want %s", Policy(), want)
	}
	if strings.Count(page, "<style") != 1 || strings.Contains(page, "style=") || strings.Contains(page, "<script") {
		t.Error("the page has what its policy does not allow")
	}
	// The well-known SHA-256 of nothing.
	if got := policyFor(""); !strings.Contains(got, "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='") {
		t.Errorf("policy of an empty style: %q", got)
	}
	for _, directive := range []string{"default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"} {
		if !slices.Contains(strings.Split(Policy(), "; "), directive) {
			t.Errorf("policy %q lacks %s", Policy(), directive)
		}
	}
}

func TestCrumbs(t *testing.T) {
	for _, tt := range []struct{ path, base, want, reason string }{
		{".", "./", "<bdi>/</bdi>", "the root"},
		{"a", "./", `<a href="./../"><bdi>/</bdi></a> <bdi>a</bdi>`, "one up"},
		{"a", "./a/", `<a href="./a/../"><bdi>/</bdi></a> <bdi>a</bdi>`, "without the slash"},
		{"a<b/c", "./", `<a href="./../../"><bdi>/</bdi></a> <a href="./../"><bdi>a&lt;b</bdi></a> / <bdi>c</bdi>`, "two"},
	} {
		if got := crumbs(Page{Path: tt.path, Base: tt.base}); got != tt.want {
			t.Errorf("%s from %s, %s:\n got %s\nwant %s", tt.path, tt.base, tt.reason, got, tt.want)
		}
	}
}

func TestJSON(t *testing.T) {
	when := time.Date(2024, 3, 1, 12, 0, 0, 0, time.UTC)
	p := Page{Path: "d\xff", Pages: 2, Total: 7, Truncated: true, Order: Order{Page: 2}, Entries: []Entry{
		{Name: "x</script>\xff", Size: 3, Modified: when}, {Name: "d", Directory: true},
	}}
	got := string(JSON(p))
	want := `{"path":"/d\ufffd/","entries":[{"name":"x\u003c/script\u003e\ufffd","type":"file","size":3,"modified":"2024-03-01T12:00:00Z"},` +
		`{"name":"d","type":"directory","size":null,"modified":null}],"page":2,"pages":2,"total":7,"truncated":true}` + "\n"
	want = strings.ReplaceAll(want, `\ufffd`, "\ufffd")
	if got != want {
		t.Errorf("got  %swant %s", got, want)
	}
	if empty := JSON(Page{Path: "."}); !json.Valid(empty) || !strings.Contains(string(empty), `"entries":[]`) {
		t.Errorf("an empty directory is %s", empty)
	}
}

// What is written may be held for long, and has not much room to spare.
func TestPagesAreNoLargerThanTheyAre(t *testing.T) {
	for entries := range 40 {
		p := Page{Path: ".", Base: "./", Entries: make([]Entry, entries*25), Order: Order{ByName, false, 1}, Pages: 1}
		for i := range p.Entries {
			p.Entries[i].Name = fmt.Sprintf("%0100d", i)
		}
		for form, body := range map[string][]byte{"HTML": HTML(p), "JSON": JSON(p)} {
			if cap(body) > len(body)+len(body)/4 {
				t.Errorf("%s of %d entries: %d bytes with room for %d", form, len(p.Entries), len(body), cap(body))
			}
		}
	}
}

func TestTurn(t *testing.T) {
	for _, tt := range []struct {
		page, pages int
		want        string
	}{
		{1, 1, ""},
		{1, 3, "next ?sort=size&amp;order=desc&amp;page=2"},
		{2, 3, "prev ?sort=size&amp;order=desc next ?sort=size&amp;order=desc&amp;page=3"},
		{3, 3, "prev ?sort=size&amp;order=desc&amp;page=2"},
	} {
		turn := Page{Pages: tt.pages, Order: Order{BySize, true, tt.page}}.turn()
		var links []string
		for _, part := range strings.Split(turn, `<a rel="`)[1:] {
			rel, rest, _ := strings.Cut(part, `" href="`)
			target, _, _ := strings.Cut(rest, `"`)
			links = append(links, rel+" "+target)
		}
		if got := strings.Join(links, " "); got != tt.want {
			t.Errorf("page %d of %d: %s, want %s", tt.page, tt.pages, got, tt.want)
		}
	}
}

// Whatever the name: its link is visible ASCII that means nothing in HTML, and a client
// that follows it asks for that name, in that directory, of the same host.
func FuzzHref(f *testing.F) {
	for _, seed := range []string{"a b?#%.txt", "javascript:x", "//x", "a\nb", "\xff", "..", "%2e", `"><script>`, "\u202e", "data:,x", "a/b"} {
		f.Add(seed, false)
	}
	f.Add("dir", true)
	f.Fuzz(func(t *testing.T, name string, directory bool) {
		if name == "" || name == "." || name == ".." {
			return // no name of an entry
		}
		for base, client := range map[string]string{"./": "http://host/pre/docs/", "./docs/": "http://host/pre/docs"} {
			got := href(base, Entry{Name: name, Directory: directory})
			if strings.ContainsFunc(got, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\"'<>&`\\", r) }) {
				t.Fatalf("%q: %q", name, got)
			}
			at, err := url.Parse(client)
			if err != nil {
				t.Fatal(err)
			}
			to, err := at.Parse(got)
			if err != nil {
				t.Fatalf("%q: %q: %v", name, got, err)
			}
			want := "/pre/docs/" + name
			if directory {
				want += "/"
			}
			if to.Scheme != "http" || to.Host != "host" || to.Path != want || to.RawQuery+to.Fragment != "" {
				t.Fatalf("%q: %q leads to %q, want %q", name, got, to, want)
			}
		}
		if shown := text(name); strings.ContainsAny(shown, "<>\"'\n\x00") {
			t.Fatalf("%q is shown as %q", name, shown)
		}
	})
}

func BenchmarkHTML(b *testing.B) {
	entries := make([]Entry, PerPage)
	for i := range entries {
		entries[i] = Entry{Name: fmt.Sprintf("file number %d.txt", i), Size: int64(i) << 10, Modified: time.Unix(1e9, 0).UTC()}
	}
	p := Cut(entries, Order{By: ByName, Page: 1})
	p.Path, p.Base = "docs", "./"
	for b.Loop() {
		b.SetBytes(int64(len(HTML(p))))
	}
}
