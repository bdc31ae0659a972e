package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"

	"servery"
)

// source is text that was written by people, over and over.
func source(t *testing.T, size int) []byte {
	t.Helper()
	var text []byte
	for _, name := range []string{"../static/main.go", "../../testdata/site/large.txt"} {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, content...)
	}
	return bytes.Repeat(text, size/len(text)+1)[:size]
}

// decoded undoes the coding by the command line where there is one, which shares no
// code with the encoder, and by the library.
func decoded(t *testing.T, body []byte) []byte {
	t.Helper()
	plain, err := io.ReadAll(brotli.NewReader(bytes.NewReader(body)))
	if err != nil {
		t.Fatal(err)
	}
	program, err := exec.LookPath("brotli")
	if err != nil {
		if os.Getenv("SERVERY_REQUIRE_TOOLS") != "" {
			t.Fatal(err)
		}
		return plain
	}
	cmd := exec.Command(program, "-d", "-c")
	cmd.Stdin = bytes.NewReader(body)
	if output, err := cmd.Output(); err != nil || !bytes.Equal(output, plain) {
		t.Errorf("brotli -d makes %d bytes, the library %d, error %v", len(output), len(plain), err)
	}
	return plain
}

func TestServed(t *testing.T) {
	text, dir := source(t, 200_000), t.TempDir()
	sidecar := encode(t, Brotli(11).New, text)
	for name, content := range map[string][]byte{"a.js": text, "packed.js": text, "packed.js.br": sidecar} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "packed.js"), past, past); err != nil {
		t.Fatal(err)
	}
	root, err := servery.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	server := httptest.NewServer(servery.FileServer(root, options()))
	defer server.Close()
	for _, tt := range []struct{ target, accept, coding, tagEnd, reason string }{
		{"/a.js", "gzip, zstd, br", "br", `-br5.1"`, "first among equals"},
		{"/a.js", "gzip, zstd, br;q=0.9", "zstd", `-zst3.1"`, "the client's weights first"},
		{"/a.js", "br", "br", `-br5.1"`, "the second time"},
		{"/a.js", "", "", `"`, "not asked for"},
		{"/packed.js", "gzip, zstd, br", "br", `-br"`, "the sidecar, whose level nobody knows"},
	} {
		response, body := get(t, server.URL+tt.target, tt.accept)
		h := response.Header
		if coding := h.Get("Content-Encoding"); coding != tt.coding || !strings.HasSuffix(h.Get("Etag"), tt.tagEnd) {
			t.Errorf("%s for %q: coding %q, tag %s, want %q, %s: %s", tt.target, tt.accept, coding, h.Get("Etag"), tt.coding, tt.tagEnd, tt.reason)
		}
		if h.Get("Content-Length") != strconv.Itoa(len(body)) || h.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s for %q: %d bytes with the head %v", tt.target, tt.accept, len(body), h)
		}
		if tt.coding == "br" && !bytes.Equal(decoded(t, body), text) {
			t.Errorf("%s for %q: not the file", tt.target, tt.accept)
		}
	}
}

// plainTransport asks for no coding by itself.
var plainTransport = &http.Transport{DisableCompression: true, DisableKeepAlives: true}

func get(t *testing.T, url, accept string) (*http.Response, []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept-Encoding", accept)
	response, err := plainTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, body
}

// encode compresses pieces by a new writer.
func encode(t *testing.T, make func() (servery.EncoderWriter, error), pieces ...[]byte) []byte {
	t.Helper()
	w, err := make()
	if err != nil {
		t.Fatal(err)
	}
	return encodeBy(t, w, pieces...)
}

// encodeBy compresses pieces by a writer that may have been used before.
func encodeBy(t *testing.T, w servery.EncoderWriter, pieces ...[]byte) []byte {
	t.Helper()
	var coded bytes.Buffer
	w.Reset(&coded)
	for _, piece := range pieces {
		if n, err := w.Write(piece); n != len(piece) || err != nil {
			t.Fatalf("Write of %d bytes: %d, %v", len(piece), n, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return coded.Bytes()
}

func split(random *rand.Rand, body []byte) (pieces [][]byte) {
	for len(body) > 0 {
		n := min(len(body), 1+random.IntN(1<<random.IntN(18)))
		pieces, body = append(pieces, body[:n]), body[n:]
	}
	return pieces
}

// The same input gives the same bytes, however it is written and whatever the writer
// wrote before: an Encoder promises that, and tags rely on it.
func TestSameBytes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, level := range []int{0, 1, 2, 5, 9, 11} {
		used, sizes := newWriter(level), []int{0, 1, pieceSize - 1, pieceSize, pieceSize + 1}
		if level < 10 {
			sizes = append(sizes, 300_000)
		}
		for _, size := range sizes {
			text := source(t, size)
			want := encode(t, Brotli(level).New, text)
			for range 2 {
				if got := encodeBy(t, used, split(random, text)...); !bytes.Equal(got, want) {
					t.Errorf("level %d, %d bytes: other bytes in pieces and by a used writer", level, size)
				}
				encodeBy(t, used, source(t, random.IntN(100_000))) // leave something in its tables
			}
			if plain, err := io.ReadAll(brotli.NewReader(bytes.NewReader(want))); err != nil || !bytes.Equal(plain, text) {
				t.Errorf("level %d, %d bytes: decodes to %d bytes, error %v", level, size, len(plain), err)
			}
		}
	}
}

// A flush makes everything so far decodable.
func TestFlush(t *testing.T) {
	var coded bytes.Buffer
	w := newWriter(5)
	w.Reset(&coded)
	r := brotli.NewReader(&coded)
	for _, message := range []string{"first", "second"} {
		io.WriteString(w, message)
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(message))
		if _, err := io.ReadFull(r, got); err != nil || string(got) != message {
			t.Errorf("after a flush: %q, error %v, want %q", got, err, message)
		}
	}
}

// If another release of the compressor makes other bytes, raise the Generation of
// Brotli, so that no client joins the two under one tag. Then change the sum.
func TestBytes(t *testing.T) {
	const generation, want = 1, "6e6da2c8fbbd510b"
	sum := sha256.Sum256(encode(t, Brotli(5).New, bytes.Repeat([]byte("It was the best of times, it was the worst of times.\n"), 10_000)))
	if got := hex.EncodeToString(sum[:8]); got != want || Brotli(5).Generation != generation {
		t.Errorf("generation %d has the sum %s, want %d, %s", Brotli(5).Generation, got, generation, want)
	}
}
