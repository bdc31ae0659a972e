package codec_test

import (
	"fmt"
	"testing"
)

// counter is a destination that counts.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// BenchmarkEncode is what the default levels and zstd's window were chosen by.
func BenchmarkEncode(b *testing.B) {
	inputs := []struct {
		name string
		body []byte
	}{{"json", lines(1 << 20)}, {"source", source(b, 1<<20)}, {"source64KiB", source(b, 64<<10)}}
	for _, coding := range []string{"gzip", "zstd"} {
		for _, level := range levels[coding] {
			for _, in := range inputs {
				b.Run(fmt.Sprintf("%s%d/%s", coding, level, in.name), func(b *testing.B) {
					w := fresh(b, encoder(b, coding, level))
					b.SetBytes(int64(len(in.body)))
					var out counter
					for b.Loop() {
						out = 0
						w.Reset(&out)
						_, _ = w.Write(in.body)
						_ = w.Close()
					}
					b.ReportMetric(float64(len(in.body))/float64(out), "ratio")
				})
			}
		}
	}
}
