//go:build unix

package browser

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/image/font/gofont/gomono"

	"servery"
	"servery/internal/testkit"
)

// tinyModule is a WebAssembly module that exports add, for two numbers of 32 bits, and has
// a section of its own that makes it worth a coding.
func tinyModule() string {
	const filling = 3000
	custom := "\x04fill" + strings.Repeat("a", filling)
	size := len(custom)
	return "\x00asm\x01\x00\x00\x00" + "\x01\x07\x01\x60\x02\x7f\x7f\x01\x7f" + "\x03\x02\x01\x00" +
		"\x07\x07\x01\x03add\x00\x00" + "\x0a\x09\x01\x07\x00\x20\x00\x20\x01\x6a\x0b" +
		"\x00" + string([]byte{byte(size&0x7f | 0x80), byte(size >> 7)}) + custom
}

// silence is a WAV file of so many seconds, 8,000 samples of one byte each.
func silence(seconds int) string {
	const rate = 8000
	var b bytes.Buffer
	b.WriteString("RIFF")
	binary.Write(&b, binary.LittleEndian, uint32(36+seconds*rate))
	b.WriteString("WAVEfmt ")
	binary.Write(&b, binary.LittleEndian, []uint16{16, 0, 1, 1, rate, 0, rate, 0, 1, 8})
	b.WriteString("data")
	binary.Write(&b, binary.LittleEndian, uint32(seconds*rate))
	b.Write(bytes.Repeat([]byte{0x80}, seconds*rate))
	return b.String()
}

func picture(t *testing.T) string {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 321, 10))); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const hour = 3600 // seconds: more sound than a browser loads in advance

// app is the directory of the page.
func app(t *testing.T) *servery.Dir {
	t.Helper()
	path := t.TempDir()
	if err := os.CopyFS(path, os.DirFS("testdata/app")); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"add.wasm": tinyModule(), "sound.wav": silence(hour), "picture.png": picture(t), "mono.ttf": string(gomono.TTF),
	} {
		testkit.Write(t, filepath.Join(path, name), content)
	}
	testkit.Settle()
	dir, err := servery.OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dir.Close() })
	return dir
}

// page is what testdata/app/main.mjs says.
type page struct {
	Lib, Hashed, Classic, Color string

	Images []int
	Fonts  []string
	Sum    int
	Video  [3]float64 // duration, where it was sought to, width
	Sound  [3]float64
}

var wantPage = page{
	Lib: "lib", Hashed: "hashed", Classic: "é, which needs the charset", Color: "rgb(1, 2, 3)",
	Images: []int{123, 321}, Fonts: []string{"plain loaded", "compressed loaded"}, Sum: 42,
	Video: [3]float64{12, 9, 160}, Sound: [3]float64{hour, 3000, 0},
}

// A page gets its style sheet, scripts, modules, pictures, fonts, WebAssembly, video and
// sound, each of which the browser takes with the right type only, coded where that is
// worth it. When it is loaded again everything is asked for with its tag and answered with
// 304, but for what is immutable, and the page is the same.
func TestPage(t *testing.T) {
	browser := start(t)
	for _, tt := range []struct {
		coding, protocol string
		encoders         []servery.Encoder
	}{
		{"zstd", "http/1.1", nil},
		{"gzip", "http/1.1", []servery.Encoder{servery.Gzip(6)}},
		{"zstd", "h2", nil},
	} {
		t.Run(tt.coding+" over "+tt.protocol, func(t *testing.T) {
			files := servery.FileServer(app(t), &servery.FileServerOptions{
				Encoders: tt.encoders, CacheControl: servery.Immutable("assets/"),
			})
			server := httptest.NewUnstartedServer(files)
			t.Cleanup(server.Close)
			if server.EnableHTTP2 = tt.protocol == "h2"; server.EnableHTTP2 {
				server.StartTLS()
			} else {
				server.Start()
			}
			b := open(t, browser, server.URL)
			for i, load := range []chromedp.Action[chromedp.Void]{chromedp.Navigate(server.URL + "/"), chromedp.Reload()} {
				b.do(load)
				if diff := cmp.Diff(wantPage, await(b, promised[page]("page"))); diff != "" {
					t.Fatalf("(-want +got):\n%s", diff)
				}
				again := i == 1
				checkFetches(t, b.take(parts(again)), tt.coding, tt.protocol, again)
			}
		})
	}
}

// assets are what the page has, and whether that is worth a coding.
var assets = map[string]bool{
	"/": false, "/style.css": true, "/classic.js": false, "/main.mjs": true, "/lib.js": false, "/assets/hashed-0badcafe.js": false,
	"/image.svg": false, "/picture.png": false, "/mono.ttf": true, "/mono.woff2": false, "/add.wasm": true,
}

// parts are those of media that the page asks for: of the sound one from its beginning and
// one from where it was sought to, and of the video, unless that is in the cache.
func parts(again bool) map[string]int {
	if again {
		return map[string]int{"/sound.wav": 2}
	}
	return map[string]int{"/sound.wav": 2, "/clip.webm": 1}
}

// checkFetches checks what the browser asked for, and how that was answered.
func checkFetches(t *testing.T, fetches []fetch, coding, protocol string, again bool) {
	t.Helper()
	seen := map[string]bool{}
	for _, f := range fetches {
		if f.media {
			if f.coding != "" || !slices.Contains([]int64{0, http.StatusPartialContent, http.StatusNotModified}, f.status) {
				t.Errorf("%+v", f)
			}
			continue
		}
		worth, known := assets[f.path]
		if !known || f.failed != "" {
			t.Errorf("%+v", f)
		}
		if f.fromMemory {
			continue // a second use within the page
		}
		seen[f.path] = true
		if err := f.check(coding, protocol, worth, again); err != nil {
			t.Error(err)
		}
	}
	for path := range assets {
		if !seen[path] && !(again && strings.HasPrefix(path, "/assets/")) {
			t.Errorf("%s was not asked for", path)
		}
	}
}

// check checks one answer that is no part of media.
func (f fetch) check(coding, protocol string, worth, again bool) error {
	immutable := strings.HasPrefix(f.path, "/assets/")
	switch {
	case again && immutable:
		if f.status != 0 || !f.fromDisk {
			return fmt.Errorf("immutable, and asked for again: %+v", f)
		}
	case f.protocol != protocol || !strings.Contains(f.accept, coding):
		return fmt.Errorf("%+v, want %s and an offer of %s", f, protocol, coding)
	case again:
		if f.status != http.StatusNotModified {
			return fmt.Errorf("loaded again: %+v, want 304", f)
		}
	case f.status != http.StatusOK || f.fromDisk || (f.coding == coding) != worth || !worth && f.coding != "":
		return fmt.Errorf("%+v, want 200, coded: %t", f, worth)
	}
	return nil
}
