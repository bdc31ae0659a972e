//go:build unix

package browser

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"servery"
	"servery/internal/testkit"
)

// awkward are names that mean something in a URL, in HTML or to a reader.
var awkward = []string{
	"100%25.txt", "\"quoted\" & <b>bold.txt", "a file with spaces .txt", "hash#tag.txt", "javascript:alert(1)",
	"query?a=b&c.txt", "right\u202eto left.txt", "semi;colon:x.txt", strings.Repeat("long", 60), "ünï.txt",
}

// shown is how a name is to be seen: nothing in it turns the others round.
func shown(name string) string { return strings.ReplaceAll(name, "\u202e", "\ufffd") }

// listed serves a directory with these names, of which each file is larger than the one
// before, and begins with its own name, and a directory in a directory.
func listed(t *testing.T) string {
	t.Helper()
	tree := map[string]string{"one & two/three/file.txt": "deep"}
	for i, name := range awkward {
		tree[name] = name + strings.Repeat("\n", 10_000*i)
	}
	dir, err := servery.OpenDir(testkit.Tree(t, tree))
	must(t, err)
	t.Cleanup(func() { dir.Close() })
	server := httptest.NewServer(servery.FileServer(dir, &servery.FileServerOptions{Listing: true}))
	t.Cleanup(server.Close)
	return server.URL
}

// rows are the names that a page shows and where the browser finds what they lead to.
func (b *tab) rows() (names, links []string) {
	b.t.Helper()
	rows := await(b, chromedp.Evaluate[[][2]string](`[...document.querySelectorAll("tbody a")].map((a) => [a.innerText, a.href])`))
	for _, row := range rows {
		names, links = append(names, row[0]), append(links, row[1])
	}
	return names, links
}

// lists checks which names the page has, in which order.
func (b *tab) lists(when string, want ...string) {
	b.t.Helper()
	names, _ := b.rows()
	for i := range want {
		want[i] = shown(want[i])
	}
	if diff := cmp.Diff(want, names); diff != "" {
		b.t.Fatalf("%s (-want +got):\n%s", when, diff)
	}
}

// click clicks the first link whose text begins so, and waits for the page that it leads to.
func (b *tab) click(text string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, testkit.Patience)
	defer cancel()
	response, err := chromedp.RunResponse(ctx, chromedp.Evaluate[chromedp.Void](
		fmt.Sprintf("[...document.links].find((a) => a.innerText.startsWith(%q)).click()", text)))
	if err != nil || response.Status != http.StatusOK {
		b.t.Fatalf("click on %q: %v, %+v", text, err, response)
	}
}

// see has the tab be one of a screen so wide, for a reader who likes it light or dark.
func (b *tab) see(width int64, scheme string) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetDeviceMetricsOverride,
		emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 800, DeviceScaleFactor: 1, Mobile: width < 600})
	must(b.t, err)
	_, err = chromedp.Call(b.ctx, emulation.SetEmulatedMedia,
		emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	must(b.t, err)
}

// looks is what a page looks like: the least contrast of what is read with what is behind
// (WCAG 2.2, 1.4.3), how bright that is, from 0 to 1, and how much too wide the page is.
type looks struct {
	Contrast, Behind float64
	TooWide          int
}

const look = `(() => {
	const brightness = (color) => color.match(/[\d.]+/g).slice(0, 3).map((v) => v / 255)
		.map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
		.reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
	const probe = document.body.appendChild(document.createElement("p"));
	probe.style.backgroundColor = "Canvas";
	const behind = brightness(getComputedStyle(probe).backgroundColor);
	probe.remove();
	const contrasts = [...document.querySelectorAll("h1, th, td, a, p")].map((e) => brightness(getComputedStyle(e).color))
		.map((v) => (Math.max(v, behind) + 0.05) / (Math.min(v, behind) + 0.05));
	const page = document.documentElement;
	return {Contrast: Math.min(...contrasts), Behind: behind, TooWide: page.scrollWidth - page.clientWidth};
})()`

// A listing can be read on a telephone and on a screen, by day and by night, and each of
// its links leads a browser to what it names. Nothing in it is refused by its own policy.
func TestListing(t *testing.T) {
	browser := start(t)
	url := listed(t)
	b := open(t, browser, url)
	for _, width := range []int64{390, 1280} {
		for _, scheme := range []string{"light", "dark"} {
			b.see(width, scheme)
			b.do(chromedp.Navigate(url + "/"))
			got := await(b, chromedp.Evaluate[looks](look))
			if got.TooWide > 0 || got.Contrast < 4.5 || (got.Behind < 0.5) != (scheme == "dark") {
				t.Errorf("%d wide, %s: %+v", width, scheme, got)
			}
		}
	}

	byName := slices.Sorted(slices.Values(awkward))
	b.lists("by name", append([]string{"one & two/"}, byName...)...)
	_, links := b.rows()
	for i, link := range links[1:] {
		response, err := http.Get(link)
		must(t, err)
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || strings.TrimRight(string(body), "\n") != byName[i] {
			t.Errorf("%s: %d, %.100q, %v; want the file %q", link, response.StatusCode, body, err, byName[i])
		}
	}

	b.click("Size")
	b.lists("by size", append([]string{"one & two/"}, awkward...)...)
	b.click("Size")
	largestFirst := slices.Clone(awkward)
	slices.Reverse(largestFirst)
	b.lists("by size, the other way round", append([]string{"one & two/"}, largestFirst...)...)
	b.click("one & two")
	b.lists("in the directory", "three/")
	b.click("three")
	b.lists("in the one within", "file.txt")
	b.click("one & two")
	b.lists("up again", "three/")
	b.click("/")
	b.lists("at the root", append([]string{"one & two/"}, byName...)...)
	for _, f := range b.take(nil) {
		if f.failed != "" || f.status != http.StatusOK && f.status != http.StatusNotModified {
			t.Errorf("%+v", f)
		}
	}
}
