package codec_test

import (
	"bytes"
	"io"
	"os/exec"
	"testing"

	"github.com/klauspost/compress/zstd"

	"servery/internal/codec"
	"servery/internal/testkit"
)

// sizes surround what the encoders change their ways at: small inputs, gzip's blocks, zstd's blocks and its window.
var sizes = []int{0, 1, 32, 33, 127, 128, 1025, 65535, 65536, 131071, 131072, 131073, 400_001}

func TestRoundTrip(t *testing.T) {
	text, random := lines(sizes[len(sizes)-1]), noise(sizes[len(sizes)-1])
	eachLevel(t, func(t *testing.T, e codec.Encoder) {
		w := fresh(t, e)
		for _, size := range sizes {
			for _, body := range [][]byte{text[:size], random[:size], make([]byte, size)} {
				coded := encode(t, w, body)
				wantDecoded(t, e.Coding, coded, body)
				if !codec.HasMagic(e.Coding, coded) {
					t.Errorf("%d bytes: begins with % x", size, coded[:codec.MagicSize])
				}
			}
		}
		if coded := encode(t, w, text); len(coded) > len(text)/2 {
			t.Errorf("%d bytes of text become %d", len(text), len(coded))
		}
	})
}

func TestProgramsDecode(t *testing.T) {
	body := lines(400_001)
	for _, coding := range []string{"gzip", "zstd"} {
		program := testkit.Tool(t, coding)
		for _, level := range levels[coding] {
			w := fresh(t, encoder(t, coding, level))
			for _, size := range []int{0, 1000, len(body)} {
				command := exec.Command(program, "-d", "-c")
				command.Stdin = bytes.NewReader(encode(t, w, body[:size]))
				got, err := command.Output()
				if err != nil || !bytes.Equal(got, body[:size]) {
					t.Errorf("%s of level %d decodes %d bytes to %d: %v", coding, level, size, len(got), err)
				}
			}
		}
	}
}

// The header tells neither when nor where it was made: RFC 1952, section 2.3.1.
func TestGzipHeader(t *testing.T) {
	for _, level := range levels["gzip"] {
		w := fresh(t, encoder(t, "gzip", level))
		for _, use := range []string{"first use", "second use"} {
			extra := map[int]byte{1: 4, 9: 2}[level] // the fastest and the smallest are marked
			want := []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, extra, 255}
			if got := encode(t, w, []byte("text"))[:len(want)]; !bytes.Equal(got, want) {
				t.Errorf("level %d, %s: got % x, want % x", level, use, got, want)
			}
		}
	}
}

// RFC 9659: a client need not hold more than 8 MiB. Here it need not hold more than 256 KiB.
func TestZstdHeader(t *testing.T) {
	const most = 256 << 10
	for _, level := range levels["zstd"] {
		w := fresh(t, encoder(t, "zstd", level))
		for _, size := range sizes {
			var h zstd.Header
			if err := h.Decode(encode(t, w, lines(size))); err != nil {
				t.Fatal(err)
			}
			holds := h.WindowSize
			if h.SingleSegment {
				holds = h.FrameContentSize
			}
			if holds > most || !h.HasCheckSum || h.DictionaryID != 0 {
				t.Errorf("level %d, %d bytes: header %+v", level, size, h)
			}
		}
	}
}

// After each Flush a client has everything that was written before it.
func TestFlush(t *testing.T) {
	text := lines(300_000)
	eachLevel(t, func(t *testing.T, e codec.Encoder) {
		w, out := fresh(t, e), new(bytes.Buffer)
		w.Reset(out)
		written := 0
		for _, size := range []int{1, 0, 20, 100, 1000, 70_000, 200_000} {
			if _, err := w.Write(text[written : written+size]); err != nil {
				t.Fatal(err)
			}
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
			written += size
			got := make([]byte, written)
			n, err := io.ReadFull(decoder(t, e.Coding, bytes.NewReader(out.Bytes())), got)
			if err != nil || !bytes.Equal(got, text[:written]) {
				t.Errorf("after a Flush at %d bytes, %d can be decoded: %v", written, n, err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		wantDecoded(t, e.Coding, out.Bytes(), text[:written])
	})
}

// A body that is cut off is no body: only Close writes the end.
func TestWithoutCloseThereIsNoEnd(t *testing.T) {
	eachLevel(t, func(t *testing.T, e codec.Encoder) {
		w, out := fresh(t, e), new(bytes.Buffer)
		w.Reset(out)
		_, _ = w.Write(lines(200_000))
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(decoder(t, e.Coding, out)); err == nil {
			t.Error("what was flushed and not closed decodes without an error")
		}
	})
}
