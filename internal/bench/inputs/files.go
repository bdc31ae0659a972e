package inputs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// modified is the time that every input bears. It is long past because a server
// may rightly distrust a file that was written within the grain of the clock,
// and it is the same in every run so that the sizes of response heads are.
var modified = time.Date(2024, time.May, 17, 8, 30, 0, 0, time.UTC)

// Write makes the files of the scenarios beneath dir. They are cut from Go's own
// source, or are JSON if they are called so: real text, because zeros would flatter
// whatever compresses or deduplicates.
func Write(dir string, scenarios ...Scenario) error {
	most := 0
	for _, s := range scenarios {
		most = max(most, s.Size*max(s.Files, 1), s.LargeSize)
	}
	text, err := sourceText(most)
	if err != nil {
		return fmt.Errorf("collecting text: %w", err)
	}
	for _, s := range scenarios {
		if err := writeAll(dir, s.Paths(), text, s.Size); err != nil {
			return err
		}
		if s.Behind == 0 {
			continue
		}
		if err := writeAll(dir, s.LargePaths(), text, s.LargeSize); err != nil {
			return err
		}
	}
	return nil
}

// writeAll makes files of that size, each of another part of the text where it is
// long enough. Where it is not they are the whole of it, begun at different places.
func writeAll(dir string, paths []string, text []byte, size int) error {
	step := min(size, len(text)/len(paths))
	for i, path := range paths {
		begin := i * step
		end := min(begin+size, len(text))
		content := slices.Concat(text[begin:end], text[:size-(end-begin)])
		if filepath.Ext(path) == ".json" {
			content = JSON(size, uint64(i))
		}
		if err := writeFile(filepath.Join(dir, filepath.FromSlash(path)), content); err != nil {
			return err
		}
	}
	return nil
}

func writeFile(name string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(name, content, 0o644); err != nil {
		return err
	}
	return os.Chtimes(name, modified, modified)
}

// sourceText returns the first size bytes of the Go files of the standard
// library, one after the other in lexical order.
func sourceText(size int) ([]byte, error) {
	root, err := goroot()
	if err != nil {
		return nil, err
	}
	text := make([]byte, 0, size)
	err = filepath.WalkDir(filepath.Join(root, "src"), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".go" {
			return err
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		text = append(text, content[:min(len(content), size-len(text))]...)
		if len(text) == size {
			return fs.SkipAll
		}
		return nil
	})
	if err == nil && len(text) < size {
		err = errors.New("the Go source tree is too small")
	}
	return text, err
}

// goroot asks the go command, since a binary's own idea of the tree is empty
// when it was built with -trimpath.
func goroot() (string, error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}
