package codec_test

import (
	"bytes"
	stdgzip "compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"servery/internal/codec"
)

// levels are all distinct encoders that are built in.
var levels = map[string][]int{
	"gzip": {1, 2, 3, 4, 5, 6, 7, 8, 9},
	"zstd": {1, 3, 6, 10},
}

// notRaced leaves a test to the run without the race detector: it has one goroutine, encodes a lot, and would take a
// dozen times as long, or it measures memory, which the detector adds to.
func notRaced(t *testing.T) {
	t.Helper()
	if raced {
		t.Skip("nothing to find for the race detector")
	}
}

func encoder(tb testing.TB, coding string, level int) codec.Encoder {
	tb.Helper()
	built := map[string]func(int) (codec.Encoder, error){"gzip": codec.Gzip, "zstd": codec.Zstd}[coding]
	e, err := built(level)
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

func set(tb testing.TB, idle int, encoders ...codec.Encoder) *codec.Set {
	tb.Helper()
	s, err := codec.NewSet(encoders, idle)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// eachLevel runs f for every encoder that is built in, as a subtest.
func eachLevel(t *testing.T, f func(t *testing.T, e codec.Encoder)) {
	for coding, all := range levels {
		for _, level := range all {
			t.Run(fmt.Sprint(coding, level), func(t *testing.T) { f(t, encoder(t, coding, level)) })
		}
	}
}

// encode gives the pieces to a writer that is made or reset for them.
func encode(tb testing.TB, w codec.Writer, pieces ...[]byte) []byte {
	tb.Helper()
	var out bytes.Buffer
	w.Reset(&out)
	for _, p := range pieces {
		if n, err := w.Write(p); n != len(p) || err != nil {
			tb.Fatalf("Write of %d bytes: %d, %v", len(p), n, err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func fresh(tb testing.TB, e codec.Encoder) codec.Writer {
	tb.Helper()
	w, err := e.New()
	if err != nil {
		tb.Fatal(err)
	}
	return w
}

// decoder reads coded bytes by other code than what wrote them, as far as there is some: the standard library's gzip.
// The one for zstd is of the same module, the command line of the reference implementation is another test's.
func decoder(tb testing.TB, coding string, coded io.Reader) io.Reader {
	tb.Helper()
	if coding == "gzip" {
		r, err := stdgzip.NewReader(coded)
		if err != nil {
			tb.Fatal(err)
		}
		return r
	}
	r, err := zstd.NewReader(coded, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(8<<20))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(r.Close)
	return r
}

func wantDecoded(tb testing.TB, coding string, coded, want []byte) {
	tb.Helper()
	got, err := io.ReadAll(decoder(tb, coding, bytes.NewReader(coded)))
	if err != nil || !bytes.Equal(got, want) {
		tb.Errorf("%s of %d bytes decodes to %d other bytes, or fails: %v", coding, len(want), len(got), err)
	}
}

// lines returns n bytes of generated text, the same ones wherever and whenever it is asked.
func lines(n int) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	words := []string{"accept", "body", "coding", "date", "entity", "field", "gateway", "header", "identity"}
	var b bytes.Buffer
	for b.Len() < n {
		fmt.Fprintf(&b, `{"id":%d,"name":"%s %s","size":%d.%02d,"note":"%s"}`+"\n", random.IntN(1e9), words[random.IntN(9)],
			words[random.IntN(9)], random.IntN(1e4), random.IntN(100), words[:random.IntN(9)])
	}
	return b.Bytes()[:n]
}

// noise returns n bytes that no compressor makes smaller.
func noise(n int) []byte {
	random, b := rand.NewChaCha8([32]byte{1}), make([]byte, n)
	_, _ = random.Read(b)
	return b
}

// source returns n bytes of Go's own source.
func source(tb testing.TB, n int) []byte {
	tb.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		tb.Fatal(err)
	}
	names, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(root)), "src/net/http/*.go"))
	var b []byte
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			tb.Fatal(err)
		}
		b = append(b, content...)
	}
	if len(b) < n {
		tb.Skipf("%d bytes of source, not %d", len(b), n)
	}
	return b[:n]
}
