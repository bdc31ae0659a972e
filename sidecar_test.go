package servery_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"servery"
	"servery/internal/testkit"
)

var allSidecars = []string{"zstd", "br", "gzip"}

// codedTag is the tag of a sidecar with this content.
func codedTag(coding, content string) string {
	return strings.TrimSuffix(contentTag(content), `"`) + programs[coding].tagSuffix + `"`
}

func TestSidecar(t *testing.T) {
	text := realText(t, 300_000)
	server, dir := serveTree(t, map[string]string{"file.txt": text}, &servery.FileServerOptions{Sidecars: allSidecars})
	dynamic := testkit.Serve(t, servery.FileServer(openDir(t, dir), nil))
	path := filepath.Join(dir, "file.txt")
	holders := map[string]string{contentTag(text): "identity"}
	for coding := range programs {
		pack(t, coding, path)
	}
	testkit.Settle()
	for coding, p := range programs {
		sidecar, accept := readFile(t, path+p.extension), "Accept-Encoding: "+coding
		for range 2 { // the second time the tag is remembered
			got := server.Get("/file.txt", accept)
			h := got.Header
			if got.Status != 200 || h.Get("Content-Encoding") != coding || string(got.Body) != sidecar {
				t.Fatalf("%s: got\n%s, want 200 with the sidecar", coding, got.Head)
			}
			if unpacked(t, coding, got.Body) != text {
				t.Errorf("%s: the sidecar does not decode to the file", coding)
			}
			if h.Get("Vary") != "Accept-Encoding" || h.Get("Accept-Ranges") != "" || h.Get("Content-Type") != "text/plain; charset=utf-8" {
				t.Errorf("%s: got\n%s, want Vary, no ranges, and the original's type", coding, got.Head)
			}
			if tag := h.Get("Etag"); tag != codedTag(coding, sidecar) {
				t.Errorf("%s: tag %s, want %s", coding, tag, codedTag(coding, sidecar))
			}
			if head := server.Do("HEAD", "/file.txt", accept); undated(head) != undated(got) {
				t.Errorf("%s: HEAD says\n%s, GET\n%s", coding, head.Head, got.Head)
			}
		}
		same := server.Get("/file.txt", accept, "If-None-Match: "+codedTag(coding, sidecar))
		if same.Status != 304 || same.Header.Get("Etag") != codedTag(coding, sidecar) || same.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: got\n%s, want 304 with the sidecar's tag and Vary", coding, same.Head)
		}
		for holder, tag := range map[string]string{
			coding + " sidecar": codedTag(coding, sidecar),
			coding + " file":    server.Get("/file.txt" + p.extension).Header.Get("Etag"),
			coding + " dynamic": dynamic.Get("/file.txt", accept).Header.Get("Etag"),
		} {
			if other, taken := holders[tag]; taken && holder != "br dynamic" { // which is identity
				t.Errorf("the tag of %s is that of %s, %s", holder, other, tag)
			}
			holders[tag] = holder
		}
	}
}

func TestSidecarConditions(t *testing.T) {
	text := realText(t, 50_000)
	gz, br := packed(t, "gzip", text), packed(t, "br", text)
	files := map[string]string{"file.txt": text, "file.txt.gz": gz, "file.txt.br": br}
	server, _ := serveTree(t, files, &servery.FileServerOptions{Sidecars: allSidecars})
	plain, own, other := contentTag(text), codedTag("gzip", gz), codedTag("br", br)
	for _, tt := range []struct {
		fields []string
		status int
		coding string
		reason string
	}{
		{[]string{"If-None-Match: " + own}, 304, "", "its own tag"},
		{[]string{"If-None-Match: W/" + own}, 304, "", "weakened on the way"},
		{[]string{"If-None-Match: " + other}, 200, "gzip", "another coding's"},
		{[]string{"If-None-Match: " + plain}, 200, "gzip", "identity's"},
		{[]string{"If-None-Match: " + contentTag(gz)}, 200, "gzip", "that of the file x.gz"},
		{[]string{"If-Match: " + own}, 200, "gzip", "its own tag"},
		{[]string{"If-Match: " + plain}, 412, "", "identity's"},
		{[]string{"Range: bytes=0-9"}, 206, "", "a range is identity"},
		{[]string{"Range: bytes=0-9", "If-Range: " + plain}, 206, "", "under identity's tag"},
		{[]string{"Range: bytes=0-9", "If-Range: " + own}, 200, "gzip", "under a coded tag: in full, coded"},
		{[]string{"Range: bytes=99999-"}, 416, "", "beyond the end of the original, not of the sidecar"},
		{[]string{"Range: bytes=0-9", "If-None-Match: " + plain}, 304, "", "the tag of what the range selects"},
	} {
		got := server.Get("/file.txt", append(tt.fields, "Accept-Encoding: gzip")...)
		if got.Status != tt.status || got.Header.Get("Content-Encoding") != tt.coding || got.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%q: got\n%s, want %d %q and Vary: %s", tt.fields, got.Head, tt.status, tt.coding, tt.reason)
		}
		if tt.status == 206 && (string(got.Body) != text[:10] || got.Header.Get("Etag") != plain) {
			t.Errorf("%q: %q with tag %s, want the plain bytes with theirs", tt.fields, got.Body, got.Header.Get("Etag"))
		}
	}
}

