package codec_test

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servery/internal/codec"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// The bytes change with a new release of the compressor at most, and then the generation has to change with them, or
// a client could join two bodies under one tag: raise it, then go test -run Golden -update.
func TestGoldenBytes(t *testing.T) {
	notRaced(t)
	const golden = "testdata/bytes.golden"
	var got strings.Builder
	text, random := lines(400_001), noise(100_000)
	for _, coding := range []string{"gzip", "zstd"} {
		for _, level := range levels[coding] {
			e, sum := encoder(t, coding, level), sha256.New()
			for _, size := range sizes {
				sum.Write(encode(t, fresh(t, e), text[:size]))
			}
			sum.Write(encode(t, fresh(t, e), random))
			fmt.Fprintf(&got, "%s %x\n", e.TagSuffix(), sum.Sum(nil))
		}
	}
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("the same input gives other bytes than %s (-want +got):\n%s", golden, diff)
	}
}

// split cuts body at random places, most of them close together.
func split(random *rand.Rand, body []byte) (pieces [][]byte) {
	for len(body) > 0 {
		n := min(len(body), random.IntN(1<<random.IntN(18)))
		pieces, body = append(pieces, body[:n]), body[n:]
	}
	return pieces
}

func TestSameBytesHoweverItIsWritten(t *testing.T) {
	notRaced(t)
	text := append(lines(350_000), noise(100_000)...)
	eachLevel(t, func(t *testing.T, e codec.Encoder) {
		random, used := rand.New(rand.NewPCG(5, 6)), fresh(t, e)
		for _, size := range sizes {
			body := text[:size]
			want := encode(t, fresh(t, e), body)
			encode(t, used, text[random.IntN(len(text)-50_000):][:50_000]) // leave something in its tables
			if got := encode(t, used, split(random, body)...); !bytes.Equal(got, want) {
				t.Errorf("%d bytes: another body in pieces and by a used writer", size)
			}
		}
	})
}

// The compressors number positions over all their uses and start over before 2^31. The bytes may not tell.
func TestSameBytesAfterManyUses(t *testing.T) {
	notRaced(t)
	body, tiny := lines(200_000), []byte("tiny")
	for _, tt := range []struct {
		coding string
		level  int
		uses   int // a use takes at least 32 KiB of gzip's numbers, and twice 256 KiB of zstd's
	}{{"gzip", 1, 70_000}, {"gzip", 6, 70_000}, {"zstd", 1, 5000}, {"zstd", 3, 5000}} {
		e := encoder(t, tt.coding, tt.level)
		w := fresh(t, e)
		want := encode(t, w, body)
		for use := range tt.uses {
			encode(t, w, tiny)
			if use%(tt.uses/50) != 0 {
				continue
			}
			if got := encode(t, w, body); !bytes.Equal(got, want) {
				t.Fatalf("%s: another body after %d uses", e.TagSuffix(), use)
			}
		}
	}
}

// FuzzSameBytes encodes body, many times over, by a new writer in one piece, and by one that has encoded before in
// pieces cut by seed.
func FuzzSameBytes(f *testing.F) {
	var encoders []codec.Encoder
	for _, coding := range []string{"gzip", "zstd"} {
		for _, level := range levels[coding] {
			encoders = append(encoders, encoder(f, coding, level))
		}
	}
	f.Fuzz(func(t *testing.T, body, before []byte, times uint16, seed uint64) {
		e := encoders[seed%uint64(len(encoders))]
		body = bytes.Repeat(body, 1+min(int(times), 1<<20/(len(body)+1)))
		random := rand.New(rand.NewPCG(seed, 7))
		want := encode(t, fresh(t, e), body)
		used := fresh(t, e)
		encode(t, used, split(random, bytes.Repeat(before, 1+random.IntN(1000)))...)
		if got := encode(t, used, split(random, body)...); !bytes.Equal(got, want) {
			t.Errorf("%s: another body of %d bytes", e.TagSuffix(), len(body))
		}
		wantDecoded(t, e.Coding, want, body)
	})
}
