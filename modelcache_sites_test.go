//go:build unix

package servery_test

import (
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"servery"
	"servery/internal/etag"
	"servery/internal/testkit"
)

// modelSite is a server whose files change.
type modelSite struct {
	name  string
	tree  *modelTree
	addr  string
	judge modelJudge // of all files, the field file apart
	lints bool       // its errors are the library's
}

var modelNames = []string{"a.txt", "b.txt", "c.json", "d.html", "image.png", "aged.txt", "aged.css", "never.txt", "e.txt", "f.js"}

// modelPolicy gives some files a life in the cache, in ticks of its clock, and forbids others to it.
func modelPolicy(name string) string {
	switch name, _, _ := strings.Cut(name, "."); name {
	case "aged":
		return "max-age=200"
	case "never":
		return "no-store"
	}
	return "no-cache"
}

// serveModel serves a tree.
func serveModel(tb testing.TB, name string, m *modelTree, h http.Handler, judge modelJudge) *modelSite {
	return &modelSite{name, m, testkit.Serve(tb, h).Addr, judge, judge.refuses}
}

// modelFiles is a FileServer over a directory whose files change in every way. between stands before it.
func modelFiles(tb testing.TB, random *rand.Rand, between func(http.Handler) http.Handler) *modelSite {
	tb.Helper()
	m, err := newModelTree(tb.TempDir(), newModelWords(realText(tb, 64<<10)), modelNames, random,
		modelReplace, modelReplace, modelCut, modelTouch, modelOverwrite, modelOverwrite, modelRemove)
	if err != nil {
		tb.Fatal(err)
	}
	testkit.Settle()
	files := servery.FileServer(openDir(tb, m.dir), &servery.FileServerOptions{CacheControl: modelPolicy})
	return serveModel(tb, "files", m, between(files), modelJudge{refuses: true, plain: modelPlain})
}

// modelPlain is SmallFileBuffer by default.
const modelPlain = 16 << 10

// modelSites are that, a FileServer whose root is switched, one whose tags are made of dates, and Compress around a
// handler. What the handler makes of a file it reads itself, so that only renames are safe.
func modelSites(tb testing.TB, random *rand.Rand) []*modelSite {
	tb.Helper()
	files := modelFiles(tb, random, func(h http.Handler) http.Handler { return h })
	words, few := files.tree.words, modelNames[:6]
	deployed, err := newDeployments(tb.TempDir(), words, few, random)
	dated, errDated := newModelTree(tb.TempDir(), words, few, random, modelSupersede, modelTouch)
	handled, errHandled := newModelTree(tb.TempDir(), words, append([]string{"undated.txt", "streamed.json"}, modelNames...), random, modelSupersede)
	if err = errors.Join(err, errDated, errHandled); err != nil {
		tb.Fatal(err)
	}
	testkit.Settle()
	current, byDate := openDir(tb, filepath.Join(deployed.dir, "current")), openDir(tb, dated.dir)
	return []*modelSite{
		files,
		serveModel(tb, "deployed", deployed, servery.FileServer(current, &servery.FileServerOptions{CacheControl: modelPolicy}),
			modelJudge{refuses: true, plain: modelPlain}),
		serveModel(tb, "dated", dated, servery.FileServer(byDate, &servery.FileServerOptions{CacheControl: modelPolicy, ContentETagMax: -1}),
			modelJudge{refuses: true, plain: modelPlain, byDate: true}),
		serveModel(tb, "handled", handled, servery.Compress(nil)(modelHandler(handled.dir, modelPolicy)), modelJudge{}),
	}
}

// modelHandler writes the current version of a file with an entity-tag of its content; "undated" has only a date, and
// "streamed" is written in pieces of no known total.
func modelHandler(dir string, policy func(string) string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/")
		file, err := os.Open(filepath.Join(dir, filepath.Base(name)))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		defer file.Close()
		info, errInfo := file.Stat()
		content, errRead := io.ReadAll(file)
		if errInfo != nil || errRead != nil {
			http.Error(w, "", http.StatusInternalServerError)
			return
		}
		if len(content) == 0 { // of which net/http sends the bytes from 0 to -1
			r = r.Clone(r.Context())
			r.Header.Del("Range")
		}
		tag := contentTag(string(content))
		w.Header().Set("Cache-Control", policy(name))
		switch {
		case strings.HasPrefix(name, "streamed") && len(r.Header["Range"]) == 0:
			w.Header().Set("Etag", tag)
			streamed(w, r, tag, content)
		case strings.HasPrefix(name, "undated"):
			http.ServeContent(w, r, name, info.ModTime(), strings.NewReader(string(content)))
		default:
			w.Header().Set("Etag", tag)
			http.ServeContent(w, r, name, info.ModTime(), strings.NewReader(string(content)))
		}
	})
}

func streamed(w http.ResponseWriter, r *http.Request, tag string, content []byte) {
	if etag.MatchesWeak(r.Header["If-None-Match"], etag.Tag(tag)) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	for len(content) > 0 {
		n := min(len(content), 3000)
		w.Write(content[:n])
		content = content[n:]
		if n == 3000 {
			http.NewResponseController(w).Flush()
		}
	}
}
