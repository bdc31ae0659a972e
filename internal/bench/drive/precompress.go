package drive

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/gzip"
)

// precompress copies a tree and puts a name.gz beside each file. All bear the time
// of the original.
func precompress(to, from string, level int) error {
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		relative, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		plain, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		coded, err := compress(plain, level)
		if err != nil {
			return err
		}
		copied := filepath.Join(to, relative)
		if err := writeDated(copied, plain, info); err != nil {
			return err
		}
		return writeDated(copied+".gz", coded, info)
	})
}

func compress(plain []byte, level int) ([]byte, error) {
	var coded bytes.Buffer
	w, err := gzip.NewWriterLevel(&coded, level)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(plain); err != nil {
		return nil, err
	}
	err = w.Close()
	return coded.Bytes(), err
}

func writeDated(name string, content []byte, like fs.FileInfo) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(name, content, 0o644); err != nil {
		return err
	}
	return os.Chtimes(name, like.ModTime(), like.ModTime())
}
