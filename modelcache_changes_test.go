//go:build unix

package servery_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// modelTree is a directory whose files change.
type modelTree struct {
	dir   string
	words *modelWords
	files []*modelFile
	ways  []modelChange

	mu       sync.Mutex  // of what follows, which switching uses
	deployed []time.Time // when each deployment was
	deleted  int         // deployments that are gone
}

// modelChange changes a file that is locked.
type modelChange func(m *modelTree, f *modelFile, random *rand.Rand) error

// newModelTree writes the files, which are changed in these ways.
func newModelTree(dir string, words *modelWords, names []string, random *rand.Rand, ways ...modelChange) (*modelTree, error) {
	m := &modelTree{dir: dir, words: words, ways: ways}
	for _, name := range names {
		f := newModelFile(name, 0, words.next(modelSize(random)))
		m.files = append(m.files, f)
		if err := writeModel(m.path(f), f.last.Load().modelText); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *modelTree) path(f *modelFile) string { return filepath.Join(m.dir, f.name) }

func writeModel(path string, t *modelText) error {
	return errors.Join(os.WriteFile(path, t.content, 0o644), os.Chtimes(path, t.modified, t.modified))
}

// change changes a file in one of the ways, unless somebody else does that just now.
func (m *modelTree) change(random *rand.Rand) error {
	f := m.files[random.IntN(len(m.files))]
	way := m.ways[random.IntN(len(m.ways))]
	if !f.changing.TryLock() {
		return nil
	}
	defer f.changing.Unlock()
	if f.last.Load().absent {
		way = modelCreate
	}
	return way(m, f, random)
}

// modelReplace renames another text over the file, which at times has the size and the date of the one before.
func modelReplace(m *modelTree, f *modelFile, random *rand.Rand) error {
	old, next := f.last.Load(), m.words.next(modelSize(random))
	if random.IntN(4) == 0 {
		next = m.words.next(len(old.content))
		next.modified = old.modified
	}
	return m.rename(f, next)
}

// modelSupersede is modelReplace with another date each time.
func modelSupersede(m *modelTree, f *modelFile, random *rand.Rand) error {
	return m.rename(f, m.words.next(modelSize(random)))
}

func (m *modelTree) rename(f *modelFile, next *modelText) error {
	temporary := m.path(f) + ".new"
	if err := writeModel(temporary, next); err != nil {
		return err
	}
	return f.change(next, false, func() error { return os.Rename(temporary, m.path(f)) })
}

// modelCut truncates the file.
func modelCut(m *modelTree, f *modelFile, random *rand.Rand) error {
	old := f.last.Load()
	size := random.IntN(len(old.content) + 1)
	next := newModelText(old.content[:size:size], modelDate(m.words.number.Add(1)))
	return f.change(next, true, func() error {
		return errors.Join(os.Truncate(m.path(f), int64(size)), os.Chtimes(m.path(f), next.modified, next.modified))
	})
}

// modelTouch gives the file another date, which for who reads it just now is a change like any other.
func modelTouch(m *modelTree, f *modelFile, random *rand.Rand) error {
	next := newModelText(f.last.Load().content, modelDate(m.words.number.Add(1)))
	return f.change(next, true, func() error { return os.Chtimes(m.path(f), next.modified, next.modified) })
}

// modelOverwrite writes another text of the same size in place, in two pieces, and puts the date back.
func modelOverwrite(m *modelTree, f *modelFile, random *rand.Rand) error {
	old := f.last.Load()
	next := m.words.next(len(old.content))
	next.modified = old.modified
	return f.change(next, true, func() error {
		file, err := os.OpenFile(m.path(f), os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		middle := random.IntN(len(next.content) + 1)
		_, first := file.WriteAt(next.content[:middle], 0)
		_, second := file.WriteAt(next.content[middle:], int64(middle))
		return errors.Join(first, second, file.Close(), os.Chtimes(m.path(f), next.modified, next.modified))
	})
}

// modelRemove deletes the file, so that the next change creates it.
func modelRemove(m *modelTree, f *modelFile, random *rand.Rand) error {
	return f.change(&modelText{absent: true}, false, func() error { return os.Remove(m.path(f)) })
}

func modelCreate(m *modelTree, f *modelFile, random *rand.Rand) error {
	next := m.words.next(modelSize(random))
	return f.change(next, true, func() error { return writeModel(m.path(f), next) })
}

// rootLag is within what a Dir follows a switch of its root: a second, and two more on a busy machine. What was
// switched away is kept for longer.
const rootLag, keepDeployment = 3 * time.Second, 10 * time.Second

// newDeployments is a tree beneath a link "current", which leads to another directory after each change.
func newDeployments(dir string, words *modelWords, names []string, random *rand.Rand) (*modelTree, error) {
	m := &modelTree{dir: dir, words: words}
	for _, name := range names {
		m.files = append(m.files, newModelFile(name, rootLag, words.next(modelSize(random))))
	}
	m.ways = []modelChange{func(m *modelTree, _ *modelFile, random *rand.Rand) error { return m.deploy(random) }}
	return m, m.deploy(random)
}

// deploy writes a text of each file into a new directory, and lets current lead to it.
func (m *modelTree) deploy(random *rand.Rand) error {
	if !m.mu.TryLock() {
		return nil
	}
	defer m.mu.Unlock()
	name := fmt.Sprint("deployment", len(m.deployed))
	if err := os.Mkdir(filepath.Join(m.dir, name), 0o755); err != nil {
		return err
	}
	var next []*edition
	for _, f := range m.files {
		e := &edition{modelText: f.last.Load().modelText}
		if len(m.deployed) > 0 {
			e.modelText = m.words.next(modelSize(random))
		}
		if err := writeModel(filepath.Join(m.dir, name, f.name), e.modelText); err != nil {
			return err
		}
		next = append(next, e)
	}
	for i, f := range m.files {
		f.begin(next[i])
	}
	link := filepath.Join(m.dir, "link")
	err := errors.Join(os.Symlink(name, link), os.Rename(link, filepath.Join(m.dir, "current")))
	for i, f := range m.files {
		f.end(next[i])
	}
	m.deployed = append(m.deployed, time.Now())
	return errors.Join(err, m.cleanUp())
}

// cleanUp deletes what was switched away long ago.
func (m *modelTree) cleanUp() error {
	old, _ := slices.BinarySearchFunc(m.deployed, time.Now().Add(-keepDeployment), time.Time.Compare)
	for ; m.deleted < old-1; m.deleted++ {
		if err := os.RemoveAll(filepath.Join(m.dir, fmt.Sprint("deployment", m.deleted))); err != nil {
			return err
		}
	}
	return nil
}
