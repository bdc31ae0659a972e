package precompress_test

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"servery"
	"servery/internal/testkit"
	"servery/precompress"
)

func TestMain(m *testing.M) { os.Exit(testkit.Main(m)) }

// text is n bytes that shrink, and are other bytes for another seed.
func text(seed, n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "line %d of %d: the quick brown fox\n", i*i%9973, seed)
	}
	return b.String()[:n]
}

// quick are options with encoders that take a hundredth of the time of the best.
func quick() *precompress.Options {
	return &precompress.Options{Encoders: servery.DefaultEncoders()}
}

func run(tb testing.TB, dir string, opts *precompress.Options) precompress.Stats {
	tb.Helper()
	stats, err := precompress.Run(tb.Context(), dir, opts)
	if err != nil {
		tb.Fatal(err)
	}
	return stats
}

// state is all that can be told of the files of a tree: of each the bits, the date, and
// the content.
func state(tb testing.TB, dir string) map[string]string {
	tb.Helper()
	files := make(map[string]string)
	must(tb, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		content, _ := os.ReadFile(path) // a link may lead to nothing
		name, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = fmt.Sprint(info.Mode(), info.ModTime().UnixNano(), "\n", string(content))
		return nil
	}))
	return files
}

func names(files map[string]string, suffix string) []string {
	var list []string
	for name := range files {
		if strings.HasSuffix(name, suffix) {
			list = append(list, name)
		}
	}
	return list
}

// decoded is what a sidecar decodes to.
func decoded(tb testing.TB, path string) string {
	tb.Helper()
	content, err := os.ReadFile(path)
	must(tb, err)
	var r io.Reader
	if strings.HasSuffix(path, ".gz") {
		r, err = gzip.NewReader(bytes.NewReader(content))
	} else {
		var d *zstd.Decoder
		if d, err = zstd.NewReader(bytes.NewReader(content)); err == nil {
			defer d.Close()
			r = d
		}
	}
	must(tb, err)
	plain, err := io.ReadAll(r)
	if err != nil {
		tb.Fatalf("%s: %v", path, err)
	}
	return string(plain)
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
