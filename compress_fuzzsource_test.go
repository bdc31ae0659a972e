package servery_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing/iotest"
	"time"
)

// scriptDate is when everything was modified.
var scriptDate = time.Date(2024, time.March, 1, 12, 0, 0, 0, time.UTC)

// errScriptSource is how a source breaks off.
var errScriptSource = errors.New("the source breaks off")

// scriptText and scriptNoise are what bodies are cut from: words, which shrink to a
// third or so, and noise, which does not.
var scriptText, scriptNoise = sync.OnceValue(makeText), sync.OnceValue(makeNoise)

const (
	scriptPool    = 1 << 17
	scriptLongest = 100_000
)

func makeText() []byte {
	random := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("a coding is applied to the representation of a resource and undone by whoever asked for it in HTTP")
	var text bytes.Buffer
	for text.Len() < scriptPool {
		text.WriteString(words[random.IntN(len(words))])
		text.WriteByte(" \n"[random.IntN(8)/7])
	}
	return text.Bytes()[:scriptPool]
}

func makeNoise() []byte {
	random := rand.New(rand.NewPCG(3, 4))
	noise := make([]byte, scriptPool)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	return noise
}

// scriptContent is a body of this kind and size. Each step has another one, so that
// nothing can change its place unseen. Nobody may write to it.
func scriptContent(kind, size, step int) []byte {
	offset := step * 1009
	switch scriptKinds[kind] {
	case "html":
		return append([]byte("<!DOCTYPE html>"), scriptText()[offset:][:size]...)[:size]
	case "png":
		return append([]byte("\x89PNG\x0d\x0a\x1a\x0a"), scriptNoise()[offset:][:size]...)[:size]
	case "random":
		return scriptNoise()[offset:][:size]
	}
	return scriptText()[offset:][:size]
}

// source is what a handler copies from, and the bytes that come of it.
func (c *scriptCall) source(reader string, size, step int) (src io.Reader, content []byte, end func()) {
	content = scriptText()[step*1009:][:size]
	half := bytes.NewReader(content[:size/2])
	switch reader {
	case "plain":
		return struct{ io.Reader }{bytes.NewReader(content)}, content, nothing
	case "short":
		return &shortReader{bytes.NewReader(content), 700}, content, nothing
	case "lazy":
		return &lazyReader{Reader: bytes.NewReader(content)}, content, nothing
	case "last-with-end":
		return iotest.DataErrReader(bytes.NewReader(content)), content, nothing
	case "file":
		return c.file(content, step)
	case "half-then-error":
		return io.MultiReader(half, iotest.ErrReader(errScriptSource)), content[:size/2], nothing
	case "half-with-error":
		return iotest.DataErrReader(io.MultiReader(half, iotest.ErrReader(errScriptSource))), content[:size/2], nothing
	case "half-then-panic":
		return io.MultiReader(half, panickingReader{}), content[:size/2], nothing
	}
	return bytes.NewReader(content), content, nothing
}

func nothing() {}

// file is a source that the system may send by itself.
func (c *scriptCall) file(content []byte, step int) (io.Reader, []byte, func()) {
	file, err := os.Open(c.textFile)
	if err == nil {
		_, err = file.Seek(int64(step*1009), io.SeekStart)
	}
	if err != nil {
		return iotest.ErrReader(err), nil, nothing
	}
	return io.LimitReader(file, int64(len(content))), content, func() { file.Close() }
}

// shortReader reads no more than most at once.
type shortReader struct {
	io.Reader
	most int
}

func (s *shortReader) Read(p []byte) (int, error) { return s.Reader.Read(p[:min(len(p), s.most)]) }

// lazyReader reads nothing every other time.
type lazyReader struct {
	io.Reader
	awake bool
}

func (l *lazyReader) Read(p []byte) (int, error) {
	if l.awake = !l.awake; l.awake {
		return 0, nil
	}
	return l.Reader.Read(p)
}

type panickingReader struct{}

func (panickingReader) Read([]byte) (int, error) { panic(errScriptSource) }