// What the names lead to, whatever sidecars there are.
func TestSidecarNames(t *testing.T) {
	text := realText(t, 5000)
	gz := packed(t, "gzip", text)
	files := map[string]string{
		"small.txt": text[:100], "none.txt": text, "gone.txt.gz": gz, "gone/index.html.gz": gz,
		"only/index.htm": text, "only/index.html.gz": gz,
	}
	for _, name := range []string{"file.txt", "docs/index.html", ".hidden.txt", ".well-known/a.txt", "a.png", "a.gz"} {
		files[name], files[name+".gz"] = text, gz
	}
	files["small.txt.gz"] = packed(t, "gzip", text[:100])
	opts := servery.FileServerOptions{Sidecars: []string{"gzip"}, Encoders: []servery.Encoder{}, Index: []string{"index.html", "index.htm"}}
	server, _ := serveTree(t, files, &opts)
	for _, tt := range []struct {
		target string
		status int
		coding string
		vary   bool
		name   string
		reason string
	}{
		{"/file.txt", 200, "gzip", true, "file.txt.gz", "the plainest case"},
		{"/docs/", 200, "gzip", true, "docs/index.html.gz", "the sidecar of the index"},
		{"/docs/index.html", 200, "gzip", true, "docs/index.html.gz", "the index by its name"},
		{"/.well-known/a.txt", 200, "gzip", true, ".well-known/a.txt.gz", "the one name with a dot that is served"},
		{"/small.txt", 200, "gzip", true, "small.txt.gz", "MinSize is about what is compressed here"},
		{"/none.txt", 200, "", true, "none.txt", "no sidecar: another request might have found one"},
		{"/only/", 200, "", true, "only/index.htm", "a sidecar does not make an index"},
		{"/a.png", 200, "", false, "a.png", "a type that is never coded"},
		{"/file.txt.gz", 200, "", false, "file.txt.gz", "asked for by its name it is a file"},
		{"/a.gz", 200, "", false, "a.gz", "and has no sidecar of its own"},
		{"/gone.txt", 404, "", false, "", "a missing original"},
		{"/gone/", 404, "", false, "", "a missing index"},
		{"/.hidden.txt", 404, "", false, "", "a hidden name"},
		{"/.hidden.txt.gz", 404, "", false, "", "a hidden name"},
	} {
		got := server.Get(tt.target, "Accept-Encoding: gzip")
		if got.Status != tt.status || got.Header.Get("Content-Encoding") != tt.coding || (got.Header.Get("Vary") != "") != tt.vary {
			t.Errorf("%s: got\n%s, want %d, coding %q, Vary %v: %s", tt.target, got.Head, tt.status, tt.coding, tt.vary, tt.reason)
		}
		if tt.status == 200 && string(got.Body) != files[tt.name] {
			t.Errorf("%s: %d bytes that are not those of %s: %s", tt.target, len(got.Body), tt.name, tt.reason)
		}
	}
	direct := server.Get("/file.txt.gz")
	if h := direct.Header; h.Get("Etag") != contentTag(gz) || h.Get("Content-Type") != "application/gzip" || h.Get("Accept-Ranges") != "bytes" {
		t.Errorf("/file.txt.gz: got\n%s, want its own type and tag, and ranges", direct.Head)
	}
}

// A date in the middle of a second is what a file has that was just built. Not
// every program copies all of it.
func TestSidecarOfAFileJustBuilt(t *testing.T) {
	text := realText(t, 50_000)
	server, dir := serveTree(t, map[string]string{"file.txt": text}, &servery.FileServerOptions{Sidecars: allSidecars})
	path := filepath.Join(dir, "file.txt")
	setDate(t, path, testkit.Past.Add(123_456_789*time.Nanosecond))
	for coding := range programs {
		pack(t, coding, path)
	}
	for coding, p := range programs {
		got := server.Get("/file.txt", "Accept-Encoding: "+coding)
		if string(got.Body) != readFile(t, path+p.extension) {
			t.Errorf("%s: got\n%s, want the sidecar", coding, got.Head)
		}
	}
}

func TestSidecarPreference(t *testing.T) {
	text := realText(t, 50_000)
	files := map[string]string{"all.txt": text, "gz.txt": text, "none.txt": text, "over.txt": realText(t, 200_000)}
	for coding, p := range programs {
		files["all.txt"+p.extension] = packed(t, coding, text)
	}
	files["gz.txt.gz"], files["over.txt.gz"] = files["all.txt.gz"], packed(t, "gzip", files["over.txt"])
	brotliFirst := []string{"br", "zstd", "gzip"}
	for _, tt := range []struct {
		sidecars     []string
		name, accept string
		coding       string
		sidecar      bool
		reason       string
	}{
		{allSidecars, "all.txt", "gzip, br, zstd", "zstd", true, "the order of Sidecars among equals"},
		{brotliFirst, "all.txt", "gzip, br, zstd", "br", true, "the order of Sidecars among equals"},
		{brotliFirst, "all.txt", "*", "br", true, "the wildcard"},
		{brotliFirst, "all.txt", "br;q=0.5, gzip", "gzip", true, "the client's weights first"},
		{brotliFirst, "all.txt", "br;q=0.5, gzip;q=0.8, identity", "", false, "identity with the highest weight"},
		{brotliFirst, "all.txt", "br;q=0, *", "zstd", true, "refused"},
		{brotliFirst, "all.txt", "", "", false, "nothing asked for"},
		{brotliFirst, "gz.txt", "gzip, br, zstd", "gzip", true, "a sidecar that is there before an encoder"},
		{brotliFirst, "gz.txt", "gzip;q=0.9, zstd", "zstd", false, "an encoder that the client prefers"},
		{brotliFirst, "gz.txt", "br, gzip;q=0.9, identity;q=0.8", "gzip", true, "the next where one is not there"},
		{brotliFirst, "gz.txt", "br", "", false, "identity where one is not there and has no encoder"},
		{brotliFirst, "gz.txt", "x-gzip", "gzip", true, "the old name"},
		{brotliFirst, "none.txt", "gzip, br, zstd", "zstd", false, "an encoder where no sidecar is there"},
		{[]string{"gzip"}, "none.txt", "gzip, zstd", "zstd", false, "the order of Encoders where no sidecar is there"},
		{[]string{"gzip"}, "all.txt", "gzip, zstd", "gzip", true, "no other sidecars than those of the option"},
		{[]string{"gzip"}, "all.txt", "br", "", false, "no other sidecars than those of the option"},
		{[]string{"gzip"}, "over.txt", "zstd, gzip;q=0.5", "gzip", true, "an encoder that is not for this size is none"},
	} {
		opts := servery.FileServerOptions{Sidecars: tt.sidecars, MaxCompressSize: 100_000}
		server, _ := serveTree(t, files, &opts)
		got := server.Get("/"+tt.name, "Accept-Encoding: "+tt.accept)
		coding := got.Header.Get("Content-Encoding")
		isSidecar := coding != "" && string(got.Body) == files[tt.name+programs[coding].extension]
		if got.Status != 200 || coding != tt.coding || isSidecar != tt.sidecar || got.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%q, %s for %q: got\n%s, want coding %q, a sidecar: %v, Vary: %s", tt.sidecars, tt.name, tt.accept, got.Head, tt.coding, tt.sidecar, tt.reason)
		}
		if unpacked(t, coding, got.Body) != files[tt.name] {
			t.Errorf("%q, %s for %q: %d bytes that are not the file", tt.sidecars, tt.name, tt.accept, len(got.Body))
		}
	}
}
